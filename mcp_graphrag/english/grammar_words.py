"""English words by what they say of a clause or noun, from `grammar_words.toml`, where each class is explained."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class GrammarWords:
    """Lower-case words by class; verbs in their base form."""

    with_e: frozenset[str]
    ending_in_e: frozenset[str]
    not_ending_in_e: frozenset[str]
    modals: frozenset[str]
    denying: frozenset[str]
    hedges: frozenset[str]
    formerly: frozenset[str]
    reporting: frozenset[str]
    factive: frozenset[str]
    implying: frozenset[str]
    stating: frozenset[str]
    times: frozenset[str]
    recurring: frozenset[str]
    changing: frozenset[str]
    no_property: frozenset[str]
    empty_verbs: frozenset[str]
    places: frozenset[str]
    kinds: frozenset[str]
    no_kinds: frozenset[str]
    works: frozenset[str]
    titles: frozenset[str]
    whole: frozenset[str]
    deictic: frozenset[str]
    vague: frozenset[str]
    opinions: frozenset[str]
    prospective: frozenset[str]
    saying_little: frozenset[str]
    past_auxiliaries: frozenset[str]
    present_auxiliaries: frozenset[str]
    conditions: frozenset[str]
    orders: frozenset[str]
    built: frozenset[str]


def _load() -> GrammarWords:
    raw = tomllib.loads(files("mcp_graphrag.english").joinpath("grammar_words.toml").read_text("utf-8"))
    return GrammarWords(**{name: frozenset(str(words).split()) for name, words in raw.items()})


GRAMMAR = _load()
