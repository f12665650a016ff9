"""One entry of a host's file is written and taken back, on a home of its own."""

import os
import stat
from pathlib import Path
from types import ModuleType

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.hosts import json_text, toml_text, yaml_text
from mcp_graphrag.hosts.host import HOSTS, Host, Places, host_named, user_places, words_of
from mcp_graphrag.hosts.install import Installer

WORDS = ["/opt/venv/bin/mcp-graphrag", "serve"]
FOREIGN = {
    json_text: '\ufeff// mine\n{\n\t"theme": "dark", /* keep */\n\t"{key}": {\n\t\t"other": {} // last\n\t},\n}\n',
    toml_text: '# mine\nmodel = "o"\n\n[{key}.other] # keep\ncommand = "x"\n# last\n',
    yaml_text: "# mine\nmodel: o\n{key}:\n    other: # keep\n        enabled: true\n        args:\n        - a\nz: 1\n",
}
BROKEN = {
    json_text: ['{"{key}": {', '{"a": 1} {', '{"{key}": []}', '{"a": 01}', "[]"],
    toml_text: ["[{key}", "{key} = 1", '{key} = {other = {command = "x"}}'],
    yaml_text: ["{key}: [a", "- a: {\n  b", "{key}:\n  other:\n\tb", "model o\n"],
}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    home = tmp_path / "home"
    return Places(home, home / "xdg", home / "app", home, home / "codex", home / "goose")


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    return Installer(tmp_path / "state")


def text_for(host: Host, texts: dict[ModuleType, str]) -> str:
    return texts[host.format].replace("{key}", host.keys[0]).replace("\n", "\r\n")


def written(path: Path, text: str) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path.read_bytes()


def install(installer: Installer, host: Host, path: Path, words: list[str] = WORDS) -> str:
    change = installer.installing(host, path, words)
    installer.apply(change)
    return change.done


def uninstall(installer: Installer, host: Host, path: Path) -> str:
    change = installer.uninstalling(host, path)
    installer.apply(change)
    return change.done


@pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])
def test_a_host_gets_one_entry_and_every_byte_back(host: Host, places: Places, installer: Installer) -> None:
    path = host.path(places, None)
    assert not path.exists()
    assert install(installer, host, path) == "installed"
    assert installer.entry_words(host, path) == WORDS
    assert (uninstall(installer, host, path), path.exists()) == ("restored", False)

    former = written(path, text_for(host, FOREIGN))
    assert install(installer, host, path) == "installed"
    made = path.read_text("utf-8-sig")
    kept = [line for line in former.decode("utf-8-sig").splitlines() if line.rstrip(",") in made]
    assert len(kept) >= len(former.splitlines()) - 1  # a comma may have come behind one value
    assert host.format.get(made, [*host.keys, "other"]) is not None
    installed = path.read_bytes()
    assert (install(installer, host, path), path.read_bytes()) == ("installed already", installed)
    assert (uninstall(installer, host, path), path.read_bytes()) == ("restored", former)
    assert uninstall(installer, host, path) == "not installed"


@pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])
def test_a_file_that_others_edited_since_loses_our_entry_alone(
    host: Host, places: Places, installer: Installer
) -> None:
    path = host.path(places, None)
    former = written(path, text_for(host, FOREIGN))
    install(installer, host, path)
    comment = b"// theirs\r\n" if host.format is json_text else b"# theirs\r\n"
    path.write_bytes(path.read_bytes() + comment)
    assert install(installer, host, path, ["/elsewhere/mcp-graphrag", "serve"]) == "updated"
    assert uninstall(installer, host, path) == "restored"
    assert path.read_bytes() == former + comment


@pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])
def test_what_cannot_be_edited_is_refused_and_stays_as_it_is(host: Host, places: Places, installer: Installer) -> None:
    path = host.path(places, None)
    another = host.format.put("", [*host.keys, "graphrag"], host.entry(["/their/server"]))
    for text in [*BROKEN[host.format], another]:
        former = written(path, text.replace("{key}", host.keys[0]))
        with pytest.raises(BadInput, match="nothing was changed"):
            install(installer, host, path)
        assert path.read_bytes() == former
    path.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="not UTF-8"):
        install(installer, host, path)
    assert installer.files() == []


def test_an_update_of_our_command_is_taken_back_to_what_was_before_the_first(
    places: Places, installer: Installer
) -> None:
    host = host_named("zed")
    path = host.path(places, None)
    former = written(path, text_for(host, FOREIGN))
    install(installer, host, path, ["/old", "serve"])
    assert install(installer, host, path) == "updated"
    assert installer.entry_words(host, path) == WORDS
    assert (uninstall(installer, host, path), path.read_bytes()) == ("restored", former)


def test_what_another_has_put_in_our_place_is_left_to_them(places: Places, installer: Installer) -> None:
    host = host_named("cursor")
    path = host.path(places, None)
    install(installer, host, path)
    theirs = written(path, json_text.put("", ["mcpServers", "graphrag"], {"command": "theirs"}))
    assert (uninstall(installer, host, path), path.read_bytes()) == ("not installed", theirs)


@pytest.mark.skipif(os.name == "nt", reason="modes and links are those of POSIX")
def test_modes_and_links_stay_and_what_is_kept_is_the_users_alone(
    tmp_path: Path, places: Places, installer: Installer
) -> None:
    host = host_named("gemini")
    path, real = host.path(places, None), tmp_path / "dotfiles.json"
    written(path, "")
    written(real, '{"secret": "s"}')
    real.chmod(0o640)
    path.unlink()
    path.symlink_to(real)
    install(installer, host, path)
    assert (path.is_symlink(), stat.S_IMODE(real.stat().st_mode)) == (True, 0o640)
    kept = [each for each in (tmp_path / "state").rglob("*") if each.is_file()]
    assert [stat.S_IMODE(each.stat().st_mode) for each in kept] == [0o600]
    uninstall(installer, host, path)
    assert real.read_text() == '{"secret": "s"}'
    assert installer.files() == []


def test_a_file_that_changed_between_looking_and_writing_is_left(places: Places, installer: Installer) -> None:
    host = host_named("vscode")
    path = host.path(places, None)
    change = installer.installing(host, path, WORDS)
    theirs = written(path, "{}")
    with pytest.raises(BadInput, match="changed meanwhile"):
        installer.apply(change)
    assert path.read_bytes() == theirs


def test_version_2_of_opencode_gets_its_entry_where_it_has_its_servers(places: Places, installer: Installer) -> None:
    host = host_named("opencode")
    path = host.path(places, None)
    written(path, '{"mcp": {"servers": {"other": {}}}}')
    install(installer, host, path)
    assert words_of(json_text.get(path.read_text(), ["mcp", "servers", "graphrag"])) == WORDS


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("darwin", ["Library/Application Support/Claude", "Library/Application Support/Code/User", ".config/zed"]),
        ("win32", ["AppData/Roaming/Claude", "AppData/Roaming/Code/User", "AppData/Roaming/Zed"]),
        ("linux", [".config/Claude", ".config/Code/User", ".config/zed"]),
    ],
)
def test_each_system_has_its_folders(platform: str, expected: list[str]) -> None:
    places = user_places({}, platform)
    files = [host_named(name).path(places, None) for name in ("claude-desktop", "vscode", "zed")]
    assert [path.parent.relative_to(Path.home()).as_posix() for path in files] == expected
