"""From instructions on numbered words to text: which words are alive, their order, their registers."""
