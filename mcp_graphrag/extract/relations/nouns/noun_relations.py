"""Triples of nouns that relate two names: "A is the owner of B", and of those beside names that `appositions` finds."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lexicon import Cue, Lexicon, predicate_name
from mcp_graphrag.english.raw_predicate import normalize_predicate
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_demonym, is_software, predicate_of, with_type
from mcp_graphrag.extract.relations.exclusions import is_negated_noun
from mcp_graphrag.extract.relations.names.named import Found, fits, is_changed, mention_of
from mcp_graphrag.extract.relations.nouns.noun_owners import Owner, is_in_part, noun_words, owners_of
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.guessed_types import may_be_person
from mcp_graphrag.mentions.type_by_shape import is_managing_software

_OF_ORGANIZATION = frozenset({"of", "at", "for", "with", "from"})
# Of an organization these nouns are roles, and not what makes a work: "the director of the bank".
_OF_WORKS = frozenset({"directed_by", "produced_by", "edited_by", "designed_by", "performed_by", "developed_by"})
_IN_FRONT = frozenset({",", "(", "as", "then", "currently", "now"})
_CHIEF = re.compile(r"(?P<office>C[A-Z]{1,2}O) of (?P<of>.+)")  # CEO, CTO, CISO
_TIMES = frozenset({"current", "present", "longtime", "then"})
# Of persons, but beside a name rather of programs: "the OpenSSH client SSH".
_OF_PROGRAMS = frozenset({"client", "assistant", "agent", "host", "user"})
_NO_FIELD = re.compile(r".+est|first|second|third|\w+th|\d+\w*")  # "the eleventh president", "the youngest editor"
_NO_OWNERS = frozenset({"date", "role", "url", "email", "quoted"})
_OPEN_LINKS = frozenset({"of", "for", "to", "around", "over"})
_HYPHENATED = re.compile(r"(?:front|back)-end|plug-in|add-(?:on|in)|great-grand[a-z]+|[a-z]+-in-law")
_PLACING = frozenset({"in", "at", "near"})


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
    is_label = holder.token < noun and tree.words[noun + 1 : noun + 2] == [":"]  # "at Graz (officer: Ann Lee)"
    if mention is None or mention.kind in {"date", "role"} or is_label:
        return
    certainty = holder.certainty
    owners = list(owners_of(tree, noun, holder.token))
    if noun in tree.mentions:
        yield from _role(tree, noun, mention, owners, anchor, certainty)
        return
    words = noun_words(tree, noun)
    is_other = not (GRAMMAR.changing - {"vice"}).isdisjoint(words[:-1]) or is_negated_noun(tree, noun)
    if is_other or is_changed(tree, noun) or "vice" in tree.child_words(noun, "amod", "compound", "nmod", "advmod"):
        return
    if is_managing_software(" ".join(words)) and (mention.type != "Person" or words[-1] == "editor"):
        return  # "npm - a JavaScript package manager", "Edwin, the text editor of Moss"
    may_be = may_be_person(mention.name) and not is_software(mention)
    is_person = may_be and WORDS.is_of_person(tree.words[noun])
    if is_person and mention.type is None:
        mention = mention._replace(type="Person")
    described = _Described(tree, noun, words, mention, is_person)
    found = [(draft, owner) for owner in owners if (draft := _of_owner(described, owner, lexicon)) is not None]
    office = _office(described)
    if office is not None and (_is_of_chief(words) or all(draft.predicate == "affiliated_with" for draft, _ in found)):
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
    behind = tree.words[noun + 1 : noun + 2]
    if mention.type is None and behind in (["-"], ["–"], ["—"]):
        return  # "Ann Lee resigns as CEO - Daily Moss" ends with the name of the site
    person = with_type(mention, "Person")
    of_whom = _CHIEF.fullmatch(role.name)
    if of_whom is not None:  # "is the CFO of B"
        start = role.end - len(of_whom["of"])
        organization = DraftMention(start, role.end, of_whom["of"], None, "name", 0.7)
        draft = DraftTriple(organization, of_whom["office"].lower(), person, f"{of_whom['office']} of", "noun")
        yield Found(draft, anchor, certainty)
        return
    yield Found(DraftTriple(person, "has_role", role, role.name, "noun"), anchor, certainty)
    for owner in owners:
        organization = owner.mention.kind not in {"date", "role"} and owner.mention.type not in {"Person", "Date"}
        if owner.preposition in {*_OF_ORGANIZATION, "'s", ""} and organization and not is_demonym(owner.mention.name):
            surface = f"{role.name} {owner.preposition}".strip()
            draft = DraftTriple(person, "affiliated_with", owner.mention, surface, "noun")
            yield Found(draft, anchor, min(certainty, owner.certainty))


def _is_of_person_before(tree: SentenceTree, role: int) -> bool:
    """Whether a role behind a person and a comma has a name behind it: "Ann Lee, Vice President, Acme"."""
    before = tree.mentions.get(role - 2)
    is_person = before is not None and before.type == "Person" and tree.words[role - 1] == ","
    return is_person and tree.words[role + 1 : role + 2] == [","] and role + 2 in tree.mentions


def _office(described: _Described) -> DraftTriple | None:
    """The role of a person in a noun without an article, "A, chief architect at B", or in "the chief risk officer".

    "Our" is as good as no article: whose role it is, the document says.
    """
    tree, noun, words, mention, _ = described
    is_role = WORDS.last_word.get(words[-1]) == "Role" and tree.parse.fine_tags[noun] == "NN"
    is_others = tree.child_words(noun, "poss") not in ([], ["our"]) or bool(tree.children(noun, "nummod", "neg"))
    if not is_role or mention.type != "Person" or is_others:
        return None
    before = noun - len(words)
    is_bare = before >= 0 and (tree.words[before] in {*_IN_FRONT, "our"} or tree.is_verb(before))
    if not (is_bare and not tree.children(noun, "det")) and not _is_of_chief(words):
        return None
    words = [word for word in words if word not in _TIMES]
    role = DraftMention(
        tree.token(noun - len(words) + 1).start, tree.token(noun).end, " ".join(words), "Role", "kind", 0.5
    )
    return DraftTriple(mention, "has_role", role, words[-1], "noun")


def _is_of_chief(words: Sequence[str]) -> bool:
    """Whether a noun is a role with an article too: "the chief financial officer"; "officer" alone says too little."""
    return words[0] == "chief" and words[-1] == "officer" and len(words) > 1


def _of_owner(described: _Described, owner: Owner, lexicon: Lexicon) -> DraftTriple | None:
    """The triple of a noun with what it is of."""
    words, mention, is_person = described.words, described.mention, described.is_person
    preposition, other = owner.preposition, owner.mention
    is_title = preposition == "" and (words[-1] in GRAMMAR.titles or _is_of_nation(described, other))
    # "the on-call lead for B"
    is_title |= preposition == "'s" and is_person and "of" in described.tree.child_words(described.noun, "prep")
    is_title |= list(words[-2:]) == ["product", "owner"]  # a role in a team
    is_title |= words[-1] == "home" and bool(described.tree.children(owner.token, "nummod"))  # "home of 300 Muslims"
    is_title |= words[-1] == "lead" and not is_person and not GRAMMAR.whole.issuperset(words[:-1])
    is_program = preposition == "" and words[-1] in _OF_PROGRAMS and (" " not in mention.name or other.name.isupper())
    if is_program or is_title or other.kind in {"date", "role"} or other.name == mention.name or _ends_in_rank(other):
        return None
    surface = f"'s {words[-1]}" if preposition == "'s" else f"{words[-1]} {preposition}".strip()
    cue = _cue(words, preposition, lexicon)
    of_person = _nation_or_office(described, owner, cue, surface) if is_person else None
    if of_person is not None or (preposition == "" and is_demonym(other.name)):
        return of_person if other.type != "Person" else None
    of_organization = other.type in {"Organization", "Team"} or len(words) > 1 or preposition == ""
    if cue is not None:
        if cue.predicate in _OF_WORKS and of_organization:
            return _property(described, owner, surface, definite=preposition != "")
        return _by_cue(cue, mention, other, surface)
    found = _by_preposition(described, owner)
    return _by_noun(described, owner, surface) if found is None else found._replace(surface=surface)


def _nation_or_office(described: _Described, owner: Owner, cue: Cue | None, surface: str) -> DraftTriple | None:
    """The nationality of a person, or an office in a part of what it is of: "finance director", "chief risk officer".

    The office is its whole noun where it is the only one, as in "the finance director of B".
    """
    tree, noun, words, mention, _ = described
    if owner.preposition == "" and is_demonym(owner.mention.name):
        return DraftTriple(mention, "nationality", owner.mention, surface, "noun")
    if not _is_of_chief(words) and (cue is None or not is_in_part(tree, noun, words, cue, owner.mention)):
        return None
    definite = "the" in tree.child_words(noun, "det") or owner.preposition == "'s"
    said = sum(word in words for word in cue.words) if cue is not None else 0
    is_whole = len(words) > said and tree.mentions.keys().isdisjoint(tree.children(noun, "amod", "compound", "nmod"))
    is_whole &= not any(_NO_FIELD.fullmatch(word) for word in words[:-1])
    if owner.preposition not in {"of", "'s"} or not definite or not is_whole:  # "the European chief executive of B"
        return DraftTriple(mention, "affiliated_with", owner.mention, surface, "noun")
    office = predicate_name([word for word in words if word not in _TIMES])
    return DraftTriple(owner.mention, office, mention, surface, "noun")


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
    return DraftTriple(with_type(first, cue.subject), cue.predicate, with_type(second, cue.object), surface, "noun")


def _by_preposition(described: _Described, owner: Owner) -> DraftTriple | None:
    """What the preposition behind any noun says: "a house in Oslo", "a song by A", "an engineer at B"."""
    tree, noun, words, mention, is_person = described
    preposition, other = owner.preposition, owner.mention
    if is_person:
        is_group = other.type in {"Organization", "Team"}
        works = (preposition in {"", "at", "for"} and other.type is None) or (preposition != "by" and is_group)
        return DraftTriple(mention, "affiliated_with", other, "", "noun") if works else None
    if mention.type == "Person":
        return None
    is_place = words[-1] in GRAMMAR.places
    adjacent = tree.words[noun + 1 : noun + 2] == [preposition]
    if preposition in _PLACING and adjacent and is_place and other.type in {None, "Location"}:
        return DraftTriple(mention, "located_in", with_type(other, "Location"), "", "noun")
    owned_work = preposition == "'s" and other.type == "Person" and words[-1] in GRAMMAR.works
    is_noun_by = preposition == "by" and tree.parse.tags[noun] == "NOUN" and words[-1] != "copyright"
    if not (owned_work or is_noun_by):
        return None
    predicate = "authored_by" if owned_work and words[-1] in GRAMMAR.written else "created_by"
    return DraftTriple(mention, predicate, other, "", "noun")


def _property(described: _Described, owner: Owner, surface: str, *, definite: bool) -> DraftTriple | None:
    """A noun that is no predicate of the lexicon, as a property: "the mascot of B"."""
    tree, noun, words, mention, is_person = described
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
    # "The holding company of B" is not the company of B, but its museum director is its director.
    named = [] if is_person else [one for one in words[:-1] if one not in _TIMES and not one[0].isdigit()]
    return DraftTriple(owner.mention, predicate_name([*named, word]), mention, surface, "noun")


def _open_noun(described: _Described, owner: Owner) -> DraftTriple | None:
    """A noun behind "is a" that no predicate of the lexicon is, with "of" or "for" and a name: "is a client for B"."""
    tree, noun, words, mention, _ = described
    is_role = tree.labels[noun] == "pobj" and tree.words[tree.heads[noun]] == "as"  # "works as a front-end to B"
    is_said = (is_role or tree.labels[noun] == "attr") and not {"a", "an"}.isdisjoint(tree.child_words(noun, "det"))
    adjacent = tree.words[noun + 1 : noun + 2] == [owner.preposition]
    if not is_said or not adjacent or owner.preposition not in _OPEN_LINKS or owner.mention.kind in _NO_OWNERS:
        return None
    word = words[-1]
    if (
        not (word.isalpha() or _HYPHENATED.fullmatch(word))
        or tree.parse.fine_tags[noun] != "NN"
        or word in GRAMMAR.no_property
    ):
        return None
    return DraftTriple(
        mention, predicate_name([word, owner.preposition]), owner.mention, f"{word} {owner.preposition}", "noun"
    )


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
