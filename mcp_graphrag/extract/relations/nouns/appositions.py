"""Triples of nouns beside names: "A, the owner of B", "the owner of B, A", "B's owner A", "B engineer A"."""

from collections.abc import Iterator

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import SAME_AS, DraftTriple, with_type
from mcp_graphrag.extract.relations.names.named import Found, is_of_inner_name, mention_of
from mcp_graphrag.extract.relations.nouns.beside_names import bases, group_of, nationalities, roles_beside, roles_played
from mcp_graphrag.extract.relations.nouns.kinds import kind_triples
from mcp_graphrag.extract.relations.nouns.noun_relations import noun_triples
from mcp_graphrag.extract.relations.sentence_tree import BESIDE, Argument, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

_ALIAS = frozenset({"aka", "a.k.a.", "a.k.a", "alias"})
# Of a noun in front of the name that it describes; the parser may take it for the subject or object.
_OF_TITLES = frozenset({"compound", "nmod", "npadvmod", "nsubj", "nsubjpass", "dep", "dobj", "pobj"})
_BREAKS = frozenset({",", "(", "-", "–", "—"})
_CONDITIONS = frozenset({"if", "when", "while", "unless", "although", "once", "until", "where"})
_PLACING = frozenset({"in", "at", "near"})
# Parts that most organizations have, and call so: "Ann Lee in Finance".
_DEPARTMENTS = frozenset(
    """
    Accounting Accounts Communications Compliance Engineering Facilities Finance Legal Logistics Marketing Operations
    Payroll Procurement Purchasing Sales
    """.split()  # noqa: SIM905
) | {"Human Resources"}
_EXPLAINING = frozenset({"i.e.", "ie", "e.g.", "eg", "cf.", "see", "viz."})


def appositions(tree: SentenceTree, lexicon: Lexicon) -> Iterator[Found]:
    """The triples of nouns beside a name: "A, the owner of B", "the owner of B, A", "B's owner A", "B engineer A"."""
    for token in range(tree.size):
        label, head = tree.labels[token], tree.heads[token]
        certainty = tree.certainties[token]
        person = _person_in_front(tree, token) if label in {"appos", "dep"} else None
        if person is not None:
            yield from noun_triples(tree, token, Argument(person, "", max(certainty, BESIDE)), lexicon, token)
        elif label == "appos" and tree.is_noun(token):
            if not (
                _is_explained(tree, token)
                or _is_subject_behind(tree, token)
                or _is_of_gapped_clause(tree, token)
                or is_of_inner_name(tree, token)
            ):
                yield from _apposition(tree, token, lexicon)
        elif _is_title(tree, token):
            beside = token + 1 in tree.mentions
            name, sure = (token + 1, max(certainty, BESIDE)) if beside else (head, certainty)
            yield from noun_triples(tree, token, Argument(name, "", sure), lexicon, token)
    yield from _beside_names(tree, lexicon)


def _is_explained(tree: SentenceTree, token: int) -> bool:
    """Whether a noun says in other words what is in front of it: "one per head (i.e. module)"."""
    return not _EXPLAINING.isdisjoint(tree.words[tree.heads[token] + 1 : token])


def _beside_names(tree: SentenceTree, lexicon: Lexicon) -> Iterator[Found]:
    yield from roles_played(tree)
    for token, mention in tree.mentions.items():
        yield from nationalities(tree, token, mention)
        yield from bases(tree, token, mention)
        yield from _affiliation(tree, token)
    for noun, person in roles_beside(tree):
        found = list(noun_triples(tree, noun, Argument(person, "", BESIDE), lexicon, noun))
        group = group_of(tree, noun, person)
        yield from found
        if group is not None and not any(group.draft.object in one.draft for one in found):
            yield group  # the tree has the group elsewhere


