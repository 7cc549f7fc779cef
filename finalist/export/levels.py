"""The sets of instructions that a library has programs for: one is chosen when a key is set."""

from __future__ import annotations

from dataclasses import dataclass

from finalist.schedule import Schedule
from finalist.toolchain import compiler


@dataclass(frozen=True, slots=True)
class Level:
    """A set of instructions.

    ``width``: bits of its vectors; 1 for none. ``base`` and ``one``: the schedules of many and of single
    blocks, where it is for one way alone. ``flags``: a compiler's, for its files. ``features``: what the
    CPU must have, in C. ``condition``: where the compiler can make such code at all, in C. ``macros``:
    what the compiler defines for a CPU that has it. ``vendor``: who makes the only CPUs that it is for,
    ``host_macros``: what the compiler defines for these alone; no code is made of it. ``kinds``: of CPUs, as
    `finalist.tuning.shipped` has winners by, those whose programs it has.
    """

    name: str
    summary: str
    width: int
    flags: tuple[str, ...]
    features: str
    condition: str
    macros: tuple[str, ...]
    base: Schedule | None = None
    one: Schedule | None = None
    vendor: str = ""
    host_macros: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[object, ...]:
        """By its name, so that it is the same object where several processes plan a library."""
        return level, (self.name,)

    @property
    def compiled(self) -> str:
        """Where the compiler has been told to make such code, in C."""
        return self.condition if not self.flags else " && ".join(f"defined({macro})" for macro in self.macros)

    @property
    def forms(self) -> tuple[str, ...]:
        """The macros that some texts have a form of their own for. A level that has any is for programs with
        such a form, but where it is for ciphers' rounds."""
        return () if self.base else tuple(macro for macro in FORMS if macro in self.macros)

    @property
    def tuned(self) -> str:
        """The flag that says which CPUs its code is to be quick on; empty where it is for any."""
        return next((flag for flag in self.flags if flag.startswith("-mtune=")), "")

    @property
    def own_kinds(self) -> tuple[str, ...]:
        """Those of its ``kinds`` that are not another vendor's."""
        return tuple(kind for kind in self.kinds if kind.partition(" ")[2] in ("", self.vendor))

    @property
    def rank(self) -> int:
        """Its place in `LEVELS`."""
        return LEVELS.index(self)

    def has(self, other: Level) -> bool:
        """Whether what has this level has another one."""
        return not other.flags or set(other.macros) <= set(self.macros)

    def gains(self, text: str, below: Level) -> bool:
        """Whether a text has a form of its own for instructions that this level has and another one lacks."""
        return any(macro in text for macro in self.forms if macro not in below.macros)

    @property
    def runs_here(self) -> bool:
        """Whether this computer has it, as far as the C compiler knows."""
        wanted = (*self.macros, *self.host_macros)
        return self.vendor in ("", compiler.cpu_vendor()) and not compiler.lacking(wanted)


#: What a compiler defines for CPUs with instructions that some texts have a form of their own for: GFNI, for
#: inversions in GF(2^8), affine maps and transpositions, and VAES, whose last round inverts; see
#: `finalist.machines.native.vectors.inversions`. Without these other programs would have won; AVX-512 VBMI2,
#: which rotates words of 16 bits in one instruction, decides nothing.
DECIDING = ("__GFNI__", "__VAES__")
FORMS = (*DECIDING, "__AVX512VBMI2__")
_X86 = "defined(__x86_64__)"
#: AVX2, BMI and MOVBE came together: a scalar AND with a complement, rotations that leave the flags alone,
#: words of big-endian order to and from memory.
_SCALAR = ("-mbmi", "-mbmi2", "-mmovbe")
_AVX2 = ("-mavx2", *_SCALAR)
_AVX2_MACROS = ("__AVX2__", "__BMI__", "__BMI2__", "__MOVBE__")
_AVX512 = ("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", *_SCALAR)
_AVX512_MACROS = (*_AVX2_MACROS, "__AVX512F__", "__AVX512BW__", "__AVX512DQ__", "__AVX512VL__")
_AES_MACROS = ("__AES__", "__SSE4_1__", "__SSSE3__", "__SSE2__")
_GFNI = ("-mgfni", "-mavx512vbmi", "-mavx512vbmi2")
_GFNI_MACROS = ("__GFNI__", "__AVX512VBMI__", "__AVX512VBMI2__", *_AVX512_MACROS)
#: Where several words are XORed gcc begins with the one that is there last, unless it tunes for AMD's CPUs: a
#: key set-up of AES, where that one comes from AESENCLAST, took 43 core cycles in place of 37. The latest of
#: these CPUs that all compilers with the options of these levels know.
_TUNED = "-mtune=znver2"
#: Kinds of CPUs whose winners AVX-512's levels have, AMD's first, as `shipped.alike` has them there.
_AVX512_KINDS = ("avx512-vaes amd", "avx512-vaes", "avx512-vaes intel")
_AES = ("-maes", "-msse4.1")
_MATCH = Schedule(lookup="match")
_ONE_MATCHED = Schedule(lookup="match", width=128, blocks=1)

