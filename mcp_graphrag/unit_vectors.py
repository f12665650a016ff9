"""Vectors of length 1."""

import numpy as np

from mcp_graphrag.model import Matrix


def unit_vectors(rows: Matrix) -> Matrix:
    """Each row divided by its length, of the same shape; a row of zeros stays zeros."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
