"""Test vectors as data, and the checks that hold programs to them."""
