"""Types that only a word of a name suggests, and what the text says against them."""

import re
from collections.abc import Iterable

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.model import Candidate

LOCATION = "Location"
_THINGS = frozenset(
    """
    film movie song album book novel novella journal series show play opera band group single game magazine
    newspaper poem painting story comic musical ballet ship boat vessel yacht ferry steamer frigate liner tug
    company firm label brand horse dog cat racehorse team club service tool library product system
    river stream creek lake sea bay canal island peninsula mountain mount hill valley volcano glacier desert forest
    beach village town city borough district county province region street square bridge castle palace abbey church
    museum hotel theatre theater school mine quarry mill brewery shipyard
    """.split()  # noqa: SIM905
)
# Their names are not those of persons, where the noun stands in front: "the yacht Albertine".
_NAMED_THING = re.compile(
    r"\b(?:the|an?|her|his|its|their|our|my|two|three|these)[ ](?:[a-z-]+[ ]){0,3}?([a-z]+)[ ]\Z", re.IGNORECASE
)
_DONE = re.compile(r"[ ](?:has|had|have|[a-z]+ed|wrote|made|led|ran|built|sang|drew|did|will|would|is|was)\b")
_OF_WORKS = frozenset(
    {"published_in", "authored_by", "directed_by", "produced_by", "composed_by", "recorded_by", "translated_by"}
)
# What is used and runs is no person.
_USING = frozenset(
    {"uses", "depends_on", "requires", "runs_on", "hosted_on", "deployed_on", "built_with", "built_on", "queries"}
    | {"publishes_to", "reads_from", "writes_to", "stores_data_in", "integrates_with"}
)
_RUNNING = frozenset({"runs_on", "hosted_on", "deployed_on", "depends_on", "written_in", "built_with", "built_on"})
# Names with these words at the end are of parts of organizations and what they do.
_NO_PERSONS = frozenset(
    """
    division department directorate unit office bureau branch section board council committee commission initiative
    project programme program task force squad crew desk group guild chapter taskforce workstream portfolio account
    robotics optics logistics analytics dynamics electronics aerospace biotech pharma software hardware networks
    """.split()  # noqa: SIM905
)


def may_be_person(name: str) -> bool:
    """Whether a name may be of a person, by its last word: no ordinary word, as in "Wanda Project", "Customer Care"."""
    words = name.split()
    if not name[:1].isalpha() or (name[0].islower() and len(words) < 2):
        return False  # "/dev/rtc", "libfoo"
    is_word = words[-1].casefold() in _NO_PERSONS or GAZETTEER.is_common(words[-1])
    return len(words) < 2 or not is_word or words[-1] in WORDS.surnames


def is_named_thing(before: str, after: str) -> bool:
    """Whether the words around a name say that it is of a thing: "the yacht Albertine", "the ferries Ada and Eve".

    "The film Ann Lee directed" is about another one.
    """
    noun = _NAMED_THING.search(before)
    if noun is None or _DONE.match(after):
        return False
    kind = noun[1].casefold()
    singular = f"{kind[:-3]}y" if kind.endswith("ies") else kind.removesuffix("s")
    return not _THINGS.isdisjoint((kind, singular, kind.removesuffix("es")))


def is_guess(name: str, type_: str) -> bool:
    """Whether only the last word of a name suggests its type: "Signal Mountain" need not be a place."""
    last = name.rpartition(" ")[2].casefold()
    return type_ == LOCATION == WORDS.last_word.get(last) and name not in GAZETTEER.places


def no_persons(triples: Iterable[Candidate]) -> set[str]:
    """The names of what runs on something, or is used: "Vega Cache" has only the form of a person's name."""
    every = list(triples)
    used = {triple.object for triple in every if triple.predicate in _USING}
    return used | {triple.subject for triple in every if triple.predicate in _RUNNING}


def no_places(triples: Iterable[Candidate]) -> set[str]:
    """The names that triples are about as things of another kind than places: "Signal Mountain is a band"."""
    return {
        triple.subject
        for triple in triples
        if triple.predicate in _OF_WORKS or (triple.predicate == "is_a" and _is_no_place(triple.object))
    }


def _is_no_place(kind: str) -> bool:
    last = kind.casefold().split()[-1:]
    return bool(last) and (last[0] in _THINGS or last[0] in WORDS.persons)
