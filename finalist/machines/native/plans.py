"""Which passes a schedule asks for on the host CPU, in their order.

- words and lanes of blocks: `narrowing`, `lowering`, `layout`, `amounts`, a loop of rounds, `finish`;
- bits: `word_passes`, `on_bits`, `key_bit_passes`, a loop of rounds, `finish_bits`;
- bits of bytes: `to_bytes`, `on_bytes`, a loop of rounds, `FINISH_BYTES`.

Three choices depend on what passes have found and are made between two runs: the width of vectors
(`resolve.resolve`), and so gates of three inputs; whether the block's bytes are spread (`vectors.spread`);
whether rounds are alike, and so a loop (`machine`, `slices.sliced`).
"""

from __future__ import annotations

from finalist.ir.equal import shared
from finalist.machines.native.passes import byteslice
from finalist.machines.native.passes.byteslice import parts
from finalist.machines.native.passes.lanes import halves, planes
from finalist.machines.native.passes.lanes import narrow as lanes
from finalist.machines.native.passes.lanes.disjoint import with_disjoint_words_joined
from finalist.machines.native.passes.lanes.halves import with_small_amounts
from finalist.machines.native.passes.rounds import doubled_words
from finalist.machines.native.passes.rounds.nested import with_inner_rounds
from finalist.machines.native.passes.rounds.order import ordered, with_calls_in_turns
from finalist.machines.native.passes.rounds.overwritten import with_last_reads_last
from finalist.machines.native.passes.rounds.rotations import with_rotated_words
from finalist.machines.native.passes.scalars import masks, readiness
from finalist.machines.native.passes.scalars.alignment import aligned, with_byte_indices
from finalist.machines.native.passes.scalars.early_stores import with_early_stores
from finalist.machines.native.passes.scalars.exchanges import with_exchanges
from finalist.machines.native.passes.scalars.forwarding import with_forwarding
from finalist.machines.native.passes.scalars.products import with_products_first
from finalist.machines.native.passes.scalars.read_ahead import with_reads_ahead
from finalist.machines.native.passes.scalars.readiness import by_readiness
from finalist.machines.native.passes.scalars.swaps import with_quick_swaps
from finalist.machines.native.passes.scalars.whole_keys import with_whole_round_keys
from finalist.machines.native.resolve import WORD_BITS
from finalist.machines.native.shape import Shape
from finalist.machines.native.vectors import logic, transpositions
from finalist.machines.native.vectors.narrow import NARROW
from finalist.passes import bitslice, counters, hoist, legalise, linear
from finalist.passes.bitslice import sboxes
from finalist.passes.driver import Plan, on_kernel, on_keys, when, whole
from finalist.passes.pipeline import byte_passes, key_schedule_passes, narrow_passes, passes
from finalist.passes.ternary import with_ternary_gates
from finalist.schedule import Schedule

_ORDER = on_kernel("order", ordered)
_DISJOINT = on_kernel("disjoint words", with_disjoint_words_joined)
_TERNARY = on_kernel("ternary gates", with_ternary_gates)
_PRODUCTS = on_kernel("products first", with_products_first)
_LAST_READS = on_kernel("last reads last", with_last_reads_last)
#: Kernels of several key lengths that are equal go through what follows once.
SHARED_KERNELS = on_kernel("equal kernels", shared)
INNER_ROUNDS = (on_kernel("inner rounds", with_inner_rounds),)
#: Blocks of a stream cipher side by side, where all that they hand on is counters.
COUNTED = (whole("counters", counters.counted),)
FINISH_BYTES = (on_kernel("bytes of a block", byteslice.with_blocks),)


def narrowing(word: int) -> Plan:
    """Words, or lanes, of so many bits at most."""
    return (
        whole("narrow lanes", lanes.run, word) if word in NARROW else whole("legalise", legalise.run, word),
    )


