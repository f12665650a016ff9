"""The mention that a noun of a tree stands for, and whether its type fits a predicate."""

from collections.abc import Sequence
from typing import NamedTuple

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.discourse.plurals import PLURAL
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_demonym, is_software, with_type
from mcp_graphrag.extract.relations.exclusions import is_negated_noun
from mcp_graphrag.extract.relations.find_subjects import RELATIVES, own_report
from mcp_graphrag.extract.relations.names.cut_names import NOT_FIRST, is_cut
from mcp_graphrag.extract.relations.names.longer_names import (
    CODE_THINGS,
    REGIONS,
    THINGS,
    is_kind_of,
    part_of_software,
    person_behind_description,
    system_of_words,
    with_others,
)
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_given_name

_MAX_DEPTH = 3
_NO_ENDS = frozenset({"url", "email"})
_FOR_NAMES = frozenset({"name", "term", "word", "acronym", "abbreviation"})
_ANY = frozenset({"a", "an", "any", "each", "every", "some"})
_THIS = frozenset({"this", "that", "its", "our", "your", "their"})
_NAMED = frozenset({"named", "called", "titled", "entitled", "nicknamed", "dubbed"})
_PARTS = frozenset({"section", "subsection", "chapter", "appendix", "page", "part", "paragraph"})
# Types whose entities do what persons do, but have no birth and no family.
_ACTORS = frozenset({"Person", "Organization", "Team", "Role"})
_PLACES = frozenset({"Location", "Organization"})
# The forms of identifiers that are no person and no place; a region may stand between backticks.
_SCHOOLS = frozenset(
    """
    school schools schule college university universität université universidad universiteit academy academie institute
    seminary conservatory conservatoire polytechnic gymnasium lyceum lycée hochschule faculty kindergarten
    """.split()  # noqa: SIM905
)
_NEVER_CODE = {
    "Person": frozenset({"code", "dotted", "snake", "call", "path"}),
    "Location": frozenset({"call"}),
}


class Found(NamedTuple):
    """A triple, the token of the verb or noun that states it, and the least certainty of the arcs that it is read from.

    `date` replaces the predicate where a date is what the verb relates; `held` is True where the past says no more
    than that it was so.
    """

    draft: DraftTriple
    anchor: int
    certainty: float


def mention_of(tree: SentenceTree, token: int, depth: int = 0) -> DraftMention | None:
    """The mention that a noun stands for: its own, that of its apposition, or what it says the kind of.

    "The translator Edith Sorn", "his wife Ann", "the Envoy service"; not "the Envoy proposal" and not "no service".
    """
    mention = tree.mentions.get(token)
    if mention is None:
        mention = _beside(tree, token, depth) if tree.is_noun(token) and depth < _MAX_DEPTH else None
    elif mention.kind == "role":
        named = [tree.mentions[child] for child in tree.children(token, "appos") if child in tree.mentions]
        behind = tree.mentions.get(token + 1)
        named += [behind] if behind is not None and behind.kind == "name" else []  # "CEO of Acme Ann Lee"
        mention = next((each for each in named if each.type == "Person"), mention)  # "the CEO of Acme, Ann Lee"
    elif mention.kind in _NO_ENDS or _modifies(tree, token, mention) or _is_word_for(tree, token):
        return None
    elif any(tree.parse.fine_tags[child] == "JJS" for child in tree.children(token, "amod")):
        return None  # "the largest `i32`"
    if mention is not None and is_cut(tree, mention):
        return None
    if mention is not None:
        mention = with_others(tree, token, mention)
    behind_that = tree.labels[token] in {"dobj", "pobj"} and tree.words[token - 1 : token] == ["that"]
    return None if mention is None or behind_that or is_negated_noun(tree, token) else mention


def _is_word_for(tree: SentenceTree, token: int) -> bool:
    """Whether a name stands behind "the name" or "the section called": what is said is about a word or a part."""
    before = token - 1 - (tree.words[token - 1] in {'"', "“", "``"})
    if before < 1:
        return False
    is_of_part = tree.words[before] in _NAMED and tree.words[before - 1] in _PARTS
    return is_of_part or (tree.words[before] in _FOR_NAMES and tree.words[before - 1] == "the")