AVX2 = Level(
    "avx2",
    "AVX2, BMI and MOVBE",
    256,
    _AVX2,
    "FINALIST_AVX2",
    _X86,
    _AVX2_MACROS,
    kinds=("avx2 amd", "avx2", "avx2 intel"),
)
AVX2_VAES = Level(
    "avx2_vaes",
    "AVX2 with VAES, whose last round inverts in GF(2^8)",
    256,
    ("-mvaes", "-maes", *_AVX2, _TUNED),
    "FINALIST_VAES | FINALIST_AES | FINALIST_AVX2",
    _X86,
    ("__VAES__", "__AES__", *_AVX2_MACROS),
    kinds=AVX2.kinds,
)
PORTABLE = Level("portable", "any CPU", 1, (), "0", "1", ())
#: The best first, as a library prefers them.
LEVELS = (
    Level(
        "vaes512",
        "VAES with AVX-512",
        512,
        ("-mvaes", *_AES, *_AVX512, _TUNED),
        "FINALIST_VAES | FINALIST_AES | FINALIST_AVX512",
        _X86,
        ("__VAES__", *_AES_MACROS, *_AVX512_MACROS),
        _MATCH,
        _ONE_MATCHED,
    ),
    Level(
        "vaes",
        "VAES with AVX2",
        256,
        ("-mvaes", *_AES, "-mavx2", _TUNED),
        "FINALIST_VAES | FINALIST_AES | FINALIST_AVX2",
        _X86,
        ("__VAES__", *_AES_MACROS, "__AVX2__"),
        _MATCH,
        _ONE_MATCHED,
    ),
    Level(
        "aes",
        "AES-NI with SSE4.1",
        128,
        (*_AES, _TUNED),
        "FINALIST_AES",
        _X86,
        _AES_MACROS,
        _MATCH,
        _ONE_MATCHED,
    ),
    Level(
        "avx512_intel",
        "AVX-512 with VBMI, VBMI2 and GFNI, by Intel",
        512,
        (*_GFNI, *_AVX512),
        "FINALIST_GFNI | FINALIST_AVX512 | FINALIST_INTEL",
        _X86,
        _GFNI_MACROS,
        vendor="intel",
        kinds=("avx512-vaes intel",),
    ),
    Level(
        "avx512_zen5",
        "AVX-512 with VBMI, VBMI2 and GFNI on units of 512 bits, by AMD",
        512,
        (*_GFNI, *_AVX512, _TUNED),
        "FINALIST_GFNI | FINALIST_AVX512 | FINALIST_ZEN5",
        _X86,
        _GFNI_MACROS,
        vendor="amd",
        host_macros=("__AVX512VP2INTERSECT__",),
        kinds=("avx512-vp2intersect amd", *_AVX512_KINDS),
    ),
    Level(
        "avx512_gfni",
        "AVX-512 with VBMI, VBMI2 and GFNI",
        512,
        (*_GFNI, *_AVX512),
        "FINALIST_GFNI | FINALIST_AVX512",
        _X86,
        _GFNI_MACROS,
        kinds=_AVX512_KINDS,
    ),
    Level(
        "avx512",
        "AVX-512 (F, BW, DQ, VL)",
        512,
        _AVX512,
        "FINALIST_AVX512",
        _X86,
        _AVX512_MACROS,
        kinds=_AVX512_KINDS,
    ),
    AVX2_VAES,
    AVX2,
    Level(
        "simd128",
        "the vectors that every CPU of a kind has: SSE2, NEON",
        128,
        (),
        "FINALIST_SIMD128",
        "(defined(__SSE2__) || defined(__ARM_NEON))",
        ("__SSE2__",),
    ),
    PORTABLE,
)


def level(name: str) -> Level:
    """The level of that name."""
    return next(one for one in LEVELS if one.name == name)