def _apposition(tree: SentenceTree, token: int, lexicon: Lexicon) -> Iterator[Found]:
    """The triples of a noun behind the name that it describes, or in front of it."""
    head, certainty = tree.heads[token], tree.certainties[token]
    for noun in tree.conjuncts(token):
        if noun != token and _is_listed(tree, noun):
            break
        is_beside = head in tree.mentions and tree.words[head + 1] in _BREAKS
        if noun == token and is_beside and not _ends_condition(tree, head):
            yield from kind_triples(tree, noun, tree.mentions[head], noun, certainty)
        if _is_description(tree, noun) and head in tree.mentions:
            yield from noun_triples(tree, noun, Argument(_subject_of_title(tree, head), "", certainty), lexicon, noun)
    if token in tree.mentions and head in tree.mentions and not _ALIAS.isdisjoint(tree.words[head:token]):
        draft = DraftTriple(tree.mentions[head], SAME_AS, tree.mentions[token], "aka", "same")
        yield Found(draft, head, certainty)
    other = mention_of(tree, token)
    if other is None or (other.name.isupper() and tree.words[token - 1] == "("):
        return  # "the poll mode driver (PMD)"
    if _is_description(tree, head) and not _may_be_of_outer_noun(tree, head, token, other):
        yield from noun_triples(tree, head, Argument(token, "", certainty), lexicon, head)


def _subject_of_title(tree: SentenceTree, noun: int) -> int:
    """The noun itself, or whom it gives a title that others have too: "Ann was a Duchess, daughter of B"."""
    verb = tree.heads[noun]
    if tree.labels[noun] != "attr" or {"a", "an"}.isdisjoint(tree.child_words(noun, "det")) or tree.lemma(verb) != "be":
        return noun
    subjects = tree.children(verb, "nsubj")
    return subjects[0] if len(subjects) == 1 and subjects[0] in tree.mentions else noun


def _is_title(tree: SentenceTree, token: int) -> bool:
    """Whether a noun stands in front of the name that it describes: "engineer Ann Lee", "his wife Ann Lee"."""
    label, head = tree.labels[token], tree.heads[token]
    if not _is_description(tree, token):
        return False
    if _is_owned_title(tree, token):
        return True
    if label not in _OF_TITLES:
        return False
    if label in {"compound", "nmod"} and head in tree.mentions and token < head:
        return True
    behind = tree.mentions.get(token + 1)
    if behind is None or behind.kind != "name" or label in {"compound", "nmod"}:
        return False
    return head in {token + 1, tree.heads[token + 1]}


def _is_owned_title(tree: SentenceTree, token: int) -> bool:
    """Whether it is "founder" in "Acme's founder Ann Lee joins", where the tree takes "joins" for a noun."""
    name = tree.mentions.get(token + 1)
    if name is None or name.kind != "name" or tree.labels[token + 1] not in {"compound", "nmod", "appos"}:
        return False
    is_owned = any(child in tree.mentions for child in tree.children(token, "poss"))
    return is_owned and tree.labels[token] != "conj" and WORDS.is_of_person(tree.words[token])


def _affiliation(tree: SentenceTree, token: int) -> Iterator[Found]:
    """The group in "Ann Lee of Acme Corp", where both have their type by themselves, and in "Ann Lee in Finance"."""
    person, behind = tree.mentions[token], tree.words[token + 1 : token + 2]
    if person.type != "Person" or person.kind != "name" or behind not in (["of"], ["from"], ["in"]):
        return
    for preposition in tree.children(token, "prep"):
        for noun in tree.children(preposition, "pobj") if preposition == token + 1 else ():
            other = tree.mentions.get(noun)
            if other is None or other.kind != "name":
                continue
            if other.name in _DEPARTMENTS:
                other = with_type(other, "Team")
            elif behind == ["in"] or other.type not in {"Organization", "Team"}:
                continue
            draft = DraftTriple(person, "affiliated_with", other, tree.words[preposition], "noun")
            yield Found(draft, token, tree.certainty(noun, token))


