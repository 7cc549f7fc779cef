"""What one proof after another can use of it: the store with the key schedules carried out.

Where a cipher's two directions have the same key schedule, in the definition and in the program, only the
kernels are left of the second proof; where it is the same in the definition alone, the program's is made of
bits that are there already. What the store says holds for all keys and data, whichever kernel it was made
for; so what is proved there is proved. What is not is done again from the beginning, so that each verdict is
at least what a program has alone.
"""

from __future__ import annotations

from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.prove.collector import put_aside
from finalist.prove.proof import Proof


class Shared:
    """The proof that was carried out last, until it is asked for or another one is kept: its store takes
    memory, gigabytes perhaps, until this is closed."""

    def __init__(self) -> None:
        self._last: Proof | None = None

    def keep(self, proof: Proof) -> None:
        """Have it for the next one."""
        self.close()
        self._last = proof
        put_aside()

    def close(self) -> None:
        """Give back the memory of what nobody has asked for."""
        if self._last is not None:
            self._last.words.close()
        self._last = None

    def take(self, traced: Program, program: SimulatedProgram, seconds: float | None) -> Proof | None:
        """The proof of a program over the store of the last one, which is the taker's from now on; None where
        the definition has another key schedule. ``seconds``: as `finalist.prove.decide.prove` has them."""
        found = None if self._last is None else self._last.another(traced, program)
        if found is None:
            self.close()
        else:
            self._last = None
            found.words.begin(seconds)
        return found
