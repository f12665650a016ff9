"""Triples of sentences that say one thing of a name, in their own words: "`keactrl` controls the startup of servers".

The object is a phrase, word by word as the sentence has it. A sentence that says more is left out: of it, a part was
often misleading.
"""

from collections.abc import Iterator, Sequence

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lemmas import third_person
from mcp_graphrag.english.lexicon import predicate_name
from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import PRONOUN, DraftTriple, is_demonym
from mcp_graphrag.extract.sentences.clause_tree import COPULAS, RELATIVES, Clause, ClauseTree, is_finite
from mcp_graphrag.extract.sentences.name_of_noun import name_of
from mcp_graphrag.extract.sentences.relations import Found
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import PHRASE

_MIN_CERTAINTY = 0.5
_MAX_TOKENS = 20
_NO_SUBJECTS = frozenset({"date", "role", "url", "email", "version", PRONOUN})
_NO_OTHERS = frozenset({"conj", "advcl", "parataxis", "dep", "intj", "mark", "neg", "expl", "dative", "ccomp"})
_NOT_SAID = frozenset({"also", "now", "currently", "still", "already", "automatically"})
_IS_A = ["is", "a"]
_OPENINGS = frozenset({"the", "a", "an", "all", "both", '"', "“"})
_OF_OTHERS = frozenset({"field", "parameter", "argument", "tab", "member", "operand", "column", "key", "entry"})
_MARKS = frozenset({";", ":", "—", "–", "--", "-", "(", ")", "[", "]", "?", "!", "...", "…"})
_CLOSING = frozenset({".", ",", '"', "”"})
_ENDS = frozenset({"NOUN", "PROPN", "NUM", "X", "SYM"})
_CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "VERB", "X"})
_BEHIND_NOUNS = frozenset({"prep", "relcl", "acl", "xcomp", "pobj"})
_MODIFIERS = frozenset({"prep", "relcl", "acl", "compound", "nmod"})


def phrase_triples(tree: ClauseTree, clause: Clause) -> Iterator[Found]:
    """The triple of a sentence that is a name, a verb and a phrase, and nothing else."""
    verb = clause.verb
    is_able = can_only(tree, clause)
    if (
        len(clause.subjects) != 1
        or tree.labels[verb] != "ROOT"
        or not _is_plain(tree, verb)
        or not _agrees(tree, clause)
    ):
        return
    if not is_finite(tree, verb) or (clause.tense == "other" and not is_able) or clause.lemma in GRAMMAR.saying_little:
        return
    subject, complement = clause.subjects[0], _complement(tree, clause)
    holder = _holder(tree, subject.token)
    if complement is None or holder is None or subject.certainty < _MIN_CERTAINTY or not clause.lemma.isalpha():
        return
    words, first = _predicate(tree, clause, complement, is_able=is_able)
    span = _phrase_span(tree, first)
    is_event = clause.tense == "past" and not (clause.lemma == "be" or clause.passive)
    if not words or span is None or not _says_something(tree, span, of_story=is_event):
        return
    if not _is_specific(tree, span, of_object=words != _IS_A):
        return
    if words == _IS_A:
        is_amount = tree.fine_tags[complement] == "NNS" or tree.words[first] in WORDS.possessives
        if is_amount or holder.name.casefold() == tree.words[complement] or tree.child_words(complement, "cc") & {"or"}:
            return
        if tree.words[first] == "the" and holder.kind == "code" and holder.name.islower():
            return  # a parameter: "`dest` is the pointer to the end"
        span = first + (tree.words[first] in WORDS.articles), span[1]
    surface = " ".join(tree.words[verb : span[0]])
    rule = "phrase of kind" if words == _IS_A else "phrase"
    start, end = tree.parse.tokens[span[0]].start, tree.parse.tokens[span[1] - 1].end
    said = DraftMention(start, end, _text_of(tree, span), PHRASE, "phrase", 0.5)
    sure = min(subject.certainty, tree.certainty(complement, verb))
    yield Found(DraftTriple(holder, predicate_name(words), said, surface, rule), verb, sure)


def can_only(tree: ClauseTree, clause: Clause) -> bool:
    """Whether a clause says what something can do."""
    return clause.lemma != "be" and tree.child_words(clause.verb, "aux") == {"can"}


def _is_plain(tree: ClauseTree, verb: int) -> bool:
    """Whether a verb has no clause, negation or limiting adverb beside it."""
    adverbs = {tree.words[child] for child in tree.children(verb, "advmod") if child < verb}
    return adverbs <= _NOT_SAID and not tree.children(verb, *_NO_OTHERS)


