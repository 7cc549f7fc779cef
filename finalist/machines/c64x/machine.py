"""The machine `c64x`: TMS320C64x, simulated; all of it is in `finalist.machines.c6x`."""

from __future__ import annotations

from finalist.machines.c6x.family import SignalProcessor

MACHINE = SignalProcessor("c64x")
