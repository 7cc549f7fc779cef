"""Modules are read as clang writes them, with types of pointers and without."""

from __future__ import annotations

import pytest

from finalist.llvm.module import (
    Bytes,
    Computed,
    Global,
    Instruction,
    Local,
    Number,
    Several,
    Typed,
    Undefined,
    Zeros,
)
from finalist.llvm.read import module
from finalist.llvm.tokens import NotReadError
from finalist.llvm.types import POINTER, VOID, Array, Int, Struct, Vector

BYTE, WORD, LONG = Int(8), Int(32), Int(64)

TYPED = r"""
; ModuleID = 'a.c'
target triple = "x86_64-pc-linux-gnu"
%struct.key = type { [4 x i32], i8 }

@key_bytes = dso_local constant i64 20, align 8
@S = internal unnamed_addr constant [4 x i8] c"a\00\\\22", align 1
@T = internal constant [2 x i32] [i32 -1, i32 7], align 4
@place = dso_local global i8* getelementptr inbounds ([4 x i8], [4 x i8]* @S, i64 0, i64 1), align 8
@none = external global i32, align 4

define i32 @f(i8* nocapture readonly %0, %struct.key* align 4 dereferenceable(20) %1, i32 zeroext %2) #0 {
  %4 = getelementptr inbounds %struct.key, %struct.key* %1, i64 0, i32 0, i64 3, !dbg !9
  %5 = load i32, i32* %4, align 4, !tbaa !5
  %6 = add nuw nsw i32 %5, -2, !dbg !9
  %7 = icmp ult i32 %6, %2
  br i1 %7, label %8, label %11

8:                                                ; preds = %3
  %9 = call i32 @llvm.fshl.i32(i32 %6, i32 %6, i32 7)
  %10 = zext i8 3 to i32
  store i32 %9, i32* %4, align 4
  br label %11

11:                                               ; preds = %8, %3
  %12 = phi i32 [ %9, %8 ], [ undef, %3 ]
  ret i32 %12
}

declare i32 @llvm.fshl.i32(i32, i32, i32) #1

attributes #0 = { nounwind }
!9 = !DILocation(line: 42, column: 3, scope: !7)
"""
#: The same without types of pointers, as LLVM has it since 15, and with names of blocks.
OPAQUE = r"""
%struct.key = type { [4 x i32], i8 }
@S = internal constant [4 x i8] zeroinitializer
define i32 @f(ptr noundef %in, ptr noundef captures(none) %k, <2 x i16> %v) {
entry:
  %room = alloca [4 x i32], align 16
  %p = getelementptr inbounds nuw i8, ptr %in, i64 4
  %w = shufflevector <2 x i16> %v, <2 x i16> poison, <4 x i32> <i32 0, i32 undef, i32 1, i32 0>
  %e = extractelement <4 x i16> %w, i64 2
  %s = select i1 true, <2 x i16> %v, <2 x i16> <i16 1, i16 -1>
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 16 %room, ptr align 4 @S, i64 4, i1 false)
  ret i32 0
}
"""


def body(text: str, label: str) -> list[Instruction]:
    return module(text).functions["f"].blocks[label]


def test_variables() -> None:
    found = module(TYPED).variables
    assert set(found) == {"key_bytes", "S", "T", "place"}
    assert found["key_bytes"].initial == Number(20) and found["key_bytes"].constant
    assert found["S"].initial == Bytes(b'a\0\\"')
    assert found["T"].initial == Several((Typed(WORD, Number(0xFFFFFFFF)), Typed(WORD, Number(7))))
    assert not found["place"].constant
    initial = found["place"].initial
    assert isinstance(initial, Computed) and initial.instruction.about == Array(4, BYTE)
    assert [one.value for one in initial.instruction.operands] == [Global("S"), Number(0), Number(1)]
    assert module(OPAQUE).variables["S"].initial == Zeros()


def test_a_function() -> None:
    function = module(TYPED).functions["f"]
    assert function.params == [("0", POINTER), ("1", POINTER), ("2", WORD)]
    assert function.entry == "3" and list(function.blocks) == ["3", "8", "11"]
    assert module(OPAQUE).functions["f"].entry == "entry"


def test_instructions() -> None:
    place, load, add, less, branch = body(TYPED, "3")
    assert place.about == Struct((Array(4, WORD), BYTE)) and place.line == 42
    assert [one.value for one in place.operands] == [Local("1"), Number(0), Number(0), Number(3)]
    assert (load.op, load.type, load.result, load.line) == ("load", WORD, "5", 0)
    assert add.operands == (Typed(WORD, Local("5")), Typed(WORD, Number(0xFFFFFFFE)))
    assert (less.detail, less.type, less.operands[0].type) == ("ult", Int(1), WORD)
    assert branch.labels == ("8", "11")
    call, extend, store, jump = body(TYPED, "8")
    assert (call.detail, call.type, len(call.operands)) == ("llvm.fshl.i32", WORD, 3)
    assert (extend.operands[0].type, extend.type) == (BYTE, WORD)
    assert (store.type, len(store.operands), jump.labels) == (VOID, 2, ("11",))
    phi, _ = body(TYPED, "11")
    assert phi.labels == ("8", "3") and phi.operands[1].value == Undefined()


def test_vectors_and_pointers_without_types() -> None:
    room, place, shuffle, extract, select, copy, _ = body(OPAQUE, "entry")
    assert room.about == Array(4, WORD) and place.about == BYTE
    assert shuffle.lanes == (0, None, 1, 0) and shuffle.type == Vector(4, Int(16))
    assert extract.type == Int(16)
    assert select.type == Vector(2, Int(16)) and isinstance(select.operands[2].value, Several)
    assert [one.type for one in copy.operands] == [POINTER, POINTER, LONG, Int(1)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("  %1 = fadd double 1.0, 2.0", "no meaning of fadd"),
        ("  %1 = add i32 1", "'' where ',' is expected"),
        ("  %1 = load what, ptr %x", "'what' where a type is expected"),
        ("  call void %x()", "a call of %x"),
        ("  %1 = add i32 1, ?", "where a value is expected"),
    ],
)
def test_what_is_not_read_is_named(line: str, message: str) -> None:
    with pytest.raises(NotReadError, match=rf"line 3: .*{message}"):
        module(f"@S = global i8 0\ndefine void @f() {{\n{line}\n  ret void\n}}\n")


def test_a_function_without_end() -> None:
    with pytest.raises(NotReadError, match="f has no end"):
        module("define void @f() {\n  ret void\n")
