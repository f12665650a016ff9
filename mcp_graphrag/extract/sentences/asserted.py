"""What keeps a clause or a sentence from asserting: question, condition, modal, plan, report, doubt, negation.

All of it stands here, for sentences of every kind; what a part of a document says of itself is in `void_parts`.
"""

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.sentences.clause_tree import RELATIVES, SUBJECTS, ClauseTree, is_finite, tense_of
from mcp_graphrag.mentions.find_mentions import DraftMention

# It holds; it will, which counts with a date from when; it held for a time; it is going on; nothing is asserted.
Status: TypeAlias = Literal["holds", "future", "over", "ongoing", "not"]
_FUTURE = frozenset({"will", "'ll", "shall"})
_ENDINGS = frozenset({"until", "till", "before"})
_LIMITS = frozenset({"by", "within"})  # until then it may be otherwise
_NO_LIMITS = frozenset({"with", "like", "unlike", "as", "besides", "since", "because", "to", "along", "together"})
_MAX_DEPTH = 12
_MAX_WORDS = 60  # a longer sentence is a list, or lines that have lost their breaks
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NOT_PROSE = re.compile(r"[{}|\\]|=[\w\"=>]|\w\s?=\s|</|/\*|\.{4}|[a-z][.!?:)][A-Z][a-z]|:\S*\s+\S+:\s.*:\s")
_FRAMED = re.compile(
    r"\W*(?:(?:for|as an)\s(?:example|instance)\b|e\.\s?g\.|examples?\b\s*[:.–—-]|(?:now|so|just)?,?\s*"
    r"(?:suppos(?:e|ing)|imagine|assum(?:e|ing)|pretend|consider|let[’']?s|let\sus|what\sif|if|unless|whether)\b"
    r"|(?:true or false|false|wrong|incorrect|myth|rumou?r|fiction|outdated|obsolete|planned|proposed|todo)\s*[:–—-]"
    r"|in\s(?:the|a)\s(?:film|movie|novel|story|game|dream|episode|legend|myth)\b|according\sto\b"
    r"|(?:should|could|would|does|did|is|are|was|were|can|shall)\s)",
    re.IGNORECASE,
)
_ATTRIBUTED = re.compile(
    r",\s(?:\w[\w'’-]*\s){0,5}(?:says?|said|claims?|claimed|believed?|argue[sd]?|allege[sd]?|thinks?|suggest(?:s|ed)|wrote"
    r"|joked)\b[^,]{0,60}\Z|\baccording\sto\b|,\sas\s(?:\w+\s){0,3}(?:claimed|alleged|rumou?red|suggested)\b"
    r"|\bI\s(?:think|guess|believe|suspect|hope|wish|wonder)\b|\b(?:never|not)\s(?:happened|true)\W*\Z"
    r"|,\s(?:but|though)\s(?:that|this|it)\s(?:is|was)\s(?:not|false|wrong|untrue|a\s(?:myth|rumou?r))\b",
    re.IGNORECASE,
)
_SPEECH = re.compile(r"(?<![\w\"“”])[\"“](?=[^\s\"“”])([^\"“”\n]{8,1500})(?:[\"”](?!\w)|(?=\n|\Z))")


def is_prose(sentence: str, names: Sequence[Span]) -> bool:
    """Whether a line with names at these offsets is a sentence by its form: no code, list of labels or title."""
    if _NOT_PROSE.search(sentence):
        return False
    pieces, at = list[str](), 0
    for start, end in names:
        pieces.append(sentence[at:start])
        at = end
    words = _WORD.findall(" ".join([*pieces, sentence[at:]]))
    small = sum(word[0].islower() for word in words)
    return 0 < small <= len(words) <= _MAX_WORDS and 2 * small >= len(words)


def may_assert(sentence: str) -> bool:
    """Whether a sentence asserts anything, by its first words and its end; its names are masked."""
    return not (sentence.rstrip(" )*_]").endswith("?") or _FRAMED.match(sentence) or _ATTRIBUTED.search(sentence))


def spoken(prose: str) -> list[Span]:
    """The spans between quotation marks: what somebody says, or has written."""
    return [found.span(1) for found in _SPEECH.finditer(prose)] if '"' in prose or "“" in prose else []


