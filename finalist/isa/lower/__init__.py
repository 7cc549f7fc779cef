"""From the operations of a graph to instructions on words: each value a term, covered by meanings."""
