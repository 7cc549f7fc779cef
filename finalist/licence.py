"""The licence of what Finalist emits: not its own (MIT), but one that asks nothing of its users."""

from __future__ import annotations

#: The identifier (https://spdx.org/licenses) of all emitted text: C, assembly, HDL, libraries.
SPDX = "0BSD"
#: What stands in the head of each emitted file, after the marks of a comment.
SPDX_LINE = f"SPDX-License-Identifier: {SPDX}"

#: The copyright holder of what is emitted of Finalist's own definitions.
HOLDER = "The Finalist developers"

_TEXT = """\
Copyright (C) {holder}

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR
OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.
"""


def text(holder: str = HOLDER) -> str:
    """The licence's text for a copyright holder, as a file beside emitted code has it."""
    return _TEXT.format(holder=holder)
