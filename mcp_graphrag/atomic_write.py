"""Files that are written whole or not at all."""

import os
import secrets
from pathlib import Path

BINARY = getattr(os, "O_BINARY", 0)  # of Windows, which would write other line ends


def write_whole(path: Path, text: str, *, mode: int | None = None) -> None:
    """Put a text in UTF-8 into a file with these permissions, in place of what it had; None: those of a new file.

    Raises OSError; the file is then as it was.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
    try:
        with os.fdopen(os.open(partial, flags, mode or 0o666), "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            partial.chmod(mode)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
