"""Triples of nouns that relate two names: "A, the owner of B", "B's owner A", "A is the owner of B", "B engineer A"."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.extract.english.draft_triple import (
    SAME_AS,
    DraftTriple,
    is_demonym,
    is_software,
    predicate_of,
    with_type,
)
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.guessed_types import may_be_person
from mcp_graphrag.extract.english.lexicon import Cue, Lexicon, predicate_name
from mcp_graphrag.extract.english.raw_predicate import normalize_predicate
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.relations.beside_names import bases, group_of, nationalities, roles_beside
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.kinds import kind_triples
from mcp_graphrag.extract.relations.named import Found, fits, is_changed, is_of_inner_name, mention_of
from mcp_graphrag.extract.relations.noun_owners import Owner, is_in_part, noun_words, owners_of
from mcp_graphrag.extract.relations.sentence_tree import BESIDE, Argument, SentenceTree

_OF_ORGANIZATION = frozenset({"of", "at", "for", "with", "from"})
# Of an organization these nouns are roles, and not what makes a work: "the director of the bank".
_OF_WORKS = frozenset({"directed_by", "produced_by", "edited_by", "designed_by", "performed_by", "developed_by"})
_ALIAS = frozenset({"aka", "a.k.a.", "a.k.a", "alias"})
# Of a noun in front of the name that it describes; the parser may take it for the subject or object.
_OF_TITLES = frozenset({"compound", "nmod", "npadvmod", "nsubj", "nsubjpass", "dep", "dobj", "pobj"})
_BREAKS = frozenset({",", "(", "-", "–", "—"})
_IN_FRONT = frozenset({",", "(", "as", "then", "currently", "now"})
_TIMES = frozenset({"current", "present", "longtime", "then"})
_CONDITIONS = frozenset({"if", "when", "while", "unless", "although", "once", "until", "where"})
_PLACING = frozenset({"in", "at", "near"})
_EXPLAINING = frozenset({"i.e.", "ie", "e.g.", "eg", "cf.", "see", "viz."})


class _Described(NamedTuple):
    """A noun of a tree with its words, the mention that it describes, and whether it is a noun for persons."""

    tree: SentenceTree
    noun: int
    words: Sequence[str]
    mention: DraftMention
    is_person: bool


def noun_triples(tree: SentenceTree, noun: int, holder: Argument, lexicon: Lexicon, anchor: int) -> Iterator[Found]:
    """What a noun says of who or what it describes: the mention of `holder`."""
    mention = mention_of(tree, holder.token)
    if mention is None or mention.kind in {"date", "role"}:
        return
    certainty = holder.certainty
    owners = list(owners_of(tree, noun, holder.token))
    if noun in tree.mentions:
        yield from _role(tree, noun, mention, owners, anchor, certainty)
        return
    words = noun_words(tree, noun)
    is_other = not (GRAMMAR.changing - {"vice"}).isdisjoint(words[:-1])
    if is_other or is_changed(tree, noun) or "vice" in tree.child_words(noun, "amod", "compound", "nmod", "advmod"):
        return
    may_be = may_be_person(mention.name) and not is_software(mention)
    is_person = may_be and WORDS.is_of_person(tree.words[noun])
    if is_person and mention.type is None:
        mention = mention._replace(type="Person")
    described = _Described(tree, noun, words, mention, is_person)
    found = [(draft, owner) for owner in owners if (draft := _of_owner(described, owner, lexicon)) is not None]
    office = _office(described)
    if office is not None and all(draft.predicate == "affiliated_with" for draft, _ in found):
        yield Found(office, anchor, certainty)
    for draft, owner in found:
        yield Found(draft, anchor, min(certainty, owner.certainty))


def _role(
    tree: SentenceTree, noun: int, mention: DraftMention, owners: Sequence[Owner], anchor: int, certainty: float
) -> Iterator[Found]:
    role = tree.mentions[noun]
    if WORDS.last_word.get(mention.name.rpartition(" ")[2].casefold()) == "Role" or _is_of_person_before(tree, noun):
        return
    is_acronym = mention.type is None and mention.name.isupper()  # "a Database Administrator (DBA)"
    if role.kind != "role" or mention.type not in {None, "Person"} or is_changed(tree, noun) or is_acronym:
        return
    if not GRAMMAR.changing.isdisjoint(tree.words[max(noun - 2, 0) : noun]):
        return  # "former Norwegian Prime Minister Ann Lee"
    person = with_type(mention, "Person")
    yield Found(DraftTriple(person, "has_role", role, role.name, 0.85), anchor, certainty)
    for owner in owners:
        organization = owner.mention.kind not in {"date", "role"} and owner.mention.type not in {"Person", "Date"}
        if owner.preposition in {*_OF_ORGANIZATION, "'s", ""} and organization and not is_demonym(owner.mention.name):
            surface = f"{role.name} {owner.preposition}".strip()
            draft = DraftTriple(person, "affiliated_with", owner.mention, surface, 0.85)
            yield Found(draft, anchor, min(certainty, owner.certainty))


def _is_of_person_before(tree: SentenceTree, role: int) -> bool:
    """Whether a role behind a person and a comma has a name behind it: "Ann Lee, Vice President, Acme"."""
    before = tree.mentions.get(role - 2)
    is_person = before is not None and before.type == "Person" and tree.words[role - 1] == ","
    return is_person and tree.words[role + 1 : role + 2] == [","] and role + 2 in tree.mentions


def _office(described: _Described) -> DraftTriple | None:
    """The role of a person in a noun without an article, "A, chief architect at B", or in "the chief risk officer"."""
    tree, noun, words, mention, _ = described
    is_role = WORDS.last_word.get(words[-1]) == "Role" and tree.parse.fine_tags[noun] == "NN"
    if not is_role or mention.type != "Person" or tree.children(noun, "poss", "nummod", "neg"):
        return None
    before = noun - len(words)
    is_bare = before >= 0 and (tree.words[before] in _IN_FRONT or tree.is_verb(before))
    if not (is_bare and not tree.children(noun, "det")) and not _is_of_chief(words):
        return None
    words = [word for word in words if word not in _TIMES]
    role = DraftMention(
        tree.token(noun - len(words) + 1).start, tree.token(noun).end, " ".join(words), "Role", "kind", 0.5
    )
    return DraftTriple(mention, "has_role", role, words[-1], 0.85)


def _is_of_chief(words: Sequence[str]) -> bool:
    """Whether a noun is a role with an article too: "the chief financial officer"; "officer" alone says too little."""
    return words[0] == "chief" and words[-1] == "officer" and len(words) > 1


def _of_owner(described: _Described, owner: Owner, lexicon: Lexicon) -> DraftTriple | None:
    """The triple of a noun with what it is of."""
    words, mention, is_person = described.words, described.mention, described.is_person
    preposition, other = owner.preposition, owner.mention
    is_title = preposition == "" and (words[-1] in GRAMMAR.titles or _is_of_nation(described, other))
    if is_title or other.kind in {"date", "role"} or other.name == mention.name or _ends_in_rank(other):
        return None
    surface = f"'s {words[-1]}" if preposition == "'s" else f"{words[-1]} {preposition}".strip()
    cue = _cue(words, preposition, lexicon)
    is_nation = preposition == "" and is_demonym(other.name)
    if is_nation or (is_person and cue is not None and is_in_part(described.tree, described.noun, words, cue, other)):
        predicate = "nationality" if is_nation else "affiliated_with"
        fits_person = is_person and (is_nation or other.type != "Person")
        return DraftTriple(mention, predicate, other, surface, 0.9) if fits_person else None
    of_organization = other.type in {"Organization", "Team"} or len(words) > 1 or preposition == ""
    if cue is not None and cue.predicate in _OF_WORKS and of_organization:
        return _property(described, owner, surface, definite=preposition != "")
    if cue is not None:
        return _by_cue(cue, mention, other, surface)
    by_preposition = _by_preposition(described, owner)
    if by_preposition is not None:
        return by_preposition._replace(surface=surface)
    return _by_noun(described, owner, surface)


def _is_of_nation(described: _Described, other: DraftMention) -> bool:
    """Whether a name in front of a noun for one of many begins with a nation: "an American Futurist painter"."""
    nation, _, behind = other.name.partition(" ")
    is_one = not {"a", "an"}.isdisjoint(described.tree.child_words(described.noun, "det"))
    return is_one and bool(behind) and is_demonym(nation)


def _by_noun(described: _Described, owner: Owner, surface: str) -> DraftTriple | None:
    """The triple of a noun that is no predicate of the lexicon: a property of the owner, or the noun as it is."""
    tree, noun, _, _, is_person = described
    preposition = owner.preposition
    definite = "the" in tree.child_words(noun, "det") or preposition == "'s"
    # Beside a name, an unknown noun is too often of something else: "in the diocese of A, the archdeaconry of B".
    is_sure = tree.labels[noun] in {"attr", "conj", "oprd"} or is_person
    return _property(described, owner, surface, definite=is_sure) if definite else _open_noun(described, owner)


def _ends_in_rank(owner: DraftMention) -> bool:
    """Whether a name ends in what belongs to the noun behind it: "Incumbent Vice President"."""
    return owner.name.rpartition(" ")[2].lower() in GRAMMAR.changing


def _by_cue(cue: Cue, mention: DraftMention, other: DraftMention, surface: str) -> DraftTriple | None:
    """The triple of a noun of the lexicon, if the types fit."""
    first, second = (other, mention) if cue.swap else (mention, other)
    of_person = cue.subject == cue.object == "Person"
    if not fits(first, cue.subject, of_person=of_person) or not fits(second, cue.object, of_person=of_person):
        return None
    if predicate_of(cue.predicate, first, second) is None:
        return None
    return DraftTriple(
        with_type(first, cue.subject), cue.predicate, with_type(second, cue.object), surface, cue.confidence
    )


def _by_preposition(described: _Described, owner: Owner) -> DraftTriple | None:
    """What the preposition behind any noun says: "a house in Oslo", "a song by A", "an engineer at B"."""
    tree, noun, words, mention, is_person = described
    preposition, other = owner.preposition, owner.mention
    if is_person:
        is_group = other.type in {"Organization", "Team"}
        works = (preposition in {"", "at", "for"} and other.type is None) or (preposition != "by" and is_group)
        return DraftTriple(mention, "affiliated_with", other, "", 0.85) if works else None
    if mention.type == "Person":
        return None
    is_place = words[-1] in GRAMMAR.places
    adjacent = tree.words[noun + 1 : noun + 2] == [preposition]
    if preposition in _PLACING and adjacent and is_place and other.type in {None, "Location"}:
        return DraftTriple(mention, "located_in", with_type(other, "Location"), "", 0.85)
    owned_work = preposition == "'s" and other.type == "Person" and words[-1] in GRAMMAR.works
    by_author = owned_work or (preposition == "by" and tree.parse.tags[noun] == "NOUN")
    return DraftTriple(mention, "created_by", other, "", 0.85) if by_author else None


def _property(described: _Described, owner: Owner, surface: str, *, definite: bool) -> DraftTriple | None:
    """A noun that is no predicate of the lexicon, as a property: "the mascot of B"."""
    tree, noun, words, mention, _ = described
    word = words[-1]
    if owner.preposition not in {"of", "'s"} or not definite or word in GRAMMAR.no_property:
        return None
    others = [word for word in tree.child_words(noun, "prep") if word in {"of", "to", "for"}]
    if owner.preposition == "'s" and (others or (len(words) > 1 and word not in GRAMMAR.works)):
        return None  # "A's answer to B", "A's first female director"
    if word == "officer" and len(words) > 1:
        return None
    read = normalize_predicate(f"{word} of")
    if not (read.known and read.swap) or tree.parse.fine_tags[noun] != "NN":
        return None
    return DraftTriple(owner.mention, predicate_name([word]), mention, surface, 0.8)


def _open_noun(described: _Described, owner: Owner) -> DraftTriple | None:
    """A noun behind "is a" that no predicate of the lexicon is, with "of" or "for" and a name: "is a client for B"."""
    tree, noun, words, mention, _ = described
    is_said = tree.labels[noun] == "attr" and not {"a", "an"}.isdisjoint(tree.child_words(noun, "det"))
    adjacent = tree.words[noun + 1 : noun + 2] == [owner.preposition]
    if not is_said or not adjacent or owner.preposition not in {"of", "for", "to"} or owner.mention.kind != "name":
        return None
    word = words[-1]
    if not word.isalpha() or tree.parse.fine_tags[noun] != "NN" or word in GRAMMAR.no_property:
        return None
    return DraftTriple(mention, f"{word}_{owner.preposition}", owner.mention, f"{word} {owner.preposition}", 0.8)


def _cue(words: Sequence[str], preposition: str, lexicon: Lexicon) -> Cue | None:
    """The cue of a noun with that preposition, of as many of its words as possible; a possessive is read as "of"."""
    links = {"'s": ("of", "for", "to"), "": ("of",)}.get(preposition, (preposition,))
    for size in range(len(words), 0, -1):
        for link in links:
            sought = (*words[-size:], *link.split())
            for cue in lexicon.cues.get(sought[0], ()):
                if cue.words == sought and cue.form in {"noun", "phrase"} and (preposition or cue.swap):
                    return cue
    return None


def appositions(tree: SentenceTree, lexicon: Lexicon) -> Iterator[Found]:
    """The triples of nouns beside a name: "A, the owner of B", "the owner of B, A", "B's owner A", "B engineer A"."""
    for token in range(tree.size):
        label, head = tree.labels[token], tree.heads[token]
        certainty = tree.certainties[token]
        if label == "appos" and tree.is_noun(token):
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
            yield from noun_triples(tree, noun, Argument(head, "", certainty), lexicon, noun)
    if token in tree.mentions and head in tree.mentions and not _ALIAS.isdisjoint(tree.words[head:token]):
        draft = DraftTriple(tree.mentions[head], SAME_AS, tree.mentions[token], "aka", 0.7)
        yield Found(draft, head, certainty)
    other = mention_of(tree, token)
    if _is_description(tree, head) and other is not None and not _may_be_of_outer_noun(tree, head, token, other):
        yield from noun_triples(tree, head, Argument(token, "", certainty), lexicon, head)


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
    """The organization in "Ann Lee of Acme Corp", where both have their type by themselves."""
    person = tree.mentions[token]
    if person.type != "Person" or person.kind != "name" or tree.words[token + 1 : token + 2] not in (["of"], ["from"]):
        return
    for preposition in tree.children(token, "prep"):
        for noun in tree.children(preposition, "pobj") if preposition == token + 1 else ():
            other = tree.mentions.get(noun)
            if other is not None and other.type in {"Organization", "Team"} and other.kind == "name":
                draft = DraftTriple(person, "affiliated_with", other, tree.words[preposition], 0.8)
                yield Found(draft, token, tree.certainty(noun, token))


def _is_subject_behind(tree: SentenceTree, noun: int) -> bool:
    """Whether a noun behind a comma is the subject of what follows: "To build with A, a tool such as B will do"."""
    last = max((token for token in range(noun, tree.size) if noun in {token, *tree.ancestors(token)}), default=noun)
    behind = last + 1
    if behind >= tree.size or "," in tree.words[noun:behind]:
        return False
    return tree.parse.fine_tags[behind] in {"MD", "VBZ", "VBP"} and tree.is_verb(behind)


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
