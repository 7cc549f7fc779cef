"""LLVM's intermediate representation of C, as clang writes it: types, modules, the reader of its text."""
