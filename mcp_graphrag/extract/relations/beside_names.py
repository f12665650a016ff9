"""What stands directly in front of or behind a name: "the Norwegian painter Munch", "Leeds-based Acme", "A, CTO of B".

Read from the order of the words, as the parser takes such a noun for the subject or object too often.
"""

from collections.abc import Iterator

from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_demonym, with_type
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.gazetteer import GAZETTEER
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.named import Found, is_person_noun
from mcp_graphrag.extract.relations.sentence_tree import BESIDE, SentenceTree

_MAX_WORDS = 4  # between the adjective or place and the name
_ADJECTIVES = frozenset({"NN", "JJ", "VBG", "VBN", "CC", "HYPH", "NNP", "RB"})
# "An American football player" may be of any nation, and so may "a Spanish teacher".
_SPORTS = frozenset({"football", "language", "literature", "league", "civil", "revolutionary", "studies", "history"})
_TEACHERS = frozenset({"teacher", "translator", "professor", "scholar", "tutor", "governor", "ambassador", "historian"})
_ROLES = frozenset(
    {"partner", "owner", "head", "chair", "lead", "chief", "editor", "captain", "member", "host", "curator"}
)
_OF_GROUP = frozenset({"at", "of", "for", "with"})


def nationalities(tree: SentenceTree, token: int, mention: DraftMention) -> Iterator[Found]:
    """The nationality in "the Norwegian landscape painter Munch", and what the noun says that the person is."""
    noun = token - 1
    if noun < 1 or mention.kind != "name" or mention.type not in {None, "Person"} or noun in tree.mentions:
        return
    if not is_person_noun(tree.words[noun]) or tree.words[noun] in _TEACHERS or tree.parse.fine_tags[noun] != "NN":
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
    yield Found(DraftTriple(person, "nationality", nation, tree.words[noun], 0.9), token, BESIDE)


def _may_stand_between(tree: SentenceTree, token: int) -> bool:
    return tree.parse.fine_tags[token] in _ADJECTIVES and tree.words[token][0].isalpha()


def bases(tree: SentenceTree, token: int, mention: DraftMention) -> Iterator[Found]:
    """The place in "the Leeds-based Acme" and "Leeds-based software maker Acme"."""
    if mention.kind != "name" or mention.type in {"Location", "Role", "Date"} or is_followed_by_noun(tree, token):
        return
    at = token - 1
    if at > 2 and tree.words[at] == ",":
        at -= 1
        if tree.words[at] not in WORDS.kind_nouns:
            return
    while at > 2 and token - at <= _MAX_WORDS and at not in tree.mentions and _may_stand_between(tree, at):
        if tree.words[at] == "based":
            break
        at -= 1
    place = tree.mentions.get(at - 2) if tree.words[at] == "based" and tree.words[at - 1] == "-" else None
    if place is not None and place.type == "Location":
        yield Found(DraftTriple(mention, "based_in", place, "based", 0.85), token, BESIDE)


def is_followed_by_noun(tree: SentenceTree, token: int) -> bool:
    """Whether a common noun stands directly behind a name, so that this only says which: "the LNG company"."""
    behind = token + 1
    return behind < tree.size and behind not in tree.mentions and tree.parse.fine_tags[behind] in {"NN", "NNS"}


def roles_beside(tree: SentenceTree) -> Iterator[tuple[int, int]]:
    """The nouns that say what a person is between commas, each with the token of the person.

    "Ann Lee, managing partner at Acme", and at the start of a sentence "Chief architect at Acme, Ann Lee".
    """
    for token, mention in tree.mentions.items():
        if mention.type != "Person" or mention.kind != "name":
            continue
        if tree.words[token + 1 : token + 2] == [","]:
            noun = token + 2
            while noun < min(tree.size - 1, token + 5) and noun not in tree.mentions and _goes_on(tree, noun):
                noun += 1
            if _is_role_of_group(tree, noun, noun + 1) and not _is_changed(tree, token + 2, noun):
                yield noun, token
        comma = token - 1
        if 2 < comma < 8 and tree.words[comma] == "," and comma - 1 in tree.mentions:
            prepositions = [at for at in range(1, comma - 1) if tree.words[at] in _OF_GROUP]
            if len(prepositions) == 1 and all(
                at in tree.mentions or _goes_on(tree, at) or tree.words[at] == "the"
                for at in range(comma)
                if at not in {*prepositions, prepositions[0] - 1}
            ):
                noun = prepositions[0] - 1
                if _is_role_of_group(tree, noun, noun + 1) and not _is_changed(tree, 0, noun):
                    yield noun, token


def _goes_on(tree: SentenceTree, token: int) -> bool:
    """Whether a word may stand in front of the noun of a role: "managing", "senior", "software"."""
    following = token + 1 < tree.size and tree.words[token + 1] not in _OF_GROUP
    return following and tree.parse.fine_tags[token] in {"NN", "JJ", "VBG"} and tree.words[token].isalpha()


def _is_role_of_group(tree: SentenceTree, noun: int, preposition: int) -> bool:
    """Whether a noun is a role and "at", "of" or "for" and the name of a group follow it."""
    if preposition + 1 >= tree.size or tree.words[preposition] not in _OF_GROUP:
        return False
    behind = preposition + 1 + (tree.words[preposition + 1] == "the")
    group = tree.mentions.get(behind)
    role = tree.mentions.get(noun)
    word = tree.words[noun].rpartition("-")[2]
    is_role = WORDS.last_word.get(word) == "Role" or word in _ROLES if role is None else role.kind == "role"
    return is_role and group is not None and group.kind == "name" and group.type not in {"Person", "Date"}


def _is_changed(tree: SentenceTree, start: int, noun: int) -> bool:
    return not GRAMMAR.changing.isdisjoint(tree.words[start : noun + 1])
