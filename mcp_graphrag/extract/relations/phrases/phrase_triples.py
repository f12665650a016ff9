"""Triples of sentences that say one thing or two of a name: "`keactrl` controls the startup of the servers."

The object is a phrase, word by word as the sentence has it. Nothing is left out of the sentence but articles and
adverbs such as "also": of what a longer one says, a part was often misleading.
"""

from collections.abc import Iterator, Sequence

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lemmas import third_person
from mcp_graphrag.english.lexicon import predicate_name
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.discourse.coreference import POSSESSIVE, PRONOUN
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_demonym
from mcp_graphrag.extract.relations.names.named import Found, mention_of
from mcp_graphrag.extract.relations.phrases.phrase_spans import (
    is_specific,
    phrase_mention,
    phrase_span,
    says_something,
    text_of,
)
from mcp_graphrag.extract.relations.read_clauses import Clause, is_finite
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

_MIN_CERTAINTY = 0.5
_NO_SUBJECTS = frozenset({"date", "role", "url", "email", "version", PRONOUN, POSSESSIVE})
_NO_OTHERS = frozenset({"conj", "advcl", "parataxis", "cc", "dep", "intj", "mark", "neg", "expl", "dative"})
_NOT_SAID = frozenset({"also", "now", "currently", "further", "still", "already", "automatically", "additionally"})
_COPULAS = frozenset({"be", "become", "remain"})
_NOUNS = frozenset({"NN", "NNS"})
_ARTICLES = frozenset({"a", "an", "the"})
_BEFORE_NOUNS = ("det", "amod", "compound", "nmod", "poss", "nummod")
_IS_A = ["is", "a"]
# Of something that the sentence does not name: "the `size` parameter".
_OF_OTHERS = frozenset({"field", "parameter", "argument", "tab", "member", "operand", "column", "key", "entry"})
_NEVER_MODIFIERS = frozenset({"Person", "Location", "Date", "Role"})
_LIKE_ADJECTIVES = frozenset(
    {"advanced", "enhanced", "extended", "improved", "integrated", "limited", "mixed", "reduced", "restricted"}
)
_OPENINGS = frozenset({"the", "a", "an", "all", "both", '"', "“"})


def phrase_triples(tree: SentenceTree, clause: Clause) -> Iterator[Found]:
    """The triple of a sentence that is a name, a verb and a phrase, and nothing else but "and", a verb and a phrase."""
    if len(clause.subjects) != 1 or not _may_state(tree, clause):
        return
    subject, complement = clause.subjects[0], _complement(tree, clause)
    holder = _holder(tree, subject.token)
    if complement is None or holder is None or subject.certainty < _MIN_CERTAINTY or not _agrees(tree, clause):
        return
    words, first = _predicate(tree, clause, complement)
    end = _end(tree, clause.verb)
    span = phrase_span(tree, first, end)
    if not words or span is None or words[-1] == "between" or tree.words[first] == "including":
        return
    is_event = clause.tense == "past" and not (clause.lemma == "be" or clause.passive)
    is_second = tree.labels[clause.verb] == "conj"
    # "Named the number and published its origin": of what stands in front of the second verb.
    is_of_other = is_second and not WORDS.possessives.isdisjoint(tree.words[slice(*span)])
    if (
        is_of_other
        or not says_something(tree, span, of_story=is_event or is_second or end < tree.size)
        or not is_specific(tree, span, of_object=words != _IS_A)
    ):
        return
    if words == _IS_A:
        if tree.words[first] == "the" and holder.kind == "code" and holder.name.islower():
            return  # a parameter: "`dest` is the pointer to the end"
        is_own_kind = holder.name.casefold() == tree.words[complement]  # "the Sonata is a sonata"
        is_amount = tree.parse.fine_tags[complement] == "NNS" and tree.children(complement, "nummod")
        is_other = bool(is_amount) or tree.words[first] in WORDS.possessives
        if is_own_kind or is_other or "or" in tree.child_words(complement, "cc"):
            return  # "is about 900 pages"
        span = first + (tree.words[first] in _ARTICLES), span[1]
    surface = " ".join(tree.words[clause.verb : span[0]])
    certainty = min(subject.certainty, tree.certainty(complement, clause.verb))
    rule = "phrase of kind" if words == _IS_A else "phrase"
    draft = DraftTriple(holder, predicate_name(words), phrase_mention(tree, span), surface, rule)
    yield Found(draft, clause.verb, certainty)