def _beside(tree: SentenceTree, token: int, depth: int) -> DraftMention | None:
    """The name beside a noun that describes it: an apposition, the name behind it, or the one whose kind it is.

    What is said of the word for a thing, "the name Moss was inspired by Fern", is not said of the thing.
    """
    if tree.words[token] in _FOR_NAMES:
        return None
    for child in tree.children(token, "appos"):
        in_brackets = "(" in tree.words[token + 1 : child]
        if in_brackets and not _may_name(tree, token, child):
            continue
        if child not in tree.mentions or tree.mentions[child].kind not in _NO_ENDS | {"date", "role"}:
            return mention_of(tree, child, depth + 1)
    behind = tree.mentions.get(token + 1)
    if behind is not None and tree.heads[token + 1] == token and behind.kind == "name":
        return behind
    region = _region(tree, token)
    if region is not None:
        return region
    # "An SQLite database" is not SQLite, and "the SMTP email backend" is not SMTP.
    modifiers = [
        child
        for child in tree.children(token, "compound", "nmod", "amod")
        if tree.labels[child] != "amod" or tree.parse.tags[child] in {"NOUN", "PROPN"}
    ]
    # "This CommonJS module" and "the before-filter Postfix server" are none of the name.
    is_special = any("-" in word for word in tree.child_words(token, "amod"))
    is_special |= any(
        modifiers[0] < child for child in tree.children(token, "amod") if modifiers
    )  # "Gaza military base"
    is_the_only = len(modifiers) == 1 and not is_special
    is_means = tree.words[token] in {"mechanism", "algorithm"}  # "the CRAM-MD5 authentication mechanism"
    is_the_only |= is_means and len(modifiers) == 2 and modifiers[1] not in tree.mentions
    others = {"new", "current"}.issuperset(tree.child_words(token, "amod"))
    is_the_only &= others or tree.words[token] not in THINGS | CODE_THINGS  # "the rival Sentry organisation"
    is_the_only = is_the_only and (_ANY | _THIS).isdisjoint(tree.child_words(token, "det", "poss"))
    of_kind = (tree.mentions.get(child) for child in modifiers if is_the_only)
    called = (
        tree.mentions.get(name)
        for child in tree.children(token, "acl")
        if tree.words[child] in _NAMED and tree.words[token] not in _PARTS
        for name in tree.children(child, "oprd", "dobj", "attr")
    )
    kinds = (mention for mention in of_kind if mention is not None and is_kind_of(tree.words[token], mention))
    return (
        next(kinds, None)
        or next((mention for mention in called if mention is not None), None)
        or person_behind_description(tree, token)
        or part_of_software(tree, token)
        or system_of_words(tree, token)
    )


def _region(tree: SentenceTree, noun: int) -> DraftMention | None:
    """The name behind a noun for a region: "the canton of Valais"."""
    if tree.words[noun] not in REGIONS or "the" not in tree.child_words(noun, "det"):
        return None
    for preposition in tree.children(noun, "prep"):
        if preposition == noun + 1 and tree.words[preposition] == "of":
            for name in tree.children(preposition, "pobj"):
                named = tree.mentions.get(name)
                is_one = named is not None and named.type in {None, "Location"} and len(tree.conjuncts(name)) == 1
                return named if is_one else None
    return None


def _may_name(tree: SentenceTree, noun: int, inside: int) -> bool:
    """Whether what stands in brackets behind a noun names it: "the founder (Ann Lee)".

    Not an example, an issue, another wording or whose work it is: "a label (e.g. `blog`)", "a version (Ann Lee)".
    """
    type_ = tree.mentions[inside].type if inside in tree.mentions else None
    return type_ is not None and (type_ != "Person" or WORDS.is_of_person(tree.words[noun]))


