"""Key set-ups as the functions that other files call.

A part's text has each as a function of its own, whose key has a type, and one around it for other files. What
a compiler makes of the second, with the first inlined, is not what it makes of the first: gcc keeps other
values in registers, and DES's has 30 instructions more. So the text of the first is that of the second.
"""

from __future__ import annotations

import re

_AROUND = re.compile(
    r"^int (?P<name>\w+)\(void \*expanded, const uint8_t \*key\)\n"
    r"\{\n    (?P<inner>\w+)\(key, expanded\);\n    return 0;\n\}\n\n?",
    re.MULTILINE,
)
_INNER = r"^static void {name}\(const uint8_t \*key, (?P<type>\w+) \*k\)\n\{{\n(?P<body>.*?)^\}}\n"


def called_directly(text: str) -> str:
    """The text of a part, or of several, in which that is so of each key set-up that one function calls."""
    for around in _AROUND.finditer(text):
        inner = re.search(_INNER.format(name=around["inner"]), text, re.MULTILINE | re.DOTALL)
        if inner is None or len(re.findall(rf"\b{around['inner']}\b", text)) != 2:
            continue
        head = f"int {around['name']}(void *expanded, const uint8_t *key)\n"
        own = f"    {inner['type']} *const k = expanded;\n"
        text = text.replace(around[0], "")
        text = text.replace(inner[0], f"{head}{{\n{own}{inner['body']}    return 0;\n}}\n")
    return text