def _may_state(tree: SentenceTree, clause: Clause) -> bool:
    """Whether a clause is the sentence, or one of its two, and says something: what is, was or can be."""
    verb = clause.verb
    root = tree.heads[verb] if tree.labels[verb] == "conj" else verb
    is_told = is_finite(tree, verb) and (clause.tense != "other" or _is_able(tree, clause))
    if tree.labels[root] != "ROOT" or not is_told or clause.lemma in GRAMMAR.saying_little or _is_caption(tree, clause):
        return False
    joined = _joined(tree, root)
    return (
        clause.lemma.isalpha() and verb in {root, *joined} and all(_is_plain(tree, at, joined) for at in (root, verb))
    )


def _joined(tree: SentenceTree, root: int) -> Sequence[int]:
    """The second verb of "reads A and writes B", of which the sentence says the subject once."""
    joined = tree.children(root, "conj")
    if len(joined) != 1 or joined[0] < root or tree.child_words(root, "cc") != ["and"]:
        return []
    is_one = tree.is_verb(joined[0]) and is_finite(tree, joined[0]) and not tree.has_subject(joined[0])
    return joined if is_one else []


def _is_plain(tree: SentenceTree, verb: int, joined: Sequence[int]) -> bool:
    """Whether a verb has no clause, negation or limiting adverb beside it."""
    adverbs = [tree.words[child] for child in tree.children(verb, "advmod") if child < verb]
    others = [
        child for child in tree.children(verb, *_NO_OTHERS) if child not in joined and not _is_purpose(tree, child)
    ]
    if joined and verb != joined[0]:
        others = [child for child in others if tree.labels[child] != "cc"]
    return _NOT_SAID.issuperset(adverbs) and not others


def _is_purpose(tree: SentenceTree, clause: int) -> bool:
    """Whether a clause behind its verb says what for: "provides a hook to make it easier to load fonts"."""
    is_behind = tree.labels[clause] == "advcl" and tree.heads[clause] < clause and not tree.has_subject(clause)
    return is_behind and "to" in tree.child_words(clause, "aux") and not tree.children(clause, "mark", "advmod")


def _end(tree: SentenceTree, verb: int) -> int:
    """Where the part of a verb ends: at the "and" of the verb that is joined to it, or with the sentence."""
    return tree.children(verb, "cc")[0] if _joined(tree, verb) else tree.size


def _is_caption(tree: SentenceTree, clause: Clause) -> bool:
    """Whether a participle behind code is read as a past tense: "`reduce` applied to a list of numbers."."""
    code = tree.mentions.get(clause.subjects[0].token)
    is_past = tree.parse.fine_tags[clause.verb] == "VBD" and tree.words[clause.verb].endswith("ed")
    return is_past and code is not None and code.kind == "code" and not tree.children(clause.verb, "dobj", "attr")


def _agrees(tree: SentenceTree, clause: Clause) -> bool:
    """Whether verb and subject agree, else one is read as the other: "the `foo` lint detects labels behind names"."""
    tags = tree.parse.fine_tags
    is_plural = tags[clause.subjects[0].token] in {"NNS", "NNPS"}
    return tags[clause.verb] != ("VBZ" if is_plural else "VBP") or bool(tree.children(clause.verb, "aux", "auxpass"))


def _is_able(tree: SentenceTree, clause: Clause) -> bool:
    """Whether a clause says what something can do."""
    return clause.lemma != "be" and tree.child_words(clause.verb, "aux") == ["can"]


def _holder(tree: SentenceTree, token: int) -> DraftMention | None:
    """The name that opens a sentence as its subject, alone or with the nouns behind it: "`foo`", "SSH connections"."""
    holder = mention_of(tree, token) or _with_nouns(tree, token)
    if holder is None or holder.kind in _NO_SUBJECTS or not holder.name[0].isalnum() or holder.name.endswith(":"):
        return None
    if tree.words[token] in _OF_OTHERS:
        return None
    before = [at for at in range(tree.size) if tree.token(at).end <= holder.start]
    is_first = len(before) <= 1 and all(tree.words[at] in _OPENINGS for at in before)
    return holder if is_first else None