def _modifies(tree: SentenceTree, token: int, mention: DraftMention) -> bool:
    """Whether a noun stands directly behind a name, which the tree should have made its head: "her TV debut"."""
    behind = token + 1
    title = tree.mentions.get(behind)
    is_before_title = title is not None and title.kind == "role" and behind + 1 in tree.mentions
    if is_before_title or (tree.labels[token] == "dobj" and _has_object_behind(tree, token)):
        return True  # "met Acme CTO Ann Lee"
    if behind >= tree.size or behind in tree.mentions or tree.parse.fine_tags[behind] not in {"NN", "NNS"}:
        return False
    adjacent = tree.token(behind).start - tree.token(token).end <= 2  # a space and a backtick
    beside = tree.labels[token] in {"dobj", "pobj", "nsubj", "nsubjpass", "attr"} and tree.labels[behind] != "npadvmod"
    return adjacent and beside and mention.kind != "date" and not is_kind_of(tree.words[behind], mention)


def _has_object_behind(tree: SentenceTree, token: int) -> bool:
    """Whether the tree has a common noun for another object of the verb, which the name says the kind of.

    "Provides an HTTP caching interceptor", where it took "caching" for a verb; "provides Linux, Solaris & Windows
    clients".
    """
    behind = [child for child in tree.children(tree.heads[token], "dobj") if child > token]
    return any(
        child not in tree.mentions
        and tree.is_noun(child)
        and (
            all(tree.words[at].isalpha() and tree.words[at] not in {"and", "or"} for at in range(token + 1, child))
            or all(at in tree.mentions or tree.words[at] == "," for at in range(token + 1, child))
        )
        and not tree.children(child, "det", "poss")
        for child in behind
    )


def described_by(tree: SentenceTree, token: int) -> DraftMention | None:
    """The mention that a noun describes, for the clauses behind it: "Nimbus is a scheduler that …", "Nimbus, a …"."""
    reporter = own_report(tree, tree.heads[token]) if tree.words[token] == "it" else None
    mention = mention_of(tree, token if reporter is None else reporter)
    if mention is not None and not (tree.labels[token] == "attr" and is_demonym(mention.name)):
        return _described_as_one(tree, token) or mention
    head = tree.heads[token]
    if ":" in tree.words[min(head, token) : max(head, token)]:
        return None  # a label and the sentence behind it
    if tree.labels[token] == "pobj" and tree.words[head] == "of" and tree.words[tree.heads[head]] == "one":
        token, head = tree.heads[head], tree.heads[tree.heads[head]]  # "A is one of those who …"
    if tree.labels[token] == "appos":
        return None if is_of_inner_name(tree, token) else mention_of(tree, head)
    if tree.labels[token] == "attr" and tree.lemma(head) == "be":
        subjects = tree.children(head, "nsubj")
        return mention_of(tree, subjects[0]) if len(subjects) == 1 and len(tree.conjuncts(subjects[0])) == 1 else None
    return None


def _described_as_one(tree: SentenceTree, token: int) -> DraftMention | None:
    """The subject of "A is a Virtual Machine Monitor that …", of whose kind the name is; None for other nouns."""
    if tree.labels[token] == "appos" and tree.heads[token] == token - 1:
        token -= 1  # "an open source Virtual Machine Monitor"
    verb = tree.heads[token]
    determiners = [tree.token(child).text for child in tree.children(token, "det")]  # "A" of a title is in capitals
    if tree.labels[token] != "attr" or tree.lemma(verb) != "be" or {"a", "an"}.isdisjoint(determiners):
        return None
    subjects = tree.children(verb, "nsubj")
    is_one = len(subjects) == 1 and subjects[0] in tree.mentions and len(tree.conjuncts(subjects[0])) == 1
    return mention_of(tree, subjects[0]) if is_one else None


def is_of_inner_name(tree: SentenceTree, apposition: int) -> bool:
    """Whether a noun may describe a name of the clause in front instead of its head: "A, whose brother B, a poet"."""
    head = tree.heads[apposition]
    opens = tree.words[head + 1 : head + 2] == [","] and not RELATIVES.isdisjoint(tree.words[head + 2 : head + 3])
    between = (tree.mentions.get(token) for token in range(head + 3, apposition))
    return opens and any(mention is not None and mention.kind != "date" for mention in between)


