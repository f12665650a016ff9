from collections.abc import Sequence

import pytest

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.merge import keep_apart, merge, split
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.retrieve.suggestions import Suggestion, SuggestionPage, suggest_merges

TEST = Origin("test")
# (one, other, both types, whether a person who knows the names would look at the pair)
LABELLED = [
    ("Postgres", "Postgers", "Database", True),
    ("Kubernetes Cluster", "Kubernetes Clusters", "", True),
    ("check_out", "Check Out", "Service", True),
    ("data base", "database", "", True),
    ("Site Reliability Engineering", "SRE", "", True),
    ("John Henry Dearle", "J. H. Dearle", "Person", True),
    ("Willi Schneider", "Schneider", "Person", True),
    ("Müller & Söhne", "Mueller & Söhne", "", True),
    ("2002 Winter Olympics", "2006 Winter Olympics", "", False),
    ("Henry II", "Henry III", "Person", False),
    ("Martin King", "Martin King Jr.", "Person", False),
    ("Plan A", "Plan B", "", False),
    ("Python 2", "Python 3", "", False),
    ("Ann Lee", "Bob Lee", "Person", False),
    ("Atari 2600", "Atari 5200", "", False),
    ("auth.v1.2", "auth.v12", "", False),
    ("platform.auth.sessions", "platform.auth.users", "Module", False),
    ("platform.auth.sessions", "platform.auth.session", "Module", True),
    ("API notes > Clients", "API notes > Client", "Document", False),
    ("API notes > Client notes", "API notes client notes", "Document", False),
    ("API notes", "API note", "Document", True),
    ("Cause > Effect", "Cause > Effects", "Concept", True),
]


def name(pipeline: Pipeline, *names: tuple[str, str], near: Sequence[str] = ()) -> None:
    """Entities of these names and types, each with these neighbours, or one of its own."""
    triples = [
        Candidate(one, "meets", other, type_ or None)
        for number, (one, type_) in enumerate(names)
        for other in near or [f"{'zyxwv'[number % 5] * 3}{chr(97 + number) * 4}"]
    ]
    assert_triples(pipeline, triples, TEST)


def page(pipeline: Pipeline, **asked: object) -> SuggestionPage:
    return suggest_merges(pipeline.store, default_ontology(), **asked)  # pyright: ignore[reportArgumentType]


def pairs(pipeline: Pipeline, **asked: object) -> list[set[str]]:
    return [{each.keep.name, each.merge.name} for each in page(pipeline, **asked).suggestions]


def only(pipeline: Pipeline, **asked: object) -> Suggestion:
    (found,) = page(pipeline, **asked).suggestions
    return found


@pytest.mark.parametrize(("one", "other", "type_", "alike"), LABELLED)
def test_what_a_reader_would_look_at_is_suggested(
    pipeline: Pipeline, one: str, other: str, type_: str, *, alike: bool
) -> None:
    name(pipeline, (one, type_), (other, type_))

    assert ({one, other} in pairs(pipeline)) is alike


def test_a_suggestion_says_why(pipeline: Pipeline) -> None:
    name(pipeline, ("Redis Cluster", "Service"), ("Redis Clusters", "Service"), near=["Ann", "Bob"])

    found = only(pipeline)

    assert list(found.reasons) == [
        "'Redis Cluster' and 'Redis Clusters' differ by 1 edit",
        found.reasons[1],
        "2 common neighbours",
        "the same type",
    ]
    assert found.reasons[1].startswith("names of like meaning (cosine 0.8")
    assert 0.85 < found.score <= 1


def test_neighbours_and_types_weigh(pipeline: Pipeline) -> None:
    names = [
        ("Harbor Crane", "Service"),
        ("Harbour Crane", "Service"),
        ("Ferry Desk", "Service"),
        ("Fery Desk", "Team"),
    ]
    name(pipeline, *names)
    alone = {frozenset({e.keep.name, e.merge.name}): e.score for e in page(pipeline, least=0.0).suggestions}
    name(pipeline, *names, near=["Quay"])
    together = {frozenset({e.keep.name, e.merge.name}): e.score for e in page(pipeline, least=0.0).suggestions}

    harbour, desk = frozenset({"Harbor Crane", "Harbour Crane"}), frozenset({"Ferry Desk", "Fery Desk"})
    assert together[harbour] > alone[harbour] > 0.6
    assert alone.get(desk, 0) < 0.6


def test_a_triple_between_the_two_speaks_against_it(pipeline: Pipeline) -> None:
    name(pipeline, ("Postgres", ""), ("Postgers", ""))
    before = only(pipeline, least=0.0).score
    assert_triples(pipeline, [Candidate("Postgres", "meets", "Postgers")], TEST)

    found = only(pipeline, least=0.0)

    assert found.score < before
    assert found.reasons[-1] == "against it: a triple stands between the two"


def test_declared_homonyms_are_not_suggested(pipeline: Pipeline) -> None:
    name(pipeline, ("Mercury", "Planet"), ("Mercury", "Element"))

    assert pairs(pipeline) == []


def test_an_acronym_of_two_long_forms_is_not_suggested(pipeline: Pipeline) -> None:
    name(pipeline, ("Point of Sale", ""), ("Proof of Stake", ""), ("POS", ""))

    assert pairs(pipeline) == []


def test_what_was_decided_is_not_suggested_again(pipeline: Pipeline) -> None:
    name(pipeline, ("Postgres", ""), ("Postgers", ""), ("Redis Cluster", ""), ("Redis Clusters", ""))
    assert len(pairs(pipeline)) == 2

    keep_apart(pipeline, "Redis Cluster", "Redis Clusters", TEST, reason="two rows")
    merge(pipeline, "Postgres", "Postgers", TEST)
    assert pairs(pipeline) == []
    split(pipeline, "Postgers", TEST)
    assert pairs(pipeline) == []


def test_sections_are_not_suggested_when_one_is_asked_about(pipeline: Pipeline) -> None:
    name(pipeline, ("API notes", "Document"), ("API notes > Clients", "Document"), ("API notes > Client", "Document"))

    assert pairs(pipeline, about="API notes > Clients", least=0.0) == []


def test_pages_follow_one_order_and_may_be_about_one_entity(pipeline: Pipeline) -> None:
    name(pipeline, ("Postgres", ""), ("Postgers", ""), ("Redis Cluster", ""), ("Redis Clusters", ""), ("POS", ""))
    whole = page(pipeline)
    first = page(pipeline, limit=1)
    rest = page(pipeline, limit=1, after=first.next_after)

    assert [*first.suggestions, *rest.suggestions] == list(whole.suggestions)
    assert (first.next_after, first.total, rest.next_after) == (1, 2, None)
    assert pairs(pipeline, about="postgers") == [{"Postgres", "Postgers"}]
    assert pairs(pipeline, about="POS") == []
    with pytest.raises(UnknownName):
        page(pipeline, about="Nobody at all")
    with pytest.raises(BadInput, match="limit is 0"):
        page(pipeline, limit=0)
