"""Plots as Vega-Lite specifications: what a command's table says, as marks on axes.

A module a plot; in each one function, `plot`, takes a command's figures and returns the specification: plain
data, which needs no library. `style` has what they share, `render` makes files of them.
"""
