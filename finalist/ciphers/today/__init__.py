"""The ciphers of today: those that libraries and standards of this century have, beside the AES contest's."""
