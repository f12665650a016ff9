"""What a name is said to be: "A is a message broker", "A, a comedian", "A is an actress and model"."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.spans import MASK, Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_software, with_type
from mcp_graphrag.extract.relations.names.cut_names import is_cut
from mcp_graphrag.extract.relations.names.named import Found, is_changed
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

_NOT_NAMES = frozenset({"date", "role", "url", "email", "quoted"})
_MAX_WORDS = 2  # in front of the noun
# "A is a Redis client": it uses Redis, unlike "an HTTP header".
BUILT = frozenset(
    {
        "app",
        "application",
        "backend",
        "bot",
        "broker",
        "cache",
        "cli",
        "client",
        "cluster",
        "daemon",
        "framework",
        "frontend",
        "gateway",
        "library",
    }
    | {"microservice", "package", "pipeline", "plugin", "process", "program", "project", "script", "server", "service"}
    | {"site", "tool", "website", "wrapper"}
)
_ALSO_OF_THINGS = frozenset(
    {"manager", "coordinator", "administrator", "model", "host", "driver", "player", "editor", "runner", "fighter"}
)
_TOO_GENERAL = frozenset(
    """
    tool system component utility group interface method option parameter producer program society stream service
    package platform extension building attribute model engine software
    """.split()  # noqa: SIM905
)
# What the form of a name says already: "`open()` is a function".
_CODE_TYPES = frozenset({"Function", "Method", "Class"})
_CODE_NOUNS = (["function"], ["method"], ["class"])
_BUILT_TYPES = frozenset({"Service", "Database", "Component", "Technology", "Library", "Framework", "Microservice"})
_JOINING = frozenset({"and", "&", "or", ":", "of", "'s", "/"})
MAX_ROLE = 50  # characters in front of a name that may tell its role
_OURS = re.compile(r"\b[Oo]ur (?:[a-z]+[ -]){0,4}[a-z]+,? \Z")
_SAYS_KIND = re.compile(
    rf"[`{MASK}]*\s*(?:\([^()]{{0,200}}\)\s*)?(?:,[^,]{{0,60}},\s*)?(?:(?:is|was)\s+(?:also\s+)?an?\s|,\s+an?\s)"
)


def kind_triples(
    tree: SentenceTree, noun: int, mention: DraftMention, anchor: int, certainty: float
) -> Iterator[Found]:
    """The kind that a noun behind "a" says a mention is of, and those that "and" joins to it."""
    if mention.kind in _NOT_NAMES:
        return
    if {"a", "an"}.isdisjoint(tree.child_words(noun, "det")):
        yield from _of_several(tree, noun, mention, anchor, certainty)
        return
    if not _is_whole(tree, mention) or is_cut(tree, mention):
        return
    for each in tree.conjuncts(noun):
        words = _words(tree, each, mention) if each == noun or _is_joined(tree, each) else []
        is_person = WORDS.is_of_person(tree.words[each]) or _is_doer(tree.words[each], mention)
        is_person = is_person and not (is_software(mention) or _may_be_thing(tree, each, mention))
        fits = mention.type in {None, "Person"} if is_person else mention.type != "Person"
        says_nothing = mention.name.casefold().endswith(tuple(words[-1:]))
        says_nothing |= len(words) == 1 and words[0] in _TOO_GENERAL and not is_person
        says_nothing |= mention.type in _CODE_TYPES and words in _CODE_NOUNS
        is_of_list = each != noun and anchor == noun and not is_person  # "for A, a tool chain, kernel and other parts"
        if not words or not fits or says_nothing or is_of_list:
            continue
        start, end = tree.token(max(each - len(words) + 1, 0)).start, tree.token(each).end
        kind = DraftMention(start, end, " ".join(words), None, "kind", 0.5)
        holder = with_type(mention, "Person") if is_person else mention
        sure = min(certainty, tree.certainty(each, noun))
        yield Found(DraftTriple(holder, "is_a", kind, "is a", "kind"), anchor, sure)


def _of_several(tree: SentenceTree, noun: int, mention: DraftMention, anchor: int, certainty: float) -> Iterator[Found]:
    """The kind of each in "A and B are (both) clusters": a plural noun of several names, without another word."""
    subjects = [name for one in tree.children(tree.heads[noun], "nsubj") for name in tree.conjuncts(one)]
    named = [tree.mentions[one] for one in subjects if one in tree.mentions]
    kind = tree.words[noun].removesuffix("s")
    is_plural = tree.parse.fine_tags[noun] == "NNS" and tree.words[noun] == f"{kind}s" and _is_kind(kind)
    if not is_plural or len(named) < 2 or len(named) != len(subjects) or mention not in named:
        return
    before = noun - 1
    start = noun if before not in tree.mentions or tree.mentions[before].kind != "name" else before
    children = [child for child in tree.children(noun) if tree.labels[child] not in {"punct", "preconj"}]
    if any(child != start for child in children) or tree.words[start - 1] not in {"are", "were", "both"}:
        return
    is_person = WORDS.is_of_person(kind)
    if mention.type not in ({None, "Person"} if is_person else {None, *_BUILT_TYPES}) or kind in _TOO_GENERAL:
        return
    words = [tree.mentions[start].name, kind] if start < noun else [kind]
    span = tree.token(start).start, tree.token(noun).end
    draft = DraftTriple(mention, "is_a", DraftMention(*span, " ".join(words), None, "kind", 0.5), "are", "kind")
    yield Found(draft, anchor, certainty)


def may_be_described(prose: str, name: DraftMention, sentence: Span) -> bool:
    """Whether the text beside a name is like what says its kind or role: "is a", ", a", "our engineer," in front."""
    is_ours = _OURS.search(prose, max(sentence[0], name.start - MAX_ROLE), name.start) is not None
    return is_ours or _SAYS_KIND.match(prose, name.end, sentence[1]) is not None


def is_any(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause says which ones are meant, "an A that is a B", and not what A is."""
    noun = tree.heads[verb]
    is_set_off = "," in tree.words[noun:verb]
    is_plural = tree.parse.fine_tags[noun] in {"NNS", "NNPS"}  # "Providers that use A"
    is_one_of = bool({"a", "an", "any"} & {*tree.child_words(noun, "det")})
    return tree.labels[verb] == "relcl" and not is_set_off and (is_plural or is_one_of)


