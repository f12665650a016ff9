import contextlib
import os
from collections.abc import Iterable
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from repeated import repeated

from mcp_graphrag.errors import BadInput, NotAllowed, Unreadable
from mcp_graphrag.ingest import FoundFile, find_files, names_below, read_found_file
from mcp_graphrag.ingest.find_files import resolve_allowed
from mcp_graphrag.model import Skipped


def write(path: Path, content: str | bytes = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def link(path: Path, target: Path) -> None:
    try:
        path.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        pytest.skip("this system does not allow symbolic links")


def hard_link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.hardlink_to(target)
    except OSError:
        pytest.skip("this file system has no hard links")


def listed(results: Iterable[FoundFile | Skipped], top: Path) -> list[str]:
    """The names of found files relative to `top`, and `name: reason` for skipped ones."""
    lines = [result.name if isinstance(result, FoundFile) else f"{result.what}: {result.reason}" for result in results]
    return [line.replace(f"{top}{os.sep}", "").replace(os.sep, "/") for line in lines]


def only_file(path: Path, *, max_bytes: int = 99) -> FoundFile:
    """The one file at or below a path, which is the root."""
    (found,) = find_files([path], roots=[path], max_bytes=max_bytes)
    assert isinstance(found, FoundFile)
    return found


def test_files_of_a_folder_are_sorted_and_skipped_ones_have_a_reason(tmp_path: Path) -> None:
    write(tmp_path / "b.txt")
    write(tmp_path / "a" / "z.md")
    write(tmp_path / "a" / "big.md", "x" * 1001)
    write(tmp_path / "c.bin2", b"a\0b")
    write(tmp_path / "d.txt", "ä".encode("utf-16"))
    write(tmp_path / "e.txt", "")
    write(tmp_path / "f.PNG")
    write(tmp_path / "node_modules" / "x.md")
    write(tmp_path / "a" / "__pycache__" / "x.md")
    assert listed(find_files([tmp_path], roots=None, max_bytes=1000), tmp_path) == [
        "a/big.md: larger than max_file_mb: 1,001 bytes, the limit is 1,000",
        "a/z.md",
        "b.txt",
        "c.bin2: binary",
        "d.txt",
        "e.txt: empty",
        "f.PNG: no reader for .png files",
    ]


def test_gitignore_applies_below_its_folder_and_the_nearest_takes_precedence(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*.log\n/secret/\n[\n")
    write(tmp_path / "a.log")
    write(tmp_path / "secret" / "a.md")
    write(tmp_path / "sub" / ".gitignore", "!keep.log\n/only.md\n")
    write(tmp_path / "sub" / "keep.log")
    write(tmp_path / "sub" / "drop.log")
    write(tmp_path / "sub" / "only.md")
    write(tmp_path / "sub" / "secret" / "only.md")
    kept = ["sub/keep.log", "sub/secret/only.md"]
    assert listed(find_files([tmp_path], roots=None, ignore=[".gitignore"], max_bytes=1000), tmp_path) == kept


def test_globs_and_ignore_apply_only_below_named_folders(tmp_path: Path) -> None:
    named = write(tmp_path / "named.txt")
    write(tmp_path / "top" / "a.md")
    write(tmp_path / "top" / "a.txt")
    write(tmp_path / "top" / "sub" / "b.md")
    write(tmp_path / "top" / "drafts" / "c.md")
    paths = [named, tmp_path / "top", tmp_path / "top" / "a.md"]
    results = find_files(paths, roots=None, globs=["**/*.md"], ignore=["drafts/"], max_bytes=1000)
    assert listed(results, tmp_path) == ["named.txt", "top/a.md", "top/sub/b.md"]


@pytest.mark.parametrize("what", ["globs", "ignore"])
def test_what_is_no_pattern_is_refused(what: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {what: ["*.md", "a\\"]}
    with pytest.raises(BadInput, match=r"^'a.*' is no pattern of "):
        find_files([tmp_path], roots=None, max_bytes=1000, **given)


def test_file_names_are_as_the_caller_wrote_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "docs" / "a.md")
    monkeypatch.chdir(tmp_path)
    real = tmp_path.resolve() / "docs" / "a.md"
    found = only_file(Path("docs"), max_bytes=9)
    assert (found.path, found.name, found.size, found.max_bytes) == (real, str(Path("docs/a.md")), 1, 9)
    assert abs(found.modified.replace(tzinfo=UTC).timestamp() - real.stat().st_mtime) < 1


@pytest.mark.parametrize(
    ("roots", "hint"),
    [
        ([], "No files may be read: start the server with --root DIR."),
        ([Path("inside")], "Name a path below ROOT, or start the server with another --root DIR."),
    ],
)
def test_a_named_path_outside_the_roots_is_rejected_whether_it_exists_or_not(
    roots: list[Path], hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "inside" / "a.md")
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        with pytest.raises(NotAllowed) as caught:
            find_files([Path("inside/../outside")], roots=roots, max_bytes=9)
        said = str(caught.value).replace(str(tmp_path / "inside"), "ROOT").replace(os.sep, "/")
        assert said == f"inside/../outside is outside the folders that may be read. {hint}"
        write(tmp_path / "outside" / "b.md")


def test_a_path_inside_the_roots_is_found(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b.md")
    assert listed(find_files([tmp_path / "a"], roots=[tmp_path / "x", tmp_path], max_bytes=9), tmp_path) == ["a/b.md"]


@pytest.mark.parametrize("name", ["nowhere", "nul\0"])
def test_a_missing_path_is_reported(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as caught:
        find_files([Path(name)], roots=None, max_bytes=9)
    assert str(caught.value) == f"{name} does not exist. Check the path; relative paths start at the working folder."


def test_links_are_followed_once_and_only_inside_the_roots_or_what_is_named(tmp_path: Path) -> None:
    top, outside = tmp_path / "top", tmp_path / "outside"
    write(top / "real" / "a.md")
    write(outside / "b.md")
    link(top / "loop", top)
    link(top / "again", top / "real")
    link(top / "out", outside)
    link(top / "out.md", outside / "b.md")
    link(top / "self", top / "self")
    reason = "leads outside the folders that may be read"
    for roots in ([top], None):
        assert listed(find_files([top], roots=roots, max_bytes=9), top) == [
            "again/a.md",
            f"out: {reason}",
            f"out.md: {reason}",
            "self: loop of links",
        ]
    with pytest.raises(NotAllowed):
        find_files([top / "out.md"], roots=[top], max_bytes=9)
    assert listed(find_files([top / "out", top / "out.md"], roots=None, max_bytes=9), top) == ["out/b.md"]
    assert listed(find_files([top, outside], roots=None, max_bytes=9), top)[1:] == ["out/b.md", "self: loop of links"]


def test_a_pipe_is_skipped_without_blocking(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes in folders")
    os.mkfifo(tmp_path / "pipe")
    assert listed(find_files([tmp_path], roots=None, max_bytes=9), tmp_path) == ["pipe: not a regular file"]


def test_a_found_file_is_read(tmp_path: Path) -> None:
    assert read_found_file(only_file(write(tmp_path / "a.md", b"\xff\r\n"))) == b"\xff\r\n"


def test_a_file_replaced_by_a_link_is_not_read(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret", "password")
    path = write(tmp_path / "top" / "a.md")
    found = only_file(tmp_path / "top")
    path.unlink()
    link(path, secret)
    with pytest.raises(BadInput, match="not a regular file"):
        read_found_file(found)


def test_a_file_whose_folder_was_replaced_by_a_link_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "other" / "a.md", "password")
    path = write(tmp_path / "top" / "sub" / "a.md")
    found = only_file(tmp_path / "top")
    path.unlink()
    path.parent.rmdir()
    link(path.parent, tmp_path / "other")
    with pytest.raises(Unreadable, match="was replaced while it was being read"):
        read_found_file(found)


def test_a_file_exchanged_for_a_link_again_and_again_never_leaks(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.md", "password")
    path = write(tmp_path / "top" / "a.md", "open")
    spare, read = tmp_path / "spare", set[bytes]()
    link(spare, secret)
    spare.unlink()

    def exchange() -> None:
        spare.symlink_to(secret)
        spare.replace(path)
        spare.write_text("open", encoding="utf-8")
        spare.replace(path)

    with repeated(exchange):
        for _ in range(600):
            found = next(iter(find_files([tmp_path / "top"], roots=[tmp_path / "top"], max_bytes=99)), None)
            if isinstance(found, FoundFile):
                with contextlib.suppress(Unreadable):
                    read.add(read_found_file(found))
    assert read <= {b"open", b""}


def test_a_folder_exchanged_for_a_link_again_and_again_never_leaks(tmp_path: Path) -> None:
    write(tmp_path / "other" / "a.md", "password")
    folder, spare, read = write(tmp_path / "top" / "sub" / "a.md", "open").parent, tmp_path / "spare", set[bytes]()
    found = only_file(tmp_path / "top")
    link(tmp_path / "link", tmp_path / "other")

    def exchange() -> None:
        folder.rename(spare)
        (tmp_path / "link").rename(folder)
        folder.rename(tmp_path / "link")
        spare.rename(folder)

    with repeated(exchange):
        for _ in range(3_000):
            with contextlib.suppress(Unreadable):
                read.add(read_found_file(found))
    assert read <= {b"open"}


def _remove_chain(folder: Path) -> None:
    """Remove a chain of folders, which is too deep for whoever cleans up behind the tests."""
    open_folders = [os.open(folder, os.O_RDONLY)]
    while "d" in os.listdir(open_folders[-1]):  # noqa: PTH208  (by descriptor: the path is too long)
        deeper = os.open("d", os.O_RDONLY, dir_fd=open_folders[-1])
        open_folders.append(deeper)
    for above in reversed(open_folders[:-1]):
        os.rmdir("d", dir_fd=above)
    for each in open_folders:
        os.close(each)


@pytest.mark.parametrize("folders", [1, 3])
def test_more_files_than_one_ingest_reads_are_refused(tmp_path: Path, folders: int) -> None:
    for number in range(30):
        write(tmp_path / str(number % folders) / f"{number}.md", "a")
    write(tmp_path / "few" / "a.txt", "a")

    with pytest.raises(BadInput, match=r"more than 20 files below .* Name folders in it"):
        list(find_files([tmp_path], roots=None, max_bytes=99, max_files=20))
    assert len(list(find_files([tmp_path], roots=None, globs=["*.txt"], max_bytes=99, max_files=20))) == 1


def test_a_deep_chain_of_folders_is_walked_without_looking_at_all_above_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top, depth, looked_at, lstat = tmp_path / "top", 400, list[object](), os.lstat
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)

    def look(path: str, **more: Any) -> os.stat_result:
        looked_at.append(path)
        return lstat(path, **more)

    monkeypatch.setattr(os, "lstat", look)

    results = list(find_files([top], roots=[tmp_path], max_bytes=9))

    assert all(isinstance(each, Skipped) for each in results)
    assert 0 < len(looked_at) < 10 * depth, "depth² / 2 where the real path of each folder is found anew"
    monkeypatch.undo()
    _remove_chain(top)


def test_a_file_that_grew_or_disappeared_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "a.md")
    found = only_file(Path("a.md"), max_bytes=9)
    write(path, "x" * 10)
    with pytest.raises(BadInput) as caught:
        read_found_file(found)
    assert str(caught.value) == (
        "a.md cannot be read: larger than max_file_mb: 10 bytes, the limit is 9."
        " Leave it out, or raise the setting max_file_mb."
    )
    path.unlink()
    with pytest.raises(BadInput, match=r"^a\.md cannot be read: No such file"):
        read_found_file(found)


def test_an_unreadable_file_or_folder_is_skipped(tmp_path: Path) -> None:
    write(tmp_path / "a.md").chmod(0)
    (tmp_path / "b").mkdir(mode=0)
    if os.access(tmp_path / "a.md", os.R_OK):
        pytest.skip("this user may read everything")
    try:
        assert listed(find_files([tmp_path], roots=None, max_bytes=9), tmp_path) == [
            "a.md: unreadable: Permission denied",
            f"{tmp_path / 'b'}: unreadable: Permission denied".replace(f"{tmp_path}{os.sep}", ""),
        ]
    finally:
        (tmp_path / "b").chmod(0o700)


def test_roots_match_paths_in_another_case_on_case_insensitive_file_systems(tmp_path: Path) -> None:
    root = tmp_path / "Docs"
    write(root / "a.md")
    swapped = tmp_path / "dOCS" / "a.md"
    assert (resolve_allowed(swapped, [root.resolve()]) is not None) == swapped.exists()


def test_a_hard_link_to_a_file_outside_the_roots_is_refused_and_one_between_them_is_not(tmp_path: Path) -> None:
    one, other, secret = tmp_path / "one", tmp_path / "other", write(tmp_path / "secret.md")
    hard_link(one / "leak.md", secret)
    hard_link(one / "copy.md", write(other / "a.md"))
    hard_link(one / "store.md", write(one / "node_modules" / ".store" / "b.md"))
    refused = "leak.md: a hard link, with another name outside the folders that may be read"
    found = listed(find_files([one], roots=[one, other, other / ".." / "other"], max_bytes=9), one)
    assert found == ["copy.md", refused, "store.md"]
    assert listed(find_files([one / "leak.md"], roots=[one], max_bytes=9), one) == [refused]
    assert listed(find_files([one], roots=None, max_bytes=9), one) == ["copy.md", "leak.md", "store.md"]


def test_a_file_exchanged_for_a_hard_link_is_not_read(tmp_path: Path) -> None:
    secret, path = write(tmp_path / "secret.md"), write(tmp_path / "top" / "a.md")
    found = only_file(path)
    path.unlink()
    hard_link(path, secret)
    with pytest.raises(Unreadable, match="was replaced while it was being read"):
        read_found_file(found)


def test_hard_links_among_too_many_files_to_list_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hard_link(tmp_path / "top" / "a.md", write(tmp_path / "secret.md"))
    write(tmp_path / "top" / "b.md")
    monkeypatch.setattr(names_below, "MAX_NAMES", 1)
    assert listed(find_files([tmp_path / "top"], roots=[tmp_path / "top"], max_bytes=9), tmp_path / "top") == [
        "a.md",
        "b.md",
    ]
