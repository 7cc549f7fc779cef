"""Names in the emitted text: the definition's own where it has one, each once, legal in both languages."""

from __future__ import annotations

import re

#: Reserved in Verilog or VHDL, or ports of every design.
_TAKEN = frozenset(
    """abs access after alias all and architecture array assert assign attribute automatic begin block
    body buf bus case casex casez cell component config configuration constant deassign default defparam
    design disable disconnect downto edge else elsif end endcase endfunction endmodule entity event exit
    file for force forever fork function generate generic genvar group guarded if impure in inertial
    initial inout input inst integer is join label library linkage literal loop map mod module nand
    negedge new next nor not null of on open or others out output package parameter port posedge postponed
    primitive procedure process pure range real record reg register reject release rem repeat report
    return rol ror select severity shared signal signed sla sll sra srl string strong strength subtype
    supply table task then time to transport tri type unaffected units unsigned until use variable
    vectored wait wand when while wire with wor xnor xor clk reset start ready valid block_in block_out
    key_load key_word keys leaving returning next_turn decrypt""".split()  # noqa: SIM905 - as a list it fills a page
)


class Names:
    """Hands out names; case counts for nothing, as in VHDL."""

    def __init__(self) -> None:
        self._given = set(_TAKEN)
        self._last: dict[str, int] = {}

    def new(self, wish: str) -> str:
        """``wish``, or that with a number; a name that has a number already counts on from there."""
        stem = re.sub(r"_+", "_", re.sub(r"\W", "_", wish, flags=re.ASCII)).strip("_") or "t"
        stem = stem if stem[0].isalpha() else f"n{stem}"
        name, key = stem, stem.lower()
        number = self._last.get(key, 0)
        while name.lower() in self._given:
            number += 1
            name = f"{stem}_{number}"
        self._last[key] = number
        self._given.add(name.lower())
        return name
