"""Assembly text to instruction words, and back."""
