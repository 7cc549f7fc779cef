"""Tables that several files read stand in one, and the files say the same as before."""

from __future__ import annotations

from finalist.export.tables import compact, share

LONG = ", ".join(f"0x{n:08x}" for n in range(72))
OTHER = ", ".join(f"0x{n:08x}" for n in range(1, 73))


def table(name: str, values: str = LONG) -> str:
    return f"static const uint32_t {name}[72] = {{\n    {values},\n}};\n"


def array(name: str) -> str:
    return (
        f"    static const uint32_t {name}[72] = {{{LONG}}};\n    memcpy(k->{name}, {name}, sizeof {name});\n"
    )


def test_a_table_that_two_files_read() -> None:
    found = share([table("S") + "one", table("T") + "two"], "lib_x", "HIDDEN")
    assert found.texts == ["#define S lib_x_S\none", "#define T lib_x_S\ntwo"]
    assert found.declarations == "extern HIDDEN const uint32_t lib_x_S[72];\n"
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


def test_a_table_with_the_name_of_a_member_stays() -> None:
    """Kuznyechik's library did not compile: a kernel reads its tables from a structure, and a key set-up
    behind it in the same file reads some of the same names."""
    structure = "static const struct tables {\n    uint32_t S[72];\n} all_tables;\n"
    text = f"{structure}{table('S')}use(T->S[x], S[y]);\n"
    found = share([text, table("S")], "lib_x", "HIDDEN")
    assert found.texts == [text, "#define S lib_x_S\n"]


def test_what_is_read_once_or_is_short_stays() -> None:
    short = "static const uint32_t S[2] = {\n    1, 2,\n};\n"
    texts = [table("S") + short, table("S", OTHER) + short]
    found = share(texts, "lib_x", "HIDDEN")
    assert found.texts == texts and not found.declarations and not found.definitions


def test_bytes_that_vectors_are_made_of_stay_where_the_compiler_sees_them() -> None:
    few, all_bytes = (
        f"static const uint8_t S[{n}] = {{{', '.join(f'0x{k:02x}' for k in range(n))}}};\n"
        for n in (255, 256)
    )
    assert share([few, few], "lib_x", "HIDDEN").texts == [few, few]
    assert share([all_bytes, all_bytes], "lib_x", "HIDDEN").texts == ["#define S lib_x_S\n"] * 2


def test_words_that_vectors_are_made_of_stay_as_well() -> None:
    """DFC's 64 words of 32 bits, four vectors; an array of as many bytes that is copied, too."""
    entries = ", ".join(LONG.split(", ")[:64])
    few = table("S", entries).replace("[72]", "[64]")
    assert share([few, few], "lib_x", "HIDDEN").texts == [few, few]
    copied = array("init0").replace(LONG, entries).replace("[72]", "[64]")
    assert share([copied, copied], "lib_x", "HIDDEN").texts == [copied, copied]


def test_entries_are_as_short_as_they_can_be() -> None:
    text = (
        "static const uint64_t T[5] = {\n    0x00000000, 0x0000ff00, 0x10000000000,\n    0x9, 0x80000000};\n"
    )
    assert compact(text) == "static const uint64_t T[5] = {\n0,65280,0x10000000000,9,0x80000000};\n"


def test_rows_are_no_longer_than_a_line_and_lose_nothing() -> None:
    values = [0x12345 * number % 65536 for number in range(300)]
    text = f"static const uint16_t T[300] = {{{', '.join(map(hex, values))}}};\n"
    made = compact(text)
    entries = made[made.index("{") + 1 : made.index("}")].replace("\n", "").split(",")
    assert [int(entry, 0) for entry in entries] == values
    assert max(map(len, made.splitlines())) <= 112 and len(made) < len(text)