def _is_subject_behind(tree: SentenceTree, noun: int) -> bool:
    """Whether a noun behind a comma is the subject of what follows: "To build with A, a tool such as B will do"."""
    last = max((token for token in range(noun, tree.size) if noun in {token, *tree.ancestors(token)}), default=noun)
    behind = last + 1
    if behind >= tree.size or "," in tree.words[noun:behind]:
        return False
    return tree.parse.fine_tags[behind] in {"MD", "VBZ", "VBP"} and tree.is_verb(behind)


def _person_in_front(tree: SentenceTree, noun: int) -> int | None:
    """The subject that a noun for a person behind a place or date is of: "She was born in Graz, the daughter of B"."""
    head = tree.heads[noun]
    if noun in tree.mentions or not WORDS.is_of_person(tree.words[noun]) or not tree.child_words(noun, "det"):
        return None
    is_placed = (
        tree.labels[noun] == "appos" and tree.labels[head] == "pobj" and tree.words[tree.heads[head]] in _PLACING
    )
    verb = next((above for above in tree.ancestors(head) if tree.is_verb(above)), None) if is_placed else head
    if verb is None or not (is_placed or (tree.labels[noun] == "dep" and tree.lemma(head) == "bear")):
        return None
    subjects = tree.children(verb, "nsubj", "nsubjpass")
    found = mention_of(tree, subjects[0]) if len(subjects) == 1 else None
    return subjects[0] if found is not None and found.type in {None, "Person"} and subjects[0] < noun else None


def _is_of_gapped_clause(tree: SentenceTree, noun: int) -> bool:
    """Whether a noun with the preposition of the verb in front is its next subject: "made by A, the wings by B".

    In "in A, a city in B" it describes A, and so it does with "of" and "for".
    """
    behind = [child for child in tree.children(noun, "prep", "agent") if child == noun + 1]
    verb = next((above for above in tree.ancestors(noun) if tree.is_verb(above)), None)
    named = any(other in tree.mentions for child in behind for other in tree.children(child, "pobj"))
    if not named or verb is None or tree.words[noun + 1] in {"of", "for"}:
        return False
    describes = {"a", "an"} & {*tree.child_words(noun, "det")} or any(
        tree.parse.fine_tags[child] == "JJS" for child in tree.children(noun, "amod")
    )
    before = {*tree.child_words(verb, "prep", "agent")} if noun > verb else set[str]()
    return tree.words[noun + 1] in before and not (describes and tree.words[noun + 1] in {"in", "at"})


def _may_be_of_outer_noun(tree: SentenceTree, noun: int, name: int, mention: DraftMention) -> bool:
    """Whether a name behind a comma may be of the person around it: "the daughter of A's brother, B, founded C"."""
    preposition = tree.heads[noun]
    is_inner = tree.labels[noun] == "pobj" and tree.words[preposition] == "of" and tree.words[name - 1] == ","
    return is_inner and mention.type in {None, "Person"} and WORDS.is_of_person(tree.words[tree.heads[preposition]])


def _is_listed(tree: SentenceTree, noun: int) -> bool:
    """Whether a comma and "and" stand in front of a noun: "A, the B, and the C" are three."""
    first = min([noun, *tree.children(noun, "det", "compound", "amod", "poss")])
    return first > 1 and tree.words[first - 1] in {"and", "&"} and tree.words[first - 2] == ","


def _ends_condition(tree: SentenceTree, noun: int) -> bool:
    """Whether the comma behind a noun may end a clause in front of the sentence: "If A is built with B, a tool …"."""
    before = tree.words[:noun]
    opening = max((index for index, word in enumerate(before) if word in _CONDITIONS), default=None)
    return opening is not None and "," not in before[opening:]


def _is_description(tree: SentenceTree, token: int) -> bool:
    """Whether a token is a noun that is no name, or the name of a role."""
    mention = tree.mentions.get(token)
    return tree.parse.tags[token] in {"NOUN", "PROPN"} if mention is None else mention.kind == "role"
