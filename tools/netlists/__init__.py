"""Figures of the netlists of the paper's designs, mapped anew."""
