import pytest

from mcp_graphrag.extract import Normalised, load_lexicon, normalise_predicate


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("depends on", Normalised("depends_on", swap=False, known=True)),
        ("DEPENDS_ON", Normalised("depends_on", swap=False, known=True)),
        ("dependsOn", Normalised("depends_on", swap=False, known=True)),
        ("is owned by", Normalised("owned_by", swap=False, known=True)),
        ("reports directly to", Normalised("reports_to", swap=False, known=True)),
        ("wrote", Normalised("authored_by", swap=True, known=True)),
        ("was written by", Normalised("authored_by", swap=False, known=True)),
        ("causes", Normalised("caused_by", swap=True, known=True)),
        ("the capital of", Normalised("capital_of", swap=False, known=True)),
        ("has been approved by", Normalised("approved_by", swap=False, known=True)),
        ("flurbs with", Normalised("flurbs_with", swap=False, known=False)),
        ("  ", Normalised("related_to", swap=False, known=False)),
    ],
)
def test_a_raw_verb_becomes_a_predicate_and_a_direction(raw: str, expected: Normalised) -> None:
    assert normalise_predicate(raw) == expected


def test_every_predicate_is_its_own_normal_form() -> None:
    for name in load_lexicon().predicates:
        assert normalise_predicate(name) == Normalised(name, swap=False, known=True)


def test_the_predicates_of_the_ontologies_are_known() -> None:
    ontologies = """
        related_to caused_by resolved_by follows similar_to contains in_session reflects_on learned_from authored_by
        references part_of located_in occurred_on has_role affiliated_with published_in identified recommended imports
        defined_in calls extends implements uses depends_on owned_by owns reports_to member_of approved_by belongs_to
        approval_threshold held_by
    """

    assert set(ontologies.split()) <= load_lexicon().predicates


def test_every_cue_and_header_leads_to_a_predicate_that_the_lexicon_names() -> None:
    lexicon = load_lexicon()
    cues = [cue for cues in lexicon.cues.values() for cue in cues] + list(lexicon.headers.values())
    by_type = {name for table in lexicon.headers_by_type.values() for name in table.values()}

    assert {cue.predicate for cue in cues} | {cue.date for cue in cues} | by_type <= lexicon.predicates