def is_spoken(draft: DraftTriple, speech: Sequence[Span]) -> bool:
    """Whether a triple is within what somebody says."""
    first = min(draft.subject.start, draft.object.start)
    last = max(draft.subject.end, draft.object.end)
    return any(start <= first and last <= end for start, end in speech)


def status_of(tree: ClauseTree, verb: int, *, able: bool = False) -> Status:
    """Whether what a clause says is asserted; with `able` also what something can do."""
    own = _own_status(tree, verb, able=able)
    if own == "not" or not is_finite(tree, verb) or not _is_stated(tree, verb) or _is_limited(tree, verb):
        return "not"
    return own


def _is_limited(tree: ClauseTree, verb: int) -> bool:
    """Whether a clause in the present opens with a case for which it holds: "In staging", "By 2030", "When idle"."""
    if tense_of(tree, verb) == "past":
        return False
    first = min([verb, *tree.children(verb, *SUBJECTS)])
    cases = [child for child in tree.children(verb, "prep", "advcl") if child < first]
    return any(
        (tree.words[case] in _LIMITS and any(at in tree.mentions for at in range(case, first)))
        or not any(at in tree.mentions and _is_place_or_date(tree.mentions[at]) for at in range(case, first))
        for case in cases
        if tree.words[case] not in _NO_LIMITS and ":" not in tree.words[case:first]
    )


def _is_place_or_date(mention: DraftMention) -> bool:
    return mention.kind == "date" or mention.type == "Location"


def is_negated_noun(tree: ClauseTree, noun: int) -> bool:
    """Whether a determiner denies a noun: "no service", "none of", "neither A nor B"."""
    return bool(tree.child_words(noun, "det", "neg", "preconj", "advmod") & (GRAMMAR.denying | {"no", "neither"}))


def _own_status(tree: ClauseTree, verb: int, *, able: bool) -> Status:
    """What the auxiliaries, adverbs and determiners of a clause say of it."""
    auxiliaries = tree.child_words(verb, "aux", "auxpass") - ({"can"} if able else set())
    adverbs = tree.child_words(verb, "advmod", "neg", "preconj", "npadvmod", "intj")
    for adjective in tree.children(verb, "acomp"):
        adverbs |= tree.child_words(adjective, "advmod", "neg")
    head = tree.heads[verb]
    if tree.labels[verb] in {"conj", "xcomp"} and tree.is_verb(head) and not tree.children(verb, *SUBJECTS):
        before = _own_status(tree, head, able=able) if not auxiliaries or tree.labels[verb] == "xcomp" else "holds"
        if before != "holds":
            return before
    if auxiliaries & (GRAMMAR.modals - _FUTURE) or adverbs & (GRAMMAR.denying | GRAMMAR.hedges | {"please"}):
        return "not"
    if any("no" in tree.child_words(child) for child in tree.children(verb, "advmod", "neg")):
        return "not"  # "no longer"
    nouns = tree.children(verb, *SUBJECTS, "dobj", "attr", "oprd")
    nouns += [noun for child in tree.children(verb, "prep", "agent") for noun in tree.children(child, "pobj")]
    if any(is_negated_noun(tree, noun) for noun in nouns):
        return "not"
    if "to" in auxiliaries and not (tree.labels[verb] == "xcomp" and tree.lemma(head) in GRAMMAR.implying):
        return "not"  # "planned to use", "a plan to use"
    if auxiliaries & _FUTURE or "next" in tree.child_words(verb, "npadvmod", "advmod"):
        return "future"
    if adverbs & GRAMMAR.formerly or _is_over(tree, verb):
        return "over"
    return "ongoing" if tree.fine_tags[verb] == "VBG" and auxiliaries & {"is", "are", "'s", "'re"} else "holds"


def _is_over(tree: ClauseTree, verb: int) -> bool:
    """Whether a phrase without a date ends what the clause says: "until the merger, A owned B"."""
    if tense_of(tree, verb) != "past":
        return False
    ending = [child for child in tree.children(verb, "prep", "advcl", "mark") if tree.words[child] in _ENDINGS]
    return any(all(one not in tree.mentions for one in tree.children(child, "pobj")) for child in ending)


