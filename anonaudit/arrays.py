"""Names for the types of numpy arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Index = npt.NDArray[np.intp]  # positions in another array
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
