"""The Cipher base class: what a definition declares, and what tracing it yields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from finalist.errors import GraphError
from finalist.ir.program import ByteOrder, Layout
from finalist.ir.types import WordType
from finalist.language.control import Array
from finalist.language.parameters import variant
from finalist.language.trace import fail

u8, u16, u24, u32, u48, u64 = (WordType(width) for width in (8, 16, 24, 32, 48, 64))
WIDTHS = (8, 16, 24, 32, 48, 64)


LITTLE, BIG = ByteOrder.LITTLE, ByteOrder.BIG


def words(count: int, type_: WordType, order: ByteOrder = LITTLE) -> Layout:
    """The layout of a block: ``block = words(4, u32, LITTLE)``."""
    if not isinstance(type_, WordType):
        raise fail(
            f"words of type {type_!r}; accepted: u8, u16, u24, u32, u48, u64, as in words(4, u32, LITTLE)"
        )
    if type_.width not in WIDTHS:
        raise fail(f"a block's words have 8, 16, 24, 32, 48 or 64 bits, not {type_.width}")
    if not isinstance(order, ByteOrder):
        raise fail(f"words in the byte order {order!r}; accepted: LITTLE, BIG")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise fail(f"a block of {count!r} words; accepted: a positive number of words")
    return Layout(count, type_.width, order)


#: What is publicly known of a cipher's security: a standard in force; no attack on the whole cipher that
#: beats trying all keys; a shortcoming that matters in use (weak or equivalent keys, a short block); an
#: attack on the whole cipher; a standard no longer in force.
STATES = ("standard", "unbroken", "weak", "broken", "withdrawn")


#: The key length that most published tables give.
USUAL_KEY_BITS = 128


@dataclass(frozen=True)
class Facts:
    """What is known of a cipher beside its definition.

    ``title``: its name as its designers write it. ``structure``: SPN, Feistel, ... ``state``: one of
    `STATES`. ``analysis``: the finding that the state rests on, and its publication.
    """

    title: str
    year: int
    designers: str
    structure: str
    state: str
    analysis: str

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise fail(f"state {self.state!r} of {self.title}; accepted: {', '.join(STATES)}")


@dataclass(frozen=True)
class Intermediate:
    """How the publication of a cipher prints intermediate values, for `finalist trace`.

    ``encrypt``, ``decrypt``: what it calls the values that have names in the definition, which are
    ``function`` for what a function returns, ``function.argument`` for what it is given, and ``rounds`` for
    the state as a round begins. ``line`` is a line of it, with {round} (what comes before the first is 0),
    {name} and {value} in it; ``encrypt_head``, ``decrypt_head`` what it begins with, with {key} and {input}.
    """

    source: str
    line: str
    encrypt: Mapping[str, str]
    decrypt: Mapping[str, str]
    encrypt_head: str = ""
    decrypt_head: str = ""


class Cipher:
    """A block cipher, written once.

    A subclass declares ``block`` (layout), ``key_bits`` (the key lengths that it has: a tuple, or a range
    such as ``range(32, 449, 8)``) and defines
    ``expand_key(key)``, ``encrypt(block, keys)`` and ``decrypt(block, keys)``; where decryption has keys
    of its own also ``expand_decryption_key(keys)``. ``key`` and ``block`` are lists of words in the
    block's layout (the key in ``key_words`` if that is given); ``keys`` is whatever the key schedule
    returned: words, keyed functions and arrays in lists, tuples and dicts. ``self.key_size`` is the
    length, in bits, of the key under trace. The methods are traced, never executed in another way.
    """

    block: ClassVar[Layout]
    key_bits: ClassVar[Sequence[int]]
    key_words: ClassVar[Layout | None] = None
    #: What is given beside the key and is no secret, such as a tweak or a nonce. Programs are given it after
    #: the key, and ``key_bits`` counts both; ``expand_key(key, public)`` has it as words of their own.
    public: ClassVar[Layout | None] = None
    #: What its publication leaves open, and which values there are: ``{"w": (16, 32, 64)}``. Class attributes
    #: of these names have the values that are meant where none are given; `shape` says what depends on them.
    parameters: ClassVar[Mapping[str, Sequence[int]]] = {}
    #: Of a variant, the definition whose parameters have other values.
    base: ClassVar[type[Cipher] | None] = None
    #: Whether each block leaves a state behind that the next one needs; see `StreamCipher`.
    stateful: ClassVar[bool] = False
    #: Its name on the command line and in data files, where that is not the class's in small letters.
    called: ClassVar[str] = ""
    #: Other names that it is known by, in small letters.
    aliases: ClassVar[tuple[str, ...]] = ()
    facts: ClassVar[Facts | None] = None
    #: How its publication prints intermediate values, where it does.
    intermediate: ClassVar[Intermediate | None] = None
    #: The file that a user's definition was loaded from, as it was asked for and as an absolute path.
    source: ClassVar[str] = ""
    file: ClassVar[str] = ""
    #: What it is called beside others of its name; see `finalist.ciphers.catalogue.ciphers`.
    shown: ClassVar[str] = ""

    def __init__(self, key_size: int) -> None:
        self.key_size = key_size

    @classmethod
    def shape(cls) -> Mapping[str, Any]:
        """The class attributes that depend on the parameters, such as ``block`` and ``key_bits``."""
        return {}

    @classmethod
    def of(cls, **values: int) -> type[Cipher]:
        """The definition with these values of its `parameters`: ``RC6.of(w=64, r=24)``.

        Raises UnknownNameError for a parameter or a value that it does not have.
        """
        return variant(cls, values)

    @classmethod
    def own_name(cls) -> str:
        """What the definition calls itself: ``called``, or its class in small letters."""
        return cls.called or cls.__name__.lower()

    @classmethod
    def name(cls) -> str:
        """The cipher's name: its own, or where others have the same what it is told from them by."""
        return cls.shown or cls.own_name()

    @classmethod
    def summary(cls) -> str:
        """The first line of the definition's docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def key_sizes(cls, unit: int = 1) -> str:
        """The key lengths as text, in units of so many bits."""
        lengths = [bits // unit for bits in cls.key_bits]
        if isinstance(cls.key_bits, range) and len(lengths) > 1:
            return f"{lengths[0]} to {lengths[-1]} in steps of {lengths[1] - lengths[0]}"
        return ", ".join(map(str, lengths))

    @classmethod
    def usual_key_bits(cls) -> int:
        """The key length that is meant where none is given: 128 bits, else the first there is."""
        return USUAL_KEY_BITS if USUAL_KEY_BITS in cls.key_bits else cls.key_bits[0]

    def expand_key(self, key: list[Any]) -> Any:
        """The key schedule; what a definition declares to be ``public`` is its second argument."""
        raise NotImplementedError

    def expand_decryption_key(self, keys: Any) -> Any:
        """The key schedule of decryption, from that of encryption; the same unless overridden."""
        return keys

    def encrypt(self, block: list[Any], keys: Any) -> Any:
        """One block."""
        raise NotImplementedError

    def decrypt(self, block: list[Any], keys: Any) -> Any:
        """One block."""
        raise NotImplementedError


class StreamCipher(Cipher):
    """A stream cipher: data XOR a key stream, ``block`` of it at a time.

    ``expand_key`` returns the initial state, in arrays; a subclass defines ``key_stream(state)``, the
    next words of the stream. What it leaves in the arrays is the state of the step after.
    """

    stateful = True

    def key_stream(self, state: Any) -> list[Any]:
        """The next words of the key stream."""
        raise NotImplementedError

    def encrypt(self, block: list[Any], keys: Any) -> Any:
        """The next words of the message."""
        stream = self.key_stream(keys)
        if [getattr(k, "width", None) for k in stream] != [x.width for x in block]:
            wanted = f"{self.block.count} words of {self.block.width} bits"
            raise GraphError(f"key_stream returned {stream!r}; accepted: {wanted}")
        return [x ^ k for x, k in zip(block, stream, strict=True)]

    decrypt = encrypt


class CounterCipher(StreamCipher):
    """A stream cipher whose key stream is a function of a key and of a counter, block by block.

    A subclass defines ``start(key, public)``, the words that all blocks have in common and the counter of the
    first one, a word, and ``stream_block(words, counter)``, the words of one block of the stream.
    """

    #: Which words of ``public`` are the first counter, the lowest first; the others are the nonce.
    counter_words: ClassVar[slice | None] = None

    def start(self, key: list[Any], public: Sequence[Any]) -> tuple[list[Any], Any]:
        """What all blocks have in common, and the first counter."""
        raise NotImplementedError

    def stream_block(self, words: list[Any], counter: Any) -> list[Any]:
        """A block of the key stream."""
        raise NotImplementedError

    def expand_key(self, key: list[Any], public: Sequence[Any] = ()) -> Any:
        """The initial state: what blocks have in common, and the counter."""
        words, counter = self.start(key, public)
        return {"words": Array.holding(words), "counter": Array.holding([counter])}

    def key_stream(self, state: Any) -> list[Any]:
        """The next block; it leaves the counter one higher."""
        counter = state["counter"][0]
        state["counter"][0] = counter + 1
        return self.stream_block(list(state["words"]), counter)


class Permutation(Cipher):
    """A permutation without a key, as those of sponges: a subclass defines ``permute`` and ``invert``."""

    key_bits = (0,)

    def permute(self, state: list[Any]) -> Any:
        """The permutation of a block."""
        raise NotImplementedError

    def invert(self, state: list[Any]) -> Any:
        """Its inverse."""
        raise NotImplementedError

    def expand_key(self, key: list[Any]) -> Any:
        """Nothing."""
        return []

    def encrypt(self, block: list[Any], keys: Any) -> Any:
        """The permutation."""
        return self.permute(block)

    def decrypt(self, block: list[Any], keys: Any) -> Any:
        """Its inverse."""
        return self.invert(block)