def _is_stated(tree: ClauseTree, verb: int, depth: int = 0) -> bool:
    """Whether the clauses around a clause let it be stated: it is no condition, question, plan or report."""
    label, head = tree.labels[verb], tree.heads[verb]
    if depth > _MAX_DEPTH or _is_supposed(tree, verb):
        return False
    if label == "ROOT":
        return True
    if label in {"relcl", "acl"}:
        return _is_stated_of_noun(tree, verb, depth)
    if label == "pcomp":
        above = tree.heads[head]
        return tree.is_verb(above) and tense_of(tree, above) == "past" and _is_stated(tree, above, depth + 1)
    if not tree.is_verb(head):
        return label in {"conj", "parataxis"} and _is_stated_of_noun(tree, verb, depth)
    if label in {"conj", "parataxis"} or (label == "ccomp" and ";" in tree.words[min(verb, head) : max(verb, head)]):
        return _is_stated(tree, head, depth + 1)
    return _is_stated_by(tree, verb) and _is_stated(tree, head, depth + 1)


def _is_supposed(tree: ClauseTree, verb: int) -> bool:
    """Whether a clause is a condition or has one, or a verb of saying or thinking stands right in front of it."""
    marks = tree.child_words(verb, "mark")
    conditions = [
        child for child in tree.children(verb, "advcl") if tree.child_words(child, "mark") & GRAMMAR.conditions
    ]
    subjects = tree.children(verb, *SUBJECTS)
    first = min([verb, *(min([one, *tree.children(one)]) for one in subjects)])
    is_reported = first > 0 and tree.lemma(first - 1) in GRAMMAR.reporting and tree.is_verb(first - 1)
    return bool(marks & GRAMMAR.conditions or conditions) or is_reported


def _is_stated_by(tree: ClauseTree, verb: int) -> bool:
    """Whether a clause that depends on a verb is stated with it: "found that", "because", "began to"."""
    label, head = tree.labels[verb], tree.heads[verb]
    marks = tree.child_words(verb, "mark") | (tree.child_words(verb, "advmod") & {"when", "where", "how", "why"})
    if label == "advcl":
        is_past = tense_of(tree, head) == "past" or not marks & {"when", "after", "before", "once", "until"}
        return marks <= GRAMMAR.stating and is_past and "to" not in tree.child_words(verb, "aux")
    if label == "xcomp":
        return tree.lemma(head) in GRAMMAR.implying
    return label == "ccomp" and tree.lemma(head) in GRAMMAR.factive and "whether" not in marks


def _is_stated_of_noun(tree: ClauseTree, verb: int, depth: int) -> bool:
    """Whether a clause behind a noun is stated: "who founded A", "published in"; not "the claim that A uses B"."""
    noun = tree.heads[verb]
    if "to" in tree.child_words(verb, "aux") or is_negated_noun(tree, noun):
        return False
    relative = any(tree.words[child] in RELATIVES for child in tree.children(verb))
    if tree.labels[verb] in {"relcl", "acl"} and tree.children(verb, *SUBJECTS) and not relative:
        return False
    is_any = noun not in tree.mentions and tree.child_words(noun, "det") & {"a", "an", "any", "each", "every"}
    if is_any and tree.labels[noun] not in {"attr", "appos", "ROOT"}:
        return False  # "an app that uses B"
    above = next((each for each in tree.ancestors(noun) if tree.is_verb(each)), None)
    if above is None:
        return True
    if _is_supposed(tree, above) or _own_status(tree, above, able=False) == "not":
        return "," in tree.words[noun:verb] and not _is_supposed(tree, above)
    return _is_stated(tree, above, depth + 1)


def masked(prose: str, span: Span, mentions: Sequence[DraftMention]) -> str:
    """The sentence with X for each letter of its names, so that words inside of them do not count."""
    pieces, at = list[str](), span[0]
    for mention in mentions:
        if mention.kind in {"name", "role", "quoted", "date"} and mention.start >= at:
            pieces += prose[at : mention.start], "X" * (mention.end - mention.start)
            at = mention.end
    return "".join(pieces) + prose[at : span[1]]
