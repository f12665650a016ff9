"""Repositories that tests make with git, one commit after the other, each an hour after the last."""

import os
import subprocess
from pathlib import Path

OWN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


class Repository:
    """A repository in a folder, which is made."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self._hour = folder.resolve(), 0
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, author: str = "Ann Lée") -> str:
        """What a command writes."""
        names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in self._person(author)}
        command = ["git", "-c", "core.quotePath=false", "-C", str(self.folder), *arguments]
        run = subprocess.run(command, env={**os.environ, **OWN, **names}, check=True, capture_output=True)
        return run.stdout.decode().strip()

    def _person(self, author: str) -> list[tuple[str, str]]:
        day, hour = divmod(self._hour, 24)
        date = f"2024-03-{day + 1:02}T{hour:02}:00:00Z"
        return [("NAME", author), ("EMAIL", f"{author.partition(' ')[0].lower()}@example.org"), ("DATE", date)]

    def commit(self, message: str, files: dict[str, str], *, author: str = "Ann Lée") -> str:
        """The name of a new commit of these texts, by path."""
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8", newline="\n")
        self.git("add", "-A")
        self._hour += 1
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message, author=author)
        return self.git("rev-parse", "HEAD")[:12]
