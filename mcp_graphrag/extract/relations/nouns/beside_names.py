"""What stands directly in front of or behind a name: "the Norwegian painter Munch", "Leeds-based Acme", "A, CTO of B".

Read from the order of the words, as the parser takes such a noun for the subject or object too often.
"""

from collections.abc import Iterator

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_demonym, with_type
from mcp_graphrag.extract.relations.find_subjects import subjects_of
from mcp_graphrag.extract.relations.names.named import Found, described_by
from mcp_graphrag.extract.relations.nouns.noun_owners import is_field
from mcp_graphrag.extract.relations.sentence_tree import BESIDE, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER

_MAX_WORDS = 4  # between the adjective or place and the name
_ADJECTIVES = frozenset({"NN", "JJ", "VBG", "VBN", "CC", "HYPH", "NNP", "RB"})
# "An American football player" may be of any nation, and so may "a Spanish teacher".
_SPORTS = frozenset({"football", "language", "literature", "league", "civil", "revolutionary", "studies", "history"})
_TEACHERS = frozenset({"teacher", "translator", "professor", "scholar", "tutor", "governor", "ambassador", "historian"})
_ROLES = frozenset(
    {"partner", "owner", "head", "chair", "lead", "chief", "editor", "captain", "member", "host", "curator"}
)
_PARTS = frozenset({"role", "roles", "portrayal", "performance"})
_FAMED = frozenset({"known", "remembered", "recognized", "recognised", "noted"})
_MAX_OPENING = 8  # tokens
_OF_GROUP = frozenset({"at", "of", "for", "with"})


def nationalities(tree: SentenceTree, token: int, mention: DraftMention) -> Iterator[Found]:
    """The nationality in "the Norwegian landscape painter Munch", and what the noun says that the person is."""
    noun = token - 1
    if noun < 1 or mention.kind != "name" or mention.type not in {None, "Person"} or noun in tree.mentions:
        return
    if not WORDS.is_of_person(tree.words[noun]) or tree.words[noun] in _TEACHERS or tree.parse.fine_tags[noun] != "NN":
        return
    at = noun - 1
    while at > 0 and noun - at < _MAX_WORDS and at not in tree.mentions and _may_stand_between(tree, at):
        at -= 1
    nation = tree.mentions.get(at)
    if nation is None or not (is_demonym(nation.name) or nation.name in GAZETTEER.nationalities):
        return
    if not (_SPORTS | GRAMMAR.changing).isdisjoint(tree.words[at - 1 : noun]) or tree.words[at - 1] in {"-", "and"}:
        return
    person = with_type(mention, "Person")
    yield Found(DraftTriple(person, "nationality", nation, tree.words[noun], "noun"), token, BESIDE)


def _may_stand_between(tree: SentenceTree, token: int) -> bool:
    return tree.parse.fine_tags[token] in _ADJECTIVES and tree.words[token][0].isalpha()


def bases(tree: SentenceTree, token: int, mention: DraftMention) -> Iterator[Found]:
    """The place in "the Leeds-based Acme" and "Leeds-based software maker Acme"."""
    if mention.kind != "name" or mention.type in {"Location", "Role", "Date"} or is_followed_by_noun(tree, token):
        return
    if is_demonym(mention.name):
        return  # "the London-based Swedish financier"
    at = token - 1
    if at > 2 and tree.words[at] == ",":
        at -= 1
        if tree.words[at] == "based" or (tree.words[at] not in WORDS.kind_nouns and 0 not in tree.mentions):
            return  # "Leeds-based, Acme and Moss offices"
    while at > 2 and token - at <= _MAX_WORDS and at not in tree.mentions and _may_stand_between(tree, at):
        if tree.words[at] == "based":
            break
        at -= 1
    place = tree.mentions.get(at - 2) if tree.words[at] == "based" and tree.words[at - 1] == "-" else None
    if place is not None and place.type == "Location":
        yield Found(DraftTriple(mention, "based_in", place, "based", "noun"), token, BESIDE)


def roles_played(tree: SentenceTree) -> Iterator[Found]:
    """The characters of "an actress known for her role as B": the actress portrays B."""
    for role in range(1, tree.size):
        if tree.words[role] not in _PARTS or {"his", "her"}.isdisjoint(tree.child_words(role, "poss")):
            continue
        known = tree.heads[tree.heads[role]]
        if tree.labels[role] != "pobj" or tree.words[tree.heads[role]] != "for" or tree.words[known] not in _FAMED:
            continue
        players = [described_by(tree, one.token) for one in subjects_of(tree, known)]
        if len(players) != 1 or players[0] is None or players[0].type not in {None, "Person"}:
            continue
        for preposition in tree.children(role, "prep") if tree.words[role + 1] == "as" else ():
            for noun in tree.children(preposition, "pobj") if preposition == role + 1 else ():
                for name in tree.conjuncts(noun):
                    other = tree.mentions.get(name)
                    if other is not None and other.kind == "name" and other.type in {None, "Person"}:
                        draft = DraftTriple(with_type(players[0], "Person"), "portrays", other, "role as", "noun")
                        yield Found(draft, role, min(tree.certainty(name, role), tree.certainty(role, known)))


