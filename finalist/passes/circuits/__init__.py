"""Small boolean circuits for tables that are computed on bit slices.

`lower` asks the `library` of stored circuits, or else `synthesise`: by what a table is made of (`structures`:
`fields`, `nibbles`, `quadratic`, `steps`, put together with `assembly` and `sums`), or by `diagrams`. What is
kept was found by the programs of `tools/circuits`, which are no part of the package.
"""
