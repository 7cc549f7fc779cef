"""Key set-ups as the functions that other files call."""

from __future__ import annotations

from finalist.export.set_ups import called_directly

INNER = """\
static void toy_expand_key_64(const uint8_t *key, toy_key *k)
{
    for (int i = 0; i < 8; i++) {
        k->word[i] = key[i];
    }
}
"""
AROUND = """\
int finalist_toy_one_key_64(void *expanded, const uint8_t *key)
{
    toy_expand_key_64(key, expanded);
    return 0;
}
"""
DIRECT = """\
int finalist_toy_one_key_64(void *expanded, const uint8_t *key)
{
    toy_key *const k = expanded;
    for (int i = 0; i < 8; i++) {
        k->word[i] = key[i];
    }
    return 0;
}
"""
KERNEL = "static void toy_encrypt(const toy_key *k)\n{\n    (void)k;\n}\n"


def test_one_of_two_functions_is_left() -> None:
    assert called_directly(f"{INNER}\n{KERNEL}\n{AROUND}\nint end;\n") == f"{DIRECT}\n{KERNEL}\nint end;\n"


def test_of_several_key_lengths_each() -> None:
    longer = [
        text.replace("64", "128").replace("toy_key *", "toy_key_2 *") for text in (INNER, AROUND, DIRECT)
    ]
    text = f"{INNER}\n{longer[0]}\n{AROUND}\n{longer[1]}\n"
    assert called_directly(text) == f"{DIRECT}\n{longer[2]}\n"


def test_what_others_call_too_stays() -> None:
    """Files that became one may have a key set-up in common."""
    text = f"{INNER}\n{AROUND}\n{AROUND.replace('one', 'few')}"
    assert called_directly(text) == text


def test_what_is_in_another_file_stays() -> None:
    for text in (AROUND, INNER, KERNEL, ""):
        assert called_directly(text) == text
