"""An outliner for C text: repeated sequences of statements, written once as functions."""
