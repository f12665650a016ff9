"""Lists of places, nationalities, given names and common words that ship with the package."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain


@dataclass(frozen=True)
class Gazetteer:
    """Names in their exact spelling; `common_words` are lower-case words that ordinary texts use often.

    `only_cities` have the name of no country and no region. `of_several_names` are nationalities and countries that are
    part of others, or have had other names.
    """

    places: frozenset[str]
    countries: frozenset[str]
    only_cities: frozenset[str]
    nationalities: frozenset[str]
    of_several_names: frozenset[str]
    given_names: frozenset[str]
    common_words: frozenset[str]

    def is_common(self, word: str) -> bool:
        """Whether it is an ordinary English word, whatever its case."""
        return word.casefold() in self.common_words


def _words(file: str) -> frozenset[str]:
    lines = _read(file).splitlines()
    return frozenset(chain.from_iterable(line.split() for line in lines if not line.startswith("#")))


def _read(file: str) -> str:
    return files("mcp_graphrag.mentions").joinpath(file).read_text("utf-8")


def _load() -> Gazetteer:
    lists = {
        key: frozenset(name.strip() for name in listed.replace("\n", "|").split("|") if name.strip())
        for key, listed in tomllib.loads(_read("places.toml")).items()
    }
    nationalities, several = lists.pop("nationalities"), lists.pop("of_several_names")
    places = frozenset(chain.from_iterable(lists.values()))
    cities = lists["cities"] - lists["countries"] - lists["regions"]
    given_names, common_words = _words("given_names.txt"), _words("common_words.txt")
    return Gazetteer(places, lists["countries"], cities, nationalities, several, given_names, common_words)


GAZETTEER = _load()
