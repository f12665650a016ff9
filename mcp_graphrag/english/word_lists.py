"""Closed word classes of English, and the words and names that imply a type, from `words.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, cast

# Words that end like "typist" and "librarian", and are of no person.
_NO_PERSON_LIST = (
    "list checklist playlist whitelist blacklist allowlist denylist blocklist wishlist shortlist waitlist watchlist"
    " tracklist twist gist mist fist wrist zeitgeist median meridian endian gaussian hessian jacobian laplacian"
    " lagrangian hamiltonian cartesian obsidian debian"
)
_NO_PERSONS = frozenset(_NO_PERSON_LIST.split())
_ORDERED = frozenset({"months", "short_months", "joiners"})


@dataclass(frozen=True)
class WordLists:
    """Lower-case words by class. The mappings are from a word, name or column title to a type."""

    stop: frozenset[str]
    stop_only_first: frozenset[str]
    plain_acronyms: frozenset[str]
    software_suffixes: frozenset[str]
    compound_parts: frozenset[str]
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    weekdays: frozenset[str]
    honorifics: frozenset[str]
    before_titles: frozenset[str]
    yearly: frozenset[str]
    works: frozenset[str]
    role_acronyms: frozenset[str]
    joiners: tuple[str, ...]
    imperatives: frozenset[str]
    before_of_the: frozenset[str]
    adverbs: frozenset[str]
    adverbs_not: frozenset[str]
    plain_adverbs: frozenset[str]
    before_of: frozenset[str]
    nouns_like_verbs: frozenset[str]
    negations: frozenset[str]
    auxiliaries: frozenset[str]
    copulas: frozenset[str]
    determiners: frozenset[str]
    possessives: frozenset[str]
    relatives: frozenset[str]
    prepositions: frozenset[str]
    pronouns: frozenset[str]
    persons: frozenset[str]
    surnames: frozenset[str]
    name_particles: frozenset[str]
    cell_values: frozenset[str]
    kind_prefixes: frozenset[str]
    placeholders: frozenset[str]
    third_persons: frozenset[str]
    note_labels: frozenset[str]
    not_only_given_names: frozenset[str]
    section_titles: frozenset[str]
    last_word: Mapping[str, str]
    kind_nouns: Mapping[str, str]
    first_word: Mapping[str, str]
    exact: Mapping[str, str]
    header: Mapping[str, str]

    articles = frozenset({"a", "an", "the"})

    def is_of_person(self, noun: str) -> bool:
        """Whether a noun is one for persons: "painter", "engineer", "typist"."""
        ends_so = noun.endswith(("ist", "ian", "woman")) and noun not in _NO_PERSONS
        return noun in self.persons or self.last_word.get(noun) == "Role" or ends_so

    def is_stop(self, word: str) -> bool:
        """Whether the word, or its part in front of an apostrophe ("I'd", "It's"), is no name by itself."""
        plain = word.casefold().replace("’", "'")
        return plain in self.stop or ("'" in plain and plain.partition("'")[0] in self.stop)

    def is_adverb(self, word: str) -> bool:
        """Whether the word may occur in a verb phrase without changing what that asserts."""
        manner = len(word) > 4 and word.endswith("ly") and word not in self.adverbs_not
        return word in self.adverbs or (manner and word not in self.negations)


def _load() -> WordLists:
    raw: dict[str, Any] = tomllib.loads(files("mcp_graphrag.english").joinpath("words.toml").read_text("utf-8"))
    fields: dict[str, Any] = {}
    for key, value in raw.items():
        if isinstance(value, dict):
            # From table of type to words, to word to type; the first type of a word counts.
            by_type = cast("dict[str, str]", value)
            fields[key] = {word: type_ for type_, words in reversed(by_type.items()) for word in _words(words)}
        else:
            fields[key] = (tuple if key in _ORDERED else frozenset)(_words(value))
    return WordLists(**fields)


def _words(listed: str | Sequence[str]) -> Sequence[str]:
    return listed.split() if isinstance(listed, str) else listed


WORDS = _load()
