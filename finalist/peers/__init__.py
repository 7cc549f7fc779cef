"""Other libraries' ciphers beside ours: measured by the same clock, and asked for a second opinion.

Debian's libraries are called through C++ files in benchmarks/peers, PyPI's packages as their users call them.
Finalist needs none of them.
"""
