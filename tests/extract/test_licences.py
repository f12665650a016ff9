"""The licence of the package that a README describes."""

import pytest
from extract_helpers import stated


def licences(text: str, uri: str = "file:///quill/README.md") -> list[tuple[str, str]]:
    """The packages of a Markdown text with their licences."""
    return [(package, name) for package, predicate, name in stated(text, uri=uri) if predicate == "licensed_under"]


INSTALL = "# quill-box\n\n```sh\nnpm install quill-box\n```\n\n"


@pytest.mark.parametrize(
    ("said", "licence"),
    [
        ("## License\n\n[MIT](LICENSE)", "MIT"),
        ("## Licence\n\nMIT © Mary Lee", "MIT"),
        ("## License\n\nReleased under the [Apache License 2.0](LICENSE).", "Apache License 2.0"),
        ("## License\n\nLicensed under BSD-3-Clause.", "BSD-3-Clause"),
        ("This library is released under the ISC open source license.", "ISC"),
    ],
)
def test_a_readme_gives_the_licence_of_its_package(said: str, licence: str) -> None:
    assert licences(f"{INSTALL}{said}\n") == [("quill-box", licence)]


@pytest.mark.parametrize(
    "said",
    [
        "## License\n\nMIT or Apache-2.0",
        "## License\n\nMIT\n\nThe fonts are under GPL-3.0.",
        "## License\n\nMIT until 2.0",
        "## License\n\nSee LICENSE.",
        "This library is not released under the ISC license.",
        "The library will be released under the ISC license.",
        "The parser is released under the ISC license.",
        "## Why not MIT?\n\nMIT",
    ],
)
def test_other_sentences_about_licences_are_not_of_the_package(said: str) -> None:
    assert licences(f"{INSTALL}{said}\n") == []


def test_a_package_has_the_name_of_its_readme_or_of_what_is_installed() -> None:
    licence = "## License\n\nMIT\n"

    assert licences(f"# quill-box\n\n{licence}") == [("quill-box", "MIT")]
    assert licences(f"# quill-box\n\n{licence}", "file:///notes/licences.md") == []
    assert licences(f"# Getting started\n\n{licence}") == []
    assert licences(f"# Notes\n\n```\nnpm i quill-box\npip install quill\n```\n\n{licence}") == []
