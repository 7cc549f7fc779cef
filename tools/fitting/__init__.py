"""How the FPGA's area and clock are fitted to the paper's designs, and how well that predicts a cipher."""
