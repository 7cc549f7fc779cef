"""Which ciphers of the catalogue tests are about.

The rule: what passes and machines do is tested with the usual group, the contest's ciphers, in both tiers.
The ciphers of other groups are held to their vectors, in tests/ciphers/test_today.py: in the first tier on
the interpreter, and in turns on `native` as it takes them by itself; in the second on every machine, in both
directions, with all key lengths and parameters, and under drawn schedules. What costs nothing is of all.
"""

from __future__ import annotations

from finalist.ciphers.catalogue import GROUPS, USUAL_GROUP, cipher_names

#: Ciphers of the usual group, those of others, all.
USUAL = cipher_names(USUAL_GROUP)
OTHERS = tuple(name for group in GROUPS if group != USUAL_GROUP for name in cipher_names(group))
ALL = (*USUAL, *OTHERS)
