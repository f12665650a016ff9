import pytest

from mcp_graphrag.english.lexicon import irregular_base, load_lexicon
from mcp_graphrag.english.raw_predicate import NormalizedPredicate, normalize_predicate


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
        ("the capital of", NormalizedPredicate("capital", swap=True, known=True)),
        ("has been approved by", NormalizedPredicate("approved_by", swap=False, known=True)),
        ("flurbs with", NormalizedPredicate("flurbs_with", swap=False, known=False)),
        ("  ", NormalizedPredicate("related_to", swap=False, known=False)),
    ],
)
def test_a_raw_verb_is_normalized_to_a_predicate_and_a_direction(raw: str, expected: NormalizedPredicate) -> None:
    assert normalize_predicate(raw) == expected


@pytest.mark.parametrize(
    "raw", ["cause", "fix", "attended", "taught", "took over", "track", "talks to", "records", "post to"]
)
def test_a_verb_that_means_a_predicate_beside_some_names_only_stays_as_a_caller_gives_it(raw: str) -> None:
    assert not normalize_predicate(raw).known


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


KEPT = (
    *("formerly owned by", "was owned by", "used to own", "may cause", "could use", "will use", "planned to use"),
    *("does not use", "never used", "no longer depends on", "partly owned by", "almost reached", "once led by"),
    *("nominated for", "engaged to", "buried in", "hosted on"),
)


@pytest.mark.parametrize(
    ("given", "stored", "swapped"),
    [
        # A noun is a property of the subject, and "noun of" the same the other way round.
        *[
            (noun, noun, False)
            for noun in ("father", "mother", "capital", "son", "successor", "predecessor", "subsidiary")
        ],
        *[(noun, noun, False) for noun in ("mascot", "anthem", "landlord", "nephew", "country")],
        *[
            (f"{noun} of", noun, True)
            for noun in ("father", "mother", "capital", "mascot", "nephew", "sibling", "king")
        ],
        *[(f"is the {noun} of", noun, True) for noun in ("father", "capital", "anthem", "landlord", "currency")],
        ("godmother_of", "godmother", True),
        ("isFlagshipOf", "flagship", True),
        ("was the father of", "father", True),
        ("former owner of", "former_owner", True),
        # The same relation in the same direction, under the name that is stored.
        ("founder", "founded_by", False),
        ("founder of", "founded_by", True),
        ("owner", "owned_by", False),
        ("is the owner of", "owned_by", True),
        ("creator", "created_by", False),
        ("author_of", "authored_by", True),
        ("leader", "led_by", False),
        ("lead", "led_by", False),
        ("head of", "headed_by", True),
        ("member_of", "member_of", False),
        ("is a member of", "member_of", False),
        # "By" keeps the direction.
        ("directed by", "directed_by", False),
        ("painting by", "painting_by", False),
        # Neither a noun nor a verb that the lexicon has.
        *[(f"{word} of", f"{word}_of", False) for word in ("capable", "north", "disposes", "made", "accused")],
        ("is father", "is_father", False),
        ("member", "member", False),
        # Tense, certainty and negation stay, and what is not quite the same is a predicate of its own.
        *[(phrase, phrase.replace(" ", "_"), False) for phrase in KEPT],
        ("cousin of", "cousin", True),
    ],
)
def test_what_a_caller_calls_a_relation_keeps_its_meaning_and_direction(
    given: str, stored: str, *, swapped: bool
) -> None:
    found = normalize_predicate(given)
    assert (found.predicate, found.swap) == (stored, swapped)


def test_a_narrower_predicate_names_the_broader_one() -> None:
    broader = load_lexicon().broader

    assert (broader["mother"], broader["runs_on"]) == (("parent",), ("depends_on",))
    assert "cousin" not in broader
    assert {name for names in broader.values() for name in names} <= load_lexicon().predicates


def test_the_base_form_of_an_irregular_verb_is_known_with_a_prefix_too() -> None:
    words = ["wrote", "repaid", "overcame", "rewalked", "walked"]

    assert [irregular_base(word) for word in words] == ["write", "repay", "overcome", None, None]
