"""What the simulator predicts against what was reported: rows, the kernels they name, and the page made of them."""