def _is_whole(tree: SentenceTree, mention: DraftMention) -> bool:
    """Whether nothing in front of a name looks like a part of it: "Cranks and A is a novel", "My A is a film"."""
    token = tree.token_of(mention) or 0
    return not tree.children(token, "poss") and (token == 0 or tree.words[token - 1] not in _JOINING)


def _is_joined(tree: SentenceTree, noun: int) -> bool:
    """Whether a noun behind "and" is of the same thing: with the same article or none."""
    determiners = tree.child_words(noun, "det", "poss", "nummod")
    return not determiners or determiners in (["a"], ["an"])


def _words(tree: SentenceTree, noun: int, mention: DraftMention) -> list[str]:
    """The noun with the nouns in front of it that say which kind; none where it names no kind or not this one."""
    word = tree.words[noun]
    if not (_is_kind(word) or _is_doer(word, mention)):
        return []
    if noun in tree.mentions or tree.parse.fine_tags[noun] != "NN" or is_changed(tree, noun):
        return []
    if "of" in tree.child_words(noun, "prep") or tree.child_words(noun, "neg", "nummod"):
        return []
    before = noun
    while before > 0 and noun - before < _MAX_WORDS and _is_part(tree, before - 1, noun):
        before -= 1
    for token in range(noun - 1, before - 1, -1):
        if (
            any(tree.labels[child] != "compound" for child in tree.children(token))
            or not tree.token(token - 1).text[-1].isalnum()
        ):
            before = token + 1  # "a heavy metal musician", "an east–west street"
            break
    if before > 0 and tree.words[before - 1] == "chief":
        before -= 1  # "a chief operating officer"
    name = before - 1
    is_named = name in tree.mentions and tree.labels[name] == "compound" and tree.heads[name] in range(before, noun + 1)
    is_plain = word in WORDS.kind_nouns or WORDS.is_of_person(word)
    if before == noun and is_named and not is_plain and tree.mentions[name].kind == "name":
        return [tree.mentions[name].name, word]  # "an HTTP client" is no client of anything else
    return list(tree.words[before : noun + 1])


def _is_part(tree: SentenceTree, token: int, noun: int) -> bool:
    text = tree.token(token).text
    beside = tree.labels[token] == "compound" and tree.heads[token] in range(token + 1, noun + 1)
    return beside and token not in tree.mentions and tree.parse.fine_tags[token] == "NN" and text.isalpha()


def _may_be_thing(tree: SentenceTree, noun: int, mention: DraftMention) -> bool:
    """Whether a noun for persons may be for a thing: "OpenRC is a service manager", "the Moss PMD is a driver"."""
    if tree.words[noun] not in _ALSO_OF_THINGS or mention.type is not None:
        return False
    token = tree.token_of(mention)
    has_acronym = any(part.isupper() and len(part) > 1 for part in mention.name.split())
    has_article = token is not None and "the" in tree.child_words(token, "det")
    return has_acronym or " " not in mention.name or has_article


def _is_doer(word: str, mention: DraftMention) -> bool:
    """Whether a noun says what a person does: "baker"."""
    return mention.type == "Person" and word.endswith(("er", "or")) and word not in GRAMMAR.no_kinds | GRAMMAR.kinds


def _is_kind(word: str) -> bool:
    last = word.rpartition("-")[2]
    names_kind = WORDS.is_of_person(last) or last in GRAMMAR.kinds or last in GRAMMAR.places
    return names_kind and last not in GRAMMAR.no_kinds