def _agrees(tree: ClauseTree, clause: Clause) -> bool:
    """Whether verb and subject agree, else one is read as the other: "the `foo` lint detects labels behind names"."""
    is_plural = tree.fine_tags[clause.subjects[0].token] in {"NNS", "NNPS"}
    wrong = "VBZ" if is_plural else "VBP"
    return tree.fine_tags[clause.verb] != wrong or bool(tree.children(clause.verb, "aux", "auxpass"))


def _holder(tree: ClauseTree, token: int) -> DraftMention | None:
    """The name that opens a sentence as its subject, alone or with the nouns behind it: "`foo`", "SSH connections"."""
    holder = name_of(tree, token) or _with_nouns(tree, token)
    if holder is None or holder.kind in _NO_SUBJECTS or not holder.name[0].isalnum() or tree.words[token] in _OF_OTHERS:
        return None
    before = [at for at in range(tree.size) if tree.parse.tokens[at].end <= holder.start]
    is_first = len(before) <= 1 and all(tree.words[at] in _OPENINGS for at in before)
    return holder if is_first and not holder.name.endswith(":") else None


def _with_nouns(tree: ClauseTree, noun: int) -> DraftMention | None:
    """A name with the nouns behind it as the name of something else: "Kea servers", "SSH connection attempts"."""
    first = noun - 1
    while first > 0 and first not in tree.mentions and tree.fine_tags[first] in {"NN", "NNS"}:
        first -= 1
    name = tree.mentions.get(first)
    if (
        name is None
        or name.kind not in {"name", "code"}
        or noun in tree.mentions
        or tree.fine_tags[noun] not in {"NN", "NNS"}
    ):
        return None
    inside = tree.heads[first] in range(first + 1, noun + 1) and tree.labels[first] in {"compound", "nmod", "amod"}
    alone = all(tree.labels[child] in {"compound", "nmod", "det"} or child == first for child in tree.children(noun))
    if not (inside and alone and tree.child_words(noun, "det") <= {"the", "all", "both"}) or is_demonym(name.name):
        return None
    if name.type in {"Person", "Location", "Date", "Role"}:
        return None
    return DraftMention(name.start, tree.parse.tokens[noun].end, _text_of(tree, (first, noun + 1)), None, "kind", 0.5)


def _complement(tree: ClauseTree, clause: Clause) -> int | None:
    """The token of the object, predicate noun or phrase behind a verb; None where something else comes first."""
    verb = clause.verb
    behind = [child for child in tree.children(verb) if child > verb and tree.labels[child] not in {"punct", "prt"}]
    first = next((child for child in behind if tree.words[child] not in _NOT_SAID), None)
    if first is None:
        return None
    label = tree.labels[first]
    objects = tree.children(verb, "dobj")
    if label == "acomp" and not tree.children(first, "prep"):
        return None
    if (label == "prep" and objects) or (label == "agent" and tree.children(first, "pcomp")):
        return None
    if clause.passive:
        return first if label in {"agent", "prep", "oprd"} else None
    return first if label in ({"attr", "acomp", "prep"} if clause.lemma in COPULAS else {"dobj", "prep"}) else None


def _predicate(tree: ClauseTree, clause: Clause, complement: int, *, is_able: bool) -> tuple[Sequence[str], int]:
    """The words of the predicate, and the first token of what it says; no words where it is of none of the forms."""
    label, lemma = tree.labels[complement], clause.lemma
    is_copula = lemma == "be" and not clause.passive
    first = _first_below(tree, complement)
    if is_copula and label == "attr":
        return _IS_A, first
    if is_copula and label == "acomp":
        words, first = [tree.words[complement]], complement + 1
        if tree.tags[complement] != "ADJ" or words[0] in GRAMMAR.opinions | GRAMMAR.prospective:
            return [], first
    elif is_able:
        words = ["can", "be", tree.words[clause.verb]] if clause.passive else ["can", lemma]
    elif clause.passive:
        words = [tree.words[clause.verb]]
    else:
        words = ["is" if lemma == "be" else third_person(lemma)]
    words += [clause.particle] if clause.particle else []
    while first < tree.size - 1 and tree.tags[first] == "ADP" and tree.words[first + 1] not in {"least", "most"}:
        words.append(tree.words[first])
        first += 1
    says_nothing = words[-1] == "between" or (is_copula and len(words) == 1)
    return (
        ([], first)
        if says_nothing or tree.words[first] in {"order", "including", "favour", "favor", "addition", "terms"}
        else (words, first)
    )


