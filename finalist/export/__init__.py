"""Ciphers as a C library, or in the folders of SUPERCOP: what goes into each file, and writing them."""
