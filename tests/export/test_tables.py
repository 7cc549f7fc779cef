"""Tables that several files read stand in one, and the files say the same as before."""

from __future__ import annotations

from finalist.export.tables import share

LONG = ", ".join(f"0x{n:08x}" for n in range(64))
OTHER = ", ".join(f"0x{n:08x}" for n in range(1, 65))


def table(name: str, values: str = LONG) -> str:
    return f"static const uint32_t {name}[64] = {{\n    {values},\n}};\n"


def array(name: str) -> str:
    return (
        f"    static const uint32_t {name}[64] = {{{LONG}}};\n    memcpy(k->{name}, {name}, sizeof {name});\n"
    )


def test_a_table_that_two_files_read() -> None:
    found = share([table("S") + "one", table("T") + "two"], "lib_x", "HIDDEN")
    assert found.texts == ["#define S lib_x_S\none", "#define T lib_x_S\ntwo"]
    assert found.declarations == "extern HIDDEN const uint32_t lib_x_S[64];\n"
    assert found.definitions == table("lib_x_S").removeprefix("static ")


def test_what_an_array_begins_with() -> None:
    found = share([array("init0") + array("init1")], "lib_x", "HIDDEN")
    assert found.texts == [
        "    memcpy(k->init0, lib_x_init0, sizeof lib_x_init0);\n"
        "    memcpy(k->init1, lib_x_init0, sizeof lib_x_init0);\n"
    ]


def test_two_tables_of_one_name() -> None:
    texts = [table("S"), table("S"), table("S", OTHER), table("S", OTHER)]
    found = share(texts, "lib_x", "HIDDEN")
    assert found.texts == ["#define S lib_x_S\n"] * 2 + ["#define S lib_x_S_2\n"] * 2


def test_what_is_read_once_or_is_short_stays() -> None:
    short = "static const uint32_t S[2] = {\n    1, 2,\n};\n"
    texts = [table("S") + short, table("S", OTHER) + short]
    found = share(texts, "lib_x", "HIDDEN")
    assert found.texts == texts and not found.declarations and not found.definitions
