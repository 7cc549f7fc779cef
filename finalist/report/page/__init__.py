"""The page of all figures: one HTML file with its plots, tables, scripts and data, which needs no network.

``points.py``: programs with their figures, as the page has them; ``views.py``: which plots there are, of
which programs; ``papers.py``: the published tables with ours beside and the verdicts; ``tables.py``: HTML of
tables; ``sections.py``: the parts of the page, told of in ``sections.json``; ``page.py``: all of that as one
file, from ``page.html``, ``page.css``, ``page.js``; ``printed.py``: as PDF and PNG.
"""
