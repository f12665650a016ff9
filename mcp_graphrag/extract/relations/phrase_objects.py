"""Triples whose object is said in words and has no name: "`keactrl` controls the startup of the servers".

The object is a phrase, word by word as the sentence has it, up to the end of the clause: whatever limits what is said
stays in it.
"""

from collections.abc import Iterator

from mcp_graphrag.extract.english.discourse.coreference import PRONOUN
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import predicate_name
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.lemmas import third_person
from mcp_graphrag.extract.relations.named import Found, mention_of
from mcp_graphrag.extract.relations.read_clauses import Clause, is_finite
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.model import PHRASE

_CONFIDENCE = 0.8
_MIN_CERTAINTY = 0.5
_MAX_TOKENS = 20
_NO_SUBJECTS = frozenset({"date", "role", "url", "email", "version"})
# What a phrase with these means depends on the text around it.
_DEICTIC = frozenset(
    """
    this that these those such here there it them they he she you your yours we our ours us i my mine me above below
    following same another another's former latter respective corresponding aforementioned said example otherwise
    therefore thus too either neither both one ones itself himself herself themselves who whom whose which what
    when where while how why if unless until whether because although though since however
    """.split()  # noqa: SIM905
)
_VAGUE = frozenset(
    """
    many several various some few certain different other more most additional all any each every much enough numerous
    multiple lot lots number variety range plenty couple bit way ways thing things kind kinds sort sorts part
    something anything everything nothing someone anyone everyone stuff case cases reason reasons fact point time times
    place need sense look idea
    """.split()  # noqa: SIM905
)
_OPINION = frozenset(
    """
    good great excellent powerful easy best better nice useful beautiful amazing awesome perfect wonderful important
    interesting crucial terrific superb handy convenient elegant extremely very really highly well quite pretty
    fantastic brilliant outstanding bad worse worst terrible awful huge tremendous incredible valuable helpful
    """.split()  # noqa: SIM905
)
_SILENT = frozenset({"also", "now", "currently", "further", "still", "already", "itself", "then", "additionally"})
_CUT_AT = frozenset({";", ":", "—", "–", "--", "("})
_VERBAL = frozenset({"conj", "advcl", "ccomp", "parataxis", "cc", "dep", "intj", "mark"})
_ENDS = frozenset({"NOUN", "PROPN", "NUM", "X", "SYM"})
_IN_FRONT = frozenset({"cc", "punct", "advmod"})
_COPULAS = frozenset({"be", "become", "remain"})
_NO_VERBS = frozenset(
    """
    do get make take give go come put let see say tell ask want need think know seem look try feel begin start continue
    call find turn happen help believe consider appear note claim argue suggest expect hope mention mean like love hate
    work deal tend refer rely care worry wonder talk speak plan intend try attempt assume guess suppose agree
    """.split()  # noqa: SIM905
)


def phrase_triples(tree: SentenceTree, clause: Clause) -> Iterator[Found]:
    """The triple of a main clause with one named subject and an object or complement in words."""
    if len(clause.subjects) != 1 or not _is_main(tree, clause):
        return
    subject = clause.subjects[0]
    holder = mention_of(tree, subject.token)
    if holder is None or not _may_hold(tree, holder) or subject.certainty < _MIN_CERTAINTY or subject.token > clause.verb:
        return
    complement = _complement(tree, clause)
    if complement is None:
        return
    span = _span(tree, clause, complement)
    if span is None or not _says_something(tree, *span):
        return
    first, stop = span
    prepositions: list[str] = []
    while tree.parse.tags[first] == "ADP" and first < stop - 1:
        prepositions.append(tree.words[first])
        first += 1
    if not _is_specific(tree, first, stop):
        return
    name = _text(tree, first, stop)
    predicate = _predicate(tree, clause, complement, prepositions)
    object_ = DraftMention(tree.token(first).start, tree.token(stop - 1).end, name, PHRASE, "phrase", 0.5)
    surface = " ".join(tree.words[clause.verb : first])
    sure = min(subject.certainty, tree.certainty(complement, clause.verb))
    yield Found(DraftTriple(holder, predicate, object_, surface, _CONFIDENCE), clause.verb, sure)


def _is_main(tree: SentenceTree, clause: Clause) -> bool:
    """Whether it is the main clause or one that "and" joins to it, without a phrase or clause in front of it."""
    verb = clause.verb
    root = verb
    if tree.labels[verb] == "conj" and tree.is_verb(tree.heads[verb]):
        root = tree.heads[verb]
        if tree.has_subject(verb) and clause.subjects[0].token < root:
            return False
    if tree.labels[root] != "ROOT" or not is_finite(tree, verb) or clause.tense == "other":
        return False
    if clause.lemma in _NO_VERBS or not clause.lemma.isalpha() or tree.children(verb, "ccomp", "expl", "neg"):
        return False
    opening = min(_below(tree, clause.subjects[0].token))
    inside = _below(tree, clause.subjects[0].token)
    at_root = [child for child in tree.children(root) if child < opening and child not in inside]
    return all(tree.labels[child] in _IN_FRONT and len(_below(tree, child)) == 1 for child in at_root)


