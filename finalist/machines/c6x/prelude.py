"""What stands before a program, so that GNU as for this family reads it: its directives as macros."""

from __future__ import annotations

#: Places are in the data section at their addresses; what a program needs of the others is in its comments.
PRELUDE = """\
        .macro .order how
        .endm
        .macro .part name
        .endm
        .macro .place name, address, size, count
        .data
        .org \\address
        .set entry_bytes, \\size
        .text
        .endm
        .macro .values list:vararg
        .data
        .irp value, \\list
        .if entry_bytes == 1
        .byte \\value
        .elseif entry_bytes == 2
        .short \\value
        .else
        .int \\value
        .endif
        .endr
        .text
        .endm
"""