def is_changed(tree: SentenceTree, noun: int) -> bool:
    """Whether a word in front of a noun makes it another one: "former owner", "deputy director", "then the owner"."""
    modifiers = tree.child_words(noun, "amod", "advmod", "compound", "nmod")
    first = min([noun, *tree.children(noun, "det", "amod", "compound", "poss")])
    if not (GRAMMAR.formerly | GRAMMAR.hedges | {"then"}).isdisjoint(tree.words[max(first - 1, 0) : noun]):
        return True
    if _is_second(tree.words[first:noun]):
        return True
    in_front = tree.words[max(first - 3, 0) : first]
    if in_front[:1] in (["at"], ["in"]) and in_front[1:2] != ["this"] and in_front[-1:] in (["time"], ["days"]):
        return True
    if any(word.startswith("ex-") for word in modifiers):
        return True
    return not GRAMMAR.changing.isdisjoint(modifiers) and " ".join(modifiers[-1:]) != "vice"


def _is_second(words: Sequence[str]) -> bool:
    """Whether words in front of a noun name another one than the first of a superlative: "second largest city"."""
    last = next((word for word in reversed(words) if word.rpartition("-")[2].endswith("est") or word == "most"), "")
    before = words[: words.index(last)] if last else ()
    return any(NOT_FIRST.fullmatch(word) for word in (*before, last.rpartition("-")[0]))


def typed(tree: SentenceTree, end: Argument, mention: DraftMention, expected: str | None) -> DraftMention:
    """The mention with the type that a predicate expects of it; "the Moss Swimmers" are no person."""
    is_several = expected == "Person" and end.token in tree.mentions and "the" in tree.child_words(end.token, "det")
    return mention if is_several else with_type(mention, expected)


def may_be_group(predicate: str, mention: DraftMention) -> bool:
    """Whether who leads something by one word, or reports to somebody, may be a team or company."""
    if predicate == "reports_to":
        return mention.kind != PLURAL
    return predicate == "leads" and " " not in mention.name and not is_given_name(mention.name)


def is_school(mention: DraftMention) -> bool:
    """Whether a name says that it is of a place to be educated at: "Moss College", "University of Moss"."""
    return not _SCHOOLS.isdisjoint(mention.name.casefold().replace("-", " ").split())


def gives_name(tree: SentenceTree, verb: int, subject: Argument, name: Argument) -> bool:
    """Whether a verb of naming says another name of its subject: "is called B".

    Not "is called after B", "is known as the quiet B", "the first A is called B" and "was originally called B".
    """
    is_after = not name.preposition and "IN" in tree.parse.fine_tags[verb + 1 : name.token]
    limits = (*tree.children(name.token, "amod"), *tree.children(subject.token, "amod", "nummod"))
    return not is_after and not limits and "originally" not in tree.words


def is_class(mention: DraftMention) -> bool:
    """Whether a name behind "is a" may be of a class: no place, nation's adjective or title in ordinary words."""
    words = mention.name.split()
    return (
        mention.type != "Location"
        and not is_demonym(mention.name)
        and not (len(words) > 1 and all(map(GAZETTEER.is_common, words)))
    )


def fits(mention: DraftMention, expected: str | None, *, of_person: bool) -> bool:
    """Whether a mention may be where a predicate expects a type; with `of_person` none but a person is one."""
    if expected in _NEVER_CODE and mention.kind in _NEVER_CODE[expected]:
        return False
    if mention.type is None or expected is None:
        return not (expected == "Person" and is_software(mention))
    if expected == "Person":
        is_state = mention.type == "Location" and mention.name in GAZETTEER.countries  # "Norway joined NATO"
        return mention.type == "Person" if of_person else mention.type in _ACTORS or is_state
    return mention.type in (_PLACES if expected == "Location" else {expected})
