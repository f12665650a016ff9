"""Makes the trained weights small: int8 with a scale per row for the embedding, float16 for the rest.

Run: export_weights.py TRAINED.npz WEIGHTS.npz
"""

import sys

import numpy as np

LISTS = ("words", "tags", "labels", "layers")


def main() -> None:
    trained = np.load(sys.argv[1])
    arrays: dict[str, np.ndarray] = {}
    for key in trained.files:
        if key in LISTS:
            arrays[key] = np.frombuffer(str(trained[key]).encode(), dtype=np.uint8)
        elif key == "embedding":
            scale = np.maximum(np.abs(trained[key]).max(axis=1) / 127, 1e-8).astype(np.float16)
            arrays["embedding_scale"] = scale
            arrays[key] = np.clip(np.round(trained[key] / scale[:, None].astype(np.float32)), -127, 127).astype(np.int8)
        else:
            arrays[key] = trained[key].astype(np.float16)
    np.savez(sys.argv[2], **arrays)


if __name__ == "__main__":
    main()