def _may_hold(tree: SentenceTree, holder: DraftMention) -> bool:
    if holder.kind in _NO_SUBJECTS or not holder.name[0].isalnum():
        return False
    if holder.kind != PRONOUN:
        return True
    word = next((tree.words[at] for at, one in tree.mentions.items() if one.start == holder.start), "")
    return word in WORDS.he or word in {"i", "we"}


def _complement(tree: SentenceTree, clause: Clause) -> int | None:
    """The token of the object, predicate noun or phrase behind a verb; None where something else comes first."""
    verb = clause.verb
    behind = [child for child in tree.children(verb) if child > verb and tree.labels[child] not in {"punct", "prt"}]
    behind = [child for child in behind if tree.words[child] not in _SILENT]
    if not behind:
        return None
    first = behind[0]
    label = tree.labels[first]
    if clause.lemma in _COPULAS and not clause.passive:
        if label == "acomp" and not tree.children(first, "prep"):
            return None
        return first if label in {"attr", "acomp", "prep"} else None
    if clause.passive:
        return first if label in {"agent", "prep", "oprd"} else None
    return first if label in {"dobj", "prep"} else None


def _below(tree: SentenceTree, token: int) -> list[int]:
    found, open_ = [], [token]
    while open_:
        at = open_.pop()
        found.append(at)
        open_ += tree.children(at)
    return sorted(found)


def _span(tree: SentenceTree, clause: Clause, complement: int) -> tuple[int, int] | None:
    """The tokens from the first of the complement to the end of the clause; None where they are not in one piece."""
    first = min(_below(tree, complement))
    if first <= clause.verb:
        return None
    stop = tree.size
    for child in tree.children(clause.verb):
        if child > complement and tree.labels[child] in _VERBAL:
            stop = min(stop, *_below(tree, child))
    for at in range(first, stop):
        if tree.words[at] in _CUT_AT or (tree.words[at] == "," and not _goes_on(tree, at, stop)):
            stop = at
            break
    while stop > first and tree.labels[stop - 1] in {"punct", "cc"} and tree.words[stop - 1] not in {'"', "”", ")"}:
        stop -= 1
    if not 0 < stop - first <= _MAX_TOKENS or tree.parse.tags[stop - 1] not in _ENDS and stop - 1 not in tree.mentions:
        return None
    inside = set(_below(tree, clause.verb))
    return (first, stop) if inside.issuperset(range(first, stop)) else None


def _goes_on(tree: SentenceTree, comma: int, stop: int) -> bool:
    """Whether a comma parts items of a list or adjectives, and no remark."""
    following = range(comma + 1, stop)
    if not following:
        return False
    after = comma + 1
    if tree.words[after] in {"and", "or"}:
        after += 1
    if after >= stop:
        return False
    own = next((at for at in (after, *tree.ancestors(after)) if tree.labels[at] == "conj"), None)
    is_item = own is not None and after in _below(tree, own) and min(_below(tree, own)) >= comma
    return is_item or (tree.labels[after] == "amod" and tree.parse.tags[after - 2] == "ADJ")


def _says_something(tree: SentenceTree, first: int, stop: int) -> bool:
    words = set(tree.words[first:stop])
    return words.isdisjoint(_DEICTIC | GRAMMAR.denying | GRAMMAR.hedges | {"no"} | GRAMMAR.modals)


def _is_specific(tree: SentenceTree, first: int, stop: int) -> bool:
    """Whether a phrase says by itself what is meant: not "the file", "many features", "a tool"."""
    head = next((at for at in range(first, stop) if not (first <= tree.heads[at] < stop)), first)
    if head in tree.mentions or tree.parse.tags[head] not in {"NOUN", "PROPN", "ADJ"}:
        return False
    if not (_VAGUE | _OPINION).isdisjoint(tree.words[first : head + 1]):
        return False
    content = [
        at for at in range(first, stop) if tree.parse.tags[at] in {"NOUN", "PROPN", "ADJ", "NUM", "VERB", "X"}
    ]
    if len(content) < 2:
        return False
    if tree.words[first] != "the":
        return True
    inside = [child for child in tree.children(head) if first <= child < stop]
    return any(tree.labels[child] in {"prep", "relcl", "acl"} or child in tree.mentions for child in inside)


def _predicate(tree: SentenceTree, clause: Clause, complement: int, prepositions: list[str]) -> str:
    if clause.passive:
        words = [tree.words[clause.verb]]
    elif clause.lemma == "be":
        words = ["is"]
    else:
        words = [third_person(clause.lemma)]
    return predicate_name([*words, *([clause.particle] if clause.particle else []), *prepositions])


def _text(tree: SentenceTree, first: int, stop: int) -> str:
    """The words of the phrase without the markup between them."""
    text = ""
    for at in range(first, stop):
        token = tree.token(at)
        joined = at == first or token.start == tree.token(at - 1).end
        text += token.text if joined or token.text in {",", ".", ")", "'s"} else f" {token.text}"
    return " ".join(text.split())
