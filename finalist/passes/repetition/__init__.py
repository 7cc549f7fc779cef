"""Repetition in a graph: what rounds, key schedules and steps of hardware have in common as loops.

A *stretch* of a sequence of operations repeats itself; it is cut into *iterations* of one *period*, alike
position by position. What an operand is in all iterations together (`operands`): a value made in the same
iteration, or *carried* from the one that lies a *distance* before; an *invariant* from before the loop; or a
*series*, a value of its own for each iteration.
"""
