"""The machine `c62x`: TMS320C62x, simulated; all of it is in `finalist.machines.c6x`."""

from __future__ import annotations

from finalist.machines.c6x.family import SignalProcessor

MACHINE = SignalProcessor("c62x")
