import pytest

from mcp_graphrag.extract import NormalizedPredicate, load_lexicon, normalize_predicate


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("depends on", NormalizedPredicate("depends_on", swap=False, known=True)),
        ("DEPENDS_ON", NormalizedPredicate("depends_on", swap=False, known=True)),
        ("dependsOn", NormalizedPredicate("depends_on", swap=False, known=True)),
        ("is owned by", NormalizedPredicate("owned_by", swap=False, known=True)),
        ("reports directly to", NormalizedPredicate("reports_to", swap=False, known=True)),
        ("wrote", NormalizedPredicate("authored_by", swap=True, known=True)),
        ("was written by", NormalizedPredicate("authored_by", swap=False, known=True)),
        ("causes", NormalizedPredicate("caused_by", swap=True, known=True)),
        ("the capital of", NormalizedPredicate("capital_of", swap=False, known=True)),
        ("has been approved by", NormalizedPredicate("approved_by", swap=False, known=True)),
        ("flurbs with", NormalizedPredicate("flurbs_with", swap=False, known=False)),
        ("  ", NormalizedPredicate("related_to", swap=False, known=False)),
    ],
)
def test_a_raw_verb_is_normalized_to_a_predicate_and_a_direction(raw: str, expected: NormalizedPredicate) -> None:
    assert normalize_predicate(raw) == expected


def test_every_predicate_is_its_own_normal_form() -> None:
    for name in load_lexicon().predicates:
        assert normalize_predicate(name) == NormalizedPredicate(name, swap=False, known=True)


def test_the_lexicon_has_the_predicates_of_the_shipped_ontologies() -> None:
    ontologies = """
        related_to caused_by resolved_by follows similar_to contains in_session reflects_on learned_from authored_by
        references part_of located_in occurred_on has_role affiliated_with published_in identified recommended imports
        defined_in calls extends implements uses depends_on owned_by owns reports_to member_of approved_by belongs_to
        approval_threshold held_by
    """

    assert set(ontologies.split()) <= load_lexicon().predicates


def test_every_cue_and_column_title_has_a_predicate_of_the_lexicon() -> None:
    lexicon = load_lexicon()
    cues = [cue for cues in lexicon.cues.values() for cue in cues] + list(lexicon.headers.values())
    by_type = {name for table in lexicon.headers_by_type.values() for name in table.values()}

    assert {cue.predicate for cue in cues} | {cue.date for cue in cues} | by_type <= lexicon.predicates