def _with_nouns(tree: SentenceTree, noun: int) -> DraftMention | None:
    """A name with the nouns behind it as the name of something else: "Kea servers", "SSH connection attempts"."""
    first, tags = noun - 1, tree.parse.fine_tags
    while first > 0 and first not in tree.mentions and tags[first] in _NOUNS:
        first -= 1
    name = tree.mentions.get(first)
    if name is None or name.kind not in {"name", "code"} or noun in tree.mentions or tags[noun] not in _NOUNS:
        return None
    is_inside = tree.heads[first] in range(first + 1, noun + 1) and tree.labels[first] in {"compound", "nmod", "amod"}
    is_alone = all(tree.labels[child] in {"compound", "nmod", "det"} or child == first for child in tree.children(noun))
    is_plain = {"the", "all", "both"}.issuperset(tree.child_words(noun, "det"))
    if not (is_inside and is_alone and is_plain) or name.type in _NEVER_MODIFIERS or is_demonym(name.name):
        return None
    return DraftMention(name.start, tree.token(noun).end, text_of(tree, (first, noun + 1)), None, "kind", 0.5)


def _complement(tree: SentenceTree, clause: Clause) -> int | None:
    """The token of the object, predicate noun or phrase behind a verb; None where something else comes first."""
    verb = clause.verb
    behind = [child for child in tree.children(verb) if child > verb and tree.labels[child] not in {"punct", "prt"}]
    first = next((child for child in behind if tree.words[child] not in _NOT_SAID), None)
    if first is None or _is_misread_perfect(tree, verb, first):
        return None
    label = tree.labels[first]
    if label in {"ccomp", "xcomp"} and "to" in tree.child_words(first, "aux"):
        is_object = clause.lemma in GRAMMAR.allowing and not clause.passive and tree.has_subject(first)
        return first if is_object or (clause.passive and clause.lemma in GRAMMAR.made_for) else None
    if tree.children(verb, "ccomp") or (label == "acomp" and not tree.children(first, "prep")):
        return None
    if label == "attr" and tree.parse.fine_tags[first] == "NN" and not tree.children(first, *_BEFORE_NOUNS):
        return None  # "is copyright by B"
    if label == "agent" and tree.children(first, "pcomp"):
        return None  # "can be used by passing B"
    if clause.passive:
        wanted = {"agent", "prep", "oprd"}
    else:
        wanted = {"attr", "acomp", "prep"} if clause.lemma in _COPULAS else {"dobj", "prep"}
    return first if label in wanted else None


def _is_misread_perfect(tree: SentenceTree, verb: int, first: int) -> bool:
    """Whether a participle is an adjective, "has limited support", or its object is not next: "has put in A the B"."""
    objects = tree.children(verb, "dobj")
    is_bare = bool(objects) and not tree.children(objects[0], "det", "poss", "nummod")
    return bool(objects) and (tree.labels[first] == "prep" or (is_bare and tree.words[verb] in _LIKE_ADJECTIVES))


def _predicate(tree: SentenceTree, clause: Clause, complement: int) -> tuple[Sequence[str], int]:
    """The words of the predicate, and the first token of what it says; no words where it is of none of the forms."""
    label, lemma = tree.labels[complement], clause.lemma
    is_copula = lemma == "be" and not clause.passive
    first = _first_below(tree, complement)
    if _is_able(tree, clause):
        words = ["can", "be", tree.words[clause.verb]] if clause.passive else ["can", lemma]
    elif clause.passive:
        words = [tree.words[clause.verb]]
    elif is_copula and label == "attr":
        return _IS_A, first
    elif is_copula and label == "acomp":
        words, first = [tree.words[complement]], complement + 1
        is_adjective = tree.parse.tags[complement] == "ADJ" and tree.parse.tags[first] == "ADP"
        if not is_adjective or words[0] in GRAMMAR.opinions | GRAMMAR.prospective:
            return [], first
    else:
        words = ["is" if lemma == "be" else third_person(lemma)]
    words += [clause.particle] if clause.particle else []
    if label == "xcomp" and clause.passive:
        words.append("to")
        first = complement
    while first < tree.size - 1 and tree.parse.tags[first] == "ADP" and tree.words[first + 1] not in {"least", "most"}:
        words.append(tree.words[first])
        first += 1
    says_nothing = tree.words[first] == "order" or (is_copula and len(words) == 1 and label != "acomp")
    return ([], first) if says_nothing else (words, first)


def _first_below(tree: SentenceTree, token: int) -> int:
    """The first token of all that hang on a token."""
    return min([token, *(_first_below(tree, child) for child in tree.children(token) if child < token)])