def is_followed_by_noun(tree: SentenceTree, token: int) -> bool:
    """Whether a common noun stands directly behind a name, so that this only says which: "the LNG company"."""
    behind = token + 1
    return behind < tree.size and behind not in tree.mentions and tree.parse.fine_tags[behind] in {"NN", "NNS"}


def roles_beside(tree: SentenceTree) -> Iterator[tuple[int, int]]:
    """The nouns that say what a person is of a group, each with the token of the person.

    "Ann Lee, managing partner at Acme", and at the start of a sentence "Chief architect at Acme, Ann Lee".
    """
    for token, mention in tree.mentions.items():
        if mention.type == "Person" and mention.kind == "name":
            for noun in (*_roles_behind(tree, token), *_role_in_front(tree, token)):
                yield noun, token


def _roles_behind(tree: SentenceTree, person: int) -> list[int]:
    """The roles of a list behind a name that ends in a group: "A, founder and chief executive of B"."""
    roles: list[int] = []
    at = person + 2
    while tree.words[at - 1 : at] == [","] or tree.words[at - 1 : at] == ["and"]:
        noun = at
        while noun < min(tree.size - 1, at + 3) and noun not in tree.mentions and _goes_on(tree, noun):
            noun += 1
        if noun + 1 >= tree.size or not _is_role(tree, noun) or _is_changed(tree, at, noun):
            return []
        roles.append(noun)
        if tree.words[noun + 1] in _OF_GROUP:
            return roles if _is_group(tree, noun + 2) else []
        at = noun + 2
    return []


def _role_in_front(tree: SentenceTree, person: int) -> list[int]:
    """The role of a group that opens a sentence: "Chief architect at B, A"."""
    comma = person - 1
    if not 2 < comma < _MAX_OPENING or tree.words[comma] != "," or comma - 1 not in tree.mentions:
        return []
    prepositions = [at for at in range(1, comma - 1) if tree.words[at] in _OF_GROUP]
    if len(prepositions) != 1:
        return []
    noun = prepositions[0] - 1
    others = [at for at in range(comma) if at not in {noun, noun + 1}]
    plain = all(at in tree.mentions or _goes_on(tree, at) or tree.words[at] == "the" for at in others)
    is_role = plain and _is_role(tree, noun) and _is_group(tree, noun + 2) and not _is_changed(tree, 0, noun)
    return [noun] if is_role else []


def _goes_on(tree: SentenceTree, token: int) -> bool:
    """Whether a word may stand in front of the noun of a role: "managing", "senior", "software"."""
    following = token + 1 < tree.size and tree.words[token + 1] not in _OF_GROUP
    return following and tree.parse.fine_tags[token] in {"NN", "JJ", "VBG"} and tree.words[token].isalpha()


def _is_role(tree: SentenceTree, noun: int) -> bool:
    role = tree.mentions.get(noun)
    word = tree.words[noun].rpartition("-")[2]
    return WORDS.last_word.get(word) == "Role" or word in _ROLES if role is None else role.kind == "role"


def _is_group(tree: SentenceTree, token: int) -> bool:
    return _group_at(tree, token) is not None


def _group_at(tree: SentenceTree, token: int) -> DraftMention | None:
    """The name there that may be of a group, behind "the" or not."""
    group = tree.mentions.get(token + (tree.words[token : token + 1] == ["the"]))
    return group if group is not None and group.kind == "name" and group.type not in {"Person", "Date"} else None


def group_of(tree: SentenceTree, role: int, person: int) -> Found | None:
    """That a person belongs to the group that "at", "of" or "for" behind a role names."""
    group = _group_at(tree, role + 2) if tree.words[role + 1 : role + 2] and tree.words[role + 1] in _OF_GROUP else None
    if group is None or is_field(tree.words[role], group):
        return None
    return Found(DraftTriple(tree.mentions[person], "affiliated_with", group, tree.words[role], "noun"), role, BESIDE)


def _is_changed(tree: SentenceTree, start: int, noun: int) -> bool:
    return not GRAMMAR.changing.isdisjoint(tree.words[start : noun + 1])
