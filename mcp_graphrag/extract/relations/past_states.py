"""States that a sentence tells of the past without a verb of their own: they are over, as far as it says.

"Ann Lee, head of B, met C in the spring", "the B leader Ann Lee became minister", "Ann Lee, CTO of B, resigns".
"""

from collections.abc import Iterable, Iterator, Mapping

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.discourse.offices import OFFICES
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.relations.asserted import Status
from mcp_graphrag.extract.relations.names.named import Found
from mcp_graphrag.extract.relations.read_clauses import Clause, tense_of
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

# Whoever said something holds the office that the sentence names beside it.
_SAYING = frozenset(
    """
    say tell add announce warn confirm explain note report write state declare argue claim believe think insist suggest
    comment reply answer ask admit acknowledge reveal disclose describe predict expect agree deny stress emphasize
    """.split()  # noqa: SIM905
)
_LEAVING = frozenset({"resigns", "resigned", "retires", "quits"})
_BEGINNING = frozenset({"begin", "start", "come", "get"})
_OF_PERSONS = frozenset({"has_role", "affiliated_with"})
_STEPPING = frozenset({"steps", "stepped", "stepping", "stands", "stood"})


def with_past_states(
    tree: SentenceTree, found: Iterable[Found], clauses: Mapping[int, tuple[Clause, Status]], lexicon: Lexicon
) -> Iterator[Found]:
    """The triples, those of states of the past without a date as over. `clauses` are those that state something."""
    for one in found:
        draft = one.draft
        if draft.valid_from or draft.valid_to or draft.is_over or not _is_past(tree, one, clauses, lexicon):
            yield one
        else:
            yield one._replace(draft=draft._replace(is_over=True))


def _is_past(
    tree: SentenceTree,
    one: Found,
    clauses: Mapping[int, tuple[Clause, Status]],
    lexicon: Lexicon,
) -> bool:
    person = _holder(one.draft)
    if person is not None and _leaves(tree, person):
        return True
    if one.anchor in clauses:
        if person is not None and _is_taken_up(tree, one.anchor):
            return True
        is_open = one.draft.predicate not in lexicon.predicates and _is_beginning(tree, one.anchor)
        return is_open or (one.draft.predicate not in lexicon.events and _is_of_past_verb(tree, one.anchor))
    if person is None or tree.is_verb(one.anchor):
        return False
    token = tree.token_of(person)
    above = tree.ancestors(one.anchor if token is None else token)
    verb = next((verb for verb in above if tree.is_verb(verb) and tense_of(tree, verb) != "other"), None)
    finite = [verb] if verb is not None else [at for at in range(tree.size) if tree.is_verb(at)]
    tenses = {tense_of(tree, at) for at in finite} - {"other"}
    return tenses == {"past"} and _SAYING.isdisjoint(map(tree.lemma, finite))


def _holder(draft: DraftTriple) -> DraftMention | None:
    """The person of a triple that states an office or membership."""
    if draft.predicate in _OF_PERSONS:
        return draft.subject
    persons = [end for end in (draft.subject, draft.object) if end.type == "Person"]
    is_office = draft.predicate in OFFICES or WORDS.last_word.get(draft.predicate.rpartition("_")[2]) == "Role"
    if is_office and not persons and draft.object.type is None and draft.predicate != "leads":
        return draft.object  # "B's CFO is A"
    return persons[0] if is_office and len(persons) == 1 else None


def _is_taken_up(tree: SentenceTree, verb: int) -> bool:
    """Whether an office was taken up long ago: "became the first director", "had been appointed director"."""
    is_first = _is_beginning(tree, verb) and tree.words[verb + 1 : verb + 3] == ["the", "first"]
    return is_first or ("had" in tree.child_words(verb, "aux") and not _is_dated(tree))


def _is_beginning(tree: SentenceTree, verb: int) -> bool:
    """Whether it is "became" without a date, which says nothing of today: "A became the eastern wing of B"."""
    return tree.lemma(verb) == "become" and tense_of(tree, verb) == "past" and not _is_dated(tree)


def _is_dated(tree: SentenceTree) -> bool:
    return any(mention.kind == "date" for mention in tree.mentions.values())


def _is_of_past_verb(tree: SentenceTree, verb: int) -> bool:
    """Whether an infinitive hangs on a verb in the past, or "would" tells what came later: "continued to offer B"."""
    if "would" in tree.child_words(verb, "aux"):
        return True
    head = tree.heads[verb]
    is_open = tree.labels[verb] == "xcomp" and tense_of(tree, verb) == "other"
    is_past = tree.is_verb(head) and tense_of(tree, head) == "past"
    return is_open and is_past and tree.lemma(head) not in _BEGINNING


def _leaves(tree: SentenceTree, person: DraftMention) -> bool:
    """Whether a word behind a person, with no other person between, says that they leave an office.

    Read from the order of the words, as the parser takes "resigns" behind a comma for a noun too often.
    """
    for token in range(tree.size):
        if tree.token(token).start <= person.end or not _is_leaving(tree, token):
            continue
        others = [one for one in tree.mentions.values() if person.end < one.start < tree.token(token).start]
        return all(one.type != "Person" for one in others)
    return False


def _is_leaving(tree: SentenceTree, token: int) -> bool:
    word = tree.words[token]
    return word in _LEAVING or (word in _STEPPING and tree.words[token + 1 : token + 2] == ["down"])
