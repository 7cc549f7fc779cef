"""Single faults of a module's source: an operator, a constant, a condition, a statement that is another one.

Of the operators of mutation testing (R. DeMillo, R. Lipton, F. Sayward, "Hints on Test Data Selection", 1978)
those that slips of programmers look like. What no test can tell from the original is left out: annotations,
docstrings, messages of errors, decorators, `__slots__`, protocols.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

#: What an operator is replaced by.
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of a source, from ``start`` to ``stop``, and what stands there instead; ``line``: from 1."""

    line: int
    start: int
    stop: int
    before: str
    after: str

    def planted(self, source: str) -> str:
        """The source with the fault."""
        return source[: self.start] + self.after + source[self.stop :]

    def lines(self, source: str) -> tuple[str, str]:
        """The lines that it is in, without and with it, as one each: what it is, wherever it stands."""
        first = source.rfind("\n", 0, self.start) + 1
        rest = source[self.stop :].partition("\n")[0]
        before, after = (source[first : self.start] + part + rest for part in (self.before, self.after))
        return _one_line(before), _one_line(after)

    def __str__(self) -> str:
        return f"line {self.line}: {_short(self.before)}  ->  {_short(self.after)}"


def faults(source: str) -> list[Fault]:
    """All faults that can be planted in a module."""
    found = _Finder(source)
    found.visit(ast.parse(source))
    return found.faults


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    text = _one_line(text)
    return text if len(text) <= 60 else text[:57] + "..."


class _Finder(ast.NodeVisitor):
    def __init__(self, source: str) -> None:
        self.source = source
        self.faults: list[Fault] = []
        lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))
        self._lines = lines

    # -- what is passed over ----------------------------------------------------------------------

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d)):
            self.visit(default)
        self._body(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases):
            self._body(node.body)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if not names & {"__slots__", "__all__"}:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """A message is no behaviour; that something is refused is one."""
        self._replace(node, "pass")

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self.generic_visit(node)

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # a docstring, or an ellipsis
            self.visit(statement)

    # -- what is changed ----------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> None:
        self.generic_visit(node)
        if len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
            self._unparsed(node, ast.Compare(node.left, [_COMPARED[type(node.ops[0])]()], node.comparators))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        texts = any(
            isinstance(side, ast.JoinedStr | ast.Constant) and _is_text(side) for side in _sides(node)
        )
        if type(node.op) in _COMPUTED and not texts:
            self._unparsed(node, ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.generic_visit(node)
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._unparsed(node, ast.BoolOp(other, node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            self._unparsed(node, node.operand)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.generic_visit(node)
        self._unparsed(node, ast.IfExp(node.test, node.orelse, node.body))

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace(node, str(not node.value))
        elif isinstance(node.value, int):
            self._replace(node, str(node.value + 1))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass  # text

    def visit_Expr(self, node: ast.Expr) -> None:
        """A call for what it does is left out."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Call):
            self._replace(node, "pass")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.generic_visit(node)
        self._replace(node, "pass")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace(node, "break")

    def visit_Break(self, node: ast.Break) -> None:
        self._replace(node, "pass")

    # -- places ------------------------------------------------------------------------------------

    def _unparsed(self, node: ast.expr, other: ast.expr) -> None:
        self._replace(node, f"({ast.unparse(ast.fix_missing_locations(other))})")

    def _replace(self, node: ast.expr | ast.stmt, after: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, stop = self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset)
        self.faults.append(Fault(node.lineno, start, stop, self.source[start:stop], after))

    def _at(self, line: int, column: int) -> int:
        """``column``: in bytes of UTF-8, as the parser counts."""
        text = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(text)


def _sides(node: ast.BinOp) -> Iterator[ast.expr]:
    yield node.left
    yield node.right


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