def lowering(schedule: Schedule, in_use: Schedule, *, ternary: bool = False, shallow: bool = False) -> Plan:
    """What depends on no layout; ``in_use``: the defaults of `fuse`."""
    keying, narrow = schedule.keyed_tables or "full", schedule.word in NARROW
    fuse = next(f for f in (schedule.fuse, in_use.fuse, 0 if narrow else 32) if f is not None)
    if narrow:
        by_permute = schedule.lookup == "permute" and schedule.word == NARROW[0]
        return narrow_passes(fuse, keying, by_permute=by_permute, ternary=ternary)
    whole_words = schedule.word in (None, WORD_BITS[-1]) and (schedule.planes or 1) == 1
    legal = transpositions.is_transposition if whole_words else linear.no_legal_maps
    # A key schedule's maps, such as PC2 of DES, are looked up once a key: what is wide is less to do there.
    # Where the kernel has no address that tells its index, the key schedule gets none that it had not.
    tells = schedule.lookup in (None, "load", "gather") and not schedule.constant_time
    key_fuse, alone = WORD_BITS[-1] if fuse and tells else None, schedule.blocks == 1
    return passes(fuse, keying, ternary=ternary, shallow=shallow, legal=legal, key_fuse=key_fuse, alone=alone)


def layout(schedule: Schedule, shape: Shape) -> Plan:
    """The forms that operations take on planes, in vectors and in scalar code."""
    if shape.registers:
        return ()
    scalar, alone = shape.lanes == 1, shape.lanes == shape.copies == 1
    doubled = alone and schedule.lookup == "load" and schedule.word == WORD_BITS[-1]
    in_planes = whole("planes", planes.run, shape.planes, ternary=shape.bits == logic.BITS)
    return (
        *when(shape.planes > 1, in_planes, whole("hoist from planes", hoist.run)),
        *when(
            not scalar and shape.lane_bits == halves.WORD,
            whole("halves", halves.run),
            whole("hoist from halves", hoist.run, extended=False),
        ),
        # Scalars wait for one another; in vectors nothing waits, and a key word costs more.
        *when(
            scalar,
            whole("sums", readiness.run),
            whole("masks", masks.run),
            _PRODUCTS,
            on_kernel("rotated words", with_rotated_words),
        ),
        *when(doubled, whole("doubled words", doubled_words.run)),
        *when(
            alone,
            on_kernel("quick swaps", with_quick_swaps),
            whole("whole round keys", with_whole_round_keys),
        ),
        on_keys("key schedule's reads ahead", with_reads_ahead),
        on_keys("key schedule's forwarding", with_forwarding),
        on_keys("readiness", by_readiness),
        on_keys("early stores", with_early_stores),
        *when(schedule.sums == "ready", on_kernel("readiness", by_readiness)),
    )


def amounts(shape: Shape) -> Plan:
    """Amounts of rotations, as vectors take them."""
    return when(shape.lanes > 1 and not shape.registers, on_kernel("small amounts", with_small_amounts))


def finish(schedule: Schedule, shape: Shape) -> Plan:
    """After rounds have become a loop: statements and their order."""
    if shape.registers:
        return ()
    wide, scalar = shape.bits == logic.BITS, shape.lanes == 1
    return (
        *when(
            scalar and shape.copies == 1,
            on_kernel("exchanged entries", with_exchanges),
            on_kernel("forwarding", with_forwarding),
        ),
        *when(wide, _DISJOINT, _TERNARY),
        *when(shape.planes > 1, _ORDER),
        *when(wide, _LAST_READS),
        *when(scalar, on_kernel("alignment", aligned)),
        *when(scalar and schedule.lookup == "load", on_kernel("byte indices", with_byte_indices)),
    )


def on_bits(choice: str, *, ternary: bool) -> Plan:
    """The kernel on bits; ``choice``: what of the schedule asks for it."""
    return (whole("bitslice", bitslice.run, choice, ternary=ternary),)


def finish_bits(*, ternary: bool) -> Plan:
    """Lookups of bits as gates, and the order of these."""
    gates = on_kernel("gates", sboxes.with_gates, ternary=ternary)
    calls = on_kernel("calls in turns", with_calls_in_turns)
    return (_ORDER, gates, calls, *when(ternary, _TERNARY, _LAST_READS))


def to_bytes() -> Plan:
    """The kernel on bytes."""
    return (*narrowing(parts.BYTE), *byte_passes())


def on_bytes(choice: str, period: int) -> Plan:
    """The kernel on bits of bytes; ``period``: rounds of an iteration, 0 for no loop."""
    return (whole("byteslice", byteslice.run, choice, period=period), *key_schedule_passes())
