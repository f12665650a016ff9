"""The name that a noun of a sentence stands for, and whether it may be the end of a predicate."""

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.extract.draft_triple import is_software
from mcp_graphrag.extract.sentences.asserted import is_negated_noun
from mcp_graphrag.extract.sentences.clause_tree import ClauseTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER

_NO_ENDS = frozenset({"url", "email"})
_ACTORS = frozenset({"Person", "Organization", "Team", "Role"})  # who do what persons do
_NEVER_CODE = {"Person": frozenset({"code", "dotted", "snake", "call", "path"}), "Location": frozenset({"call"})}
# What a name in front of these says is which one of them is meant: "the Envoy service" is Envoy.
_THINGS = frozenset(
    """
    service system server tool library framework language protocol database team group company project package platform
    application app program module plugin component api engine film novel book album song band magazine newspaper river
    city town village county district province region island family
    """.split()  # noqa: SIM905
)


def name_of(tree: ClauseTree, token: int) -> DraftMention | None:
    """The mention that a noun stands for: its own, that of the name beside it, or the one that it says the kind of.

    "The translator Edith Sorn", "his wife Ann", "the Envoy service"; not "the Envoy proposal" and not "no service".
    """
    mention = tree.mentions.get(token)
    if mention is None:
        mention = _beside(tree, token) if tree.is_noun(token) else None
    elif mention.kind == "role" and (named := tree.mentions.get(token + 1)) is not None and named.type == "Person":
        mention = named  # "by the CEO of Acme Ann Lee"
    elif mention.kind in _NO_ENDS or _is_owned(tree, token):
        return None
    return None if mention is None or is_negated_noun(tree, token) else mention


def _beside(tree: ClauseTree, noun: int) -> DraftMention | None:
    for child in tree.children(noun, "appos"):
        mention = tree.mentions.get(child)
        if mention is not None and child == noun + 1 and mention.kind not in _NO_ENDS | {"date", "role"}:
            return mention
    behind = tree.mentions.get(noun + 1)
    if behind is not None and tree.heads[noun + 1] == noun and behind.kind in {"name", "quoted"}:
        return behind
    if tree.heads[noun + 1 : noun + 2] == [noun] and any(map(str.isdigit, tree.words[noun + 1])):
        return None  # "the LDAP server ldap-1" has a name of its own
    of = noun + 1  # "the town of Priozersk"
    if tree.words[of : of + 1] == ["of"] and of + 1 in tree.mentions and tree.words[noun] in _THINGS:
        inner = tree.mentions[of + 1]
        return inner if inner.type in {None, "Location"} and "the" in tree.child_words(noun, "det") else None
    modifiers = tree.children(noun, "compound", "nmod", "amod")
    named = [tree.mentions[child] for child in modifiers if child in tree.mentions]
    is_any = tree.child_words(noun, "det", "poss") - {"the"}
    is_one = len(modifiers) == len(named) == 1 and not is_any and named[0].kind not in _NO_ENDS | {"date", "role"}
    if not is_one or tree.words[noun] not in _THINGS:
        return None
    if tree.words[noun] != "team":
        return named[0]
    # What a team is named for, a product or its founder, is another thing.
    whole = f"{named[0].name} {tree.words[noun]}"
    return named[0]._replace(end=tree.parse.tokens[noun].end, name=whole, type="Team", kind="name")


def _is_owned(tree: ClauseTree, token: int) -> bool:
    """Whether a name in ordinary words is the end of a longer one: "Aunt" of "Charley's Aunt"."""
    if token < 2 or tree.words[token - 1] not in {"'s", "'"} or not tree.parse.tokens[token - 2].text.istitle():
        return False
    return all(map(GAZETTEER.is_common, tree.mentions[token].name.split()))


def described_by(tree: ClauseTree, token: int) -> DraftMention | None:
    """The mention that a noun describes, for the clauses behind it: "Nimbus is a scheduler that …", "Nimbus, a …"."""
    mention = name_of(tree, token)
    if mention is not None:
        return mention
    head = tree.heads[token]
    if tree.labels[token] == "appos" and "," in tree.words[head:token]:
        return name_of(tree, head)
    if tree.labels[token] == "attr" and tree.lemma(head) == "be":
        subjects = tree.children(head, "nsubj")
        return name_of(tree, subjects[0]) if len(subjects) == 1 and len(tree.conjuncts(subjects[0])) == 1 else None
    return None


def is_changed(tree: ClauseTree, noun: int) -> bool:
    """Whether a word in front of a noun makes it another one: "former owner", "deputy director"."""
    words = tree.child_words(noun, "amod", "advmod", "compound", "nmod")
    first = min([noun, *tree.children(noun, "det", "amod", "compound", "poss")])
    before = {*tree.words[max(first - 1, 0) : first]}
    return bool((words | before) & (GRAMMAR.changing | GRAMMAR.formerly | GRAMMAR.hedges))


def fits(mention: DraftMention, expected: str | None, *, of_person: bool) -> bool:
    """Whether a mention may be where a predicate expects a type; with `of_person` none but a person is one."""
    if expected in _NEVER_CODE and mention.kind in _NEVER_CODE[expected]:
        return False
    if mention.type is None or expected is None:
        return not (expected == "Person" and is_software(mention))
    if expected == "Person":
        is_state = mention.type == "Location" and mention.name in GAZETTEER.countries  # "Norway joined NATO"
        return mention.type == "Person" if of_person else mention.type in _ACTORS or is_state
    return mention.type in ({"Location", "Organization"} if expected == "Location" else {expected})