def _first_below(tree: ClauseTree, token: int) -> int:
    """The first token of all that hang on a token."""
    return min([token, *(_first_below(tree, child) for child in tree.children(token) if child < token)])


def _phrase_span(tree: ClauseTree, first: int) -> Span | None:
    """The tokens from `first` on, without marks at the end; None where these are more than one phrase.

    Without a full stop the sentence may be cut, or a title: "HW offloaded packet injection".
    """
    stop = tree.size
    while stop > first and tree.words[stop - 1] in _CLOSING:
        stop -= 1
    if "." not in tree.words[stop:] or not 0 < stop - first <= _MAX_TOKENS or _MARKS & {*tree.words[first:stop]}:
        return None
    last = stop - 1
    is_initial = len(tree.words[last]) == 1 and tree.parse.tokens[last].text.isupper()
    if (tree.tags[last] not in _ENDS and last not in tree.mentions) or is_initial:
        return None
    lists_only = all(tree.words[at] != "," or _is_of_list(tree, at, stop) for at in range(first, stop))
    return (first, stop) if lists_only else None


def _is_of_list(tree: ClauseTree, comma: int, stop: int) -> bool:
    """Whether a comma parts items of a list or adjectives, and no remark."""
    behind = comma + 1 + (tree.words[comma + 1 : comma + 2] in (["and"], ["or"]))
    if behind >= stop:
        return False
    joined = next((at for at in (behind, *tree.ancestors(behind)) if tree.labels[at] == "conj"), None)
    is_item = joined is not None and not tree.is_verb(joined) and tree.heads[joined] < comma < joined
    return is_item or (tree.labels[behind] == "amod" and tree.tags[behind - 2] == "ADJ")


def _says_something(tree: ClauseTree, span: Span, *, of_story: bool) -> bool:
    """Whether a phrase denies and doubts nothing, and points at nothing outside of it."""
    if of_story and "the" in tree.words[slice(*span)]:
        return False
    words = {
        tree.words[at]
        for at in range(*span)
        if not (tree.words[at] in RELATIVES and tree.labels[tree.heads[at]] == "relcl")
    }
    return not words & (GRAMMAR.deictic | GRAMMAR.denying | GRAMMAR.hedges | GRAMMAR.modals | {"no"})


def _is_specific(tree: ClauseTree, span: Span, *, of_object: bool) -> bool:
    """Whether a phrase says what is meant: not "the file", "many features", "fewer positions", "the first woman"."""
    first, stop = span
    head = next((at for at in range(first, stop) if not first <= tree.heads[at] < stop), first)
    named = tree.mentions.get(head)
    if (named is not None and named.kind != "role") or tree.tags[head] not in {"NOUN", "PROPN", "VERB"}:
        return False
    inside = {*tree.words[first : head + 1]}
    word = tree.words[head]
    is_time = word.removesuffix("s") in GRAMMAR.times | GRAMMAR.recurring or word.capitalize() in WORDS.weekdays
    if inside & (GRAMMAR.vague | GRAMMAR.opinions) or is_time or "JJR" in tree.fine_tags[first:head]:
        return False
    if sum(tree.tags[at] in _CONTENT for at in range(first, stop)) < 2:
        return False
    is_bare = all(tree.labels[at] not in _BEHIND_NOUNS for at in range(head + 1, stop))
    is_one = tree.words[first] in {"a", "an"}
    is_of_order = {"JJS", "RBS"}.intersection(tree.fine_tags[first:head]) or inside & GRAMMAR.orders
    is_loose = is_one or tree.tags[first] == "NUM" or bool(is_of_order)
    if is_bare and is_loose and not any(at in tree.mentions for at in range(first, head)):
        return is_one and not of_object
    return tree.words[first] != "the" or any(tree.labels[at] in _MODIFIERS for at in range(first + 1, stop))


def _text_of(tree: ClauseTree, span: Span) -> str:
    """The words of the tokens without the markup between them, with the quotation mark that closes one."""
    text = ""
    for at in range(*span):
        token = tree.parse.tokens[at]
        is_joined = at == span[0] or token.start == tree.parse.tokens[at - 1].end
        text += token.text if is_joined or token.text in {",", ".", "'s"} else f" {token.text}"
    return " ".join((text + '"' * (text.count('"') % 2) + "”" * max(text.count("“") - text.count("”"), 0)).split())
