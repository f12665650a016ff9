"""Common noun phrases that say what they are of so well that they may be an end of a triple: "the missing payouts"."""

from functools import cache

from mcp_graphrag.extract.english.draft_triple import is_software
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import Cue, base_form, load_lexicon
from mcp_graphrag.extract.relations.find_subjects import RELATIVES
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.named import is_changed, is_person_noun
from mcp_graphrag.extract.relations.read_clauses import Clause
from mcp_graphrag.extract.relations.sentence_tree import SUBJECTS, SentenceTree

# The kind of a `DraftMention` that is a noun phrase.
PHRASE = "phrase"

_NOUNS = frozenset({"NN", "NNS"})
_ARTICLES = frozenset({"the", "a", "an"})
_MODIFIERS = frozenset({"amod", "compound", "nmod"})
_BESIDE = frozenset({"cc", "punct", "preconj"})  # not a part of the phrase
_NO_PARTS = frozenset({"role", "url", "email", "version", "pronoun", "possessive"})
_FULL_CLAUSES = frozenset({"ROOT", "conj", "ccomp", "parataxis"})
_REASONS = frozenset({"because", "since", "although", "though", "while", "whereas"})
_LASTING_LIST = (
    "based_on built_on built_with caches configures consumes contains coordinates delivers depends_on deploys emits"
    " exports exposes generates holds hosted_on implements integrates_with maintains manages monitors needs"
    " operates oversees owns powered_by prevents provides publishes_to reads_from replaces requires returns runs_on"
    " ships stored_in stores stores_data_in supports tests uses validates wraps writes_to written_in"
)
# Predicates whose object may be a common noun: of others, such as what a person won, the phrase says too little.
_LASTING = frozenset(_LASTING_LIST.split())
NO_PHRASE_BESIDE = frozenset({"date", "role", "pronoun", "possessive"})
_NO_OPENINGS = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "DET", "PRON"})
# What stands behind a noun and is of it, whatever the tree says: "clubs from the Balkans", "the game (1998)".
_OPEN = frozenset(
    {"-", "/", "(", ":", "from", "between", "about", "against", "than", "of", "like", "as", "among", "without"}
)
_LINKS = frozenset({"of", "for"})
_QUOTE = "`"
_MAX_WORDS = 4  # in front of the noun, without quotes
_CONFIDENCE = 0.5
_MIN_CERTAINTY = 0.4


def may_have_phrase(tree: SentenceTree, clause: Clause) -> bool:
    """Whether a clause may state something of a noun phrase: it has a subject of its own, and is no side remark."""
    verb, label = clause.verb, tree.labels[clause.verb]
    if clause.lemma in GRAMMAR.no_phrase_verbs or tree.children(verb, "xcomp", "ccomp"):
        return False
    if clause.passive and label == "acl":
        return True
    own = tree.children(verb, *SUBJECTS)
    if len(own) != 1 or len(tree.children(verb, "dobj")) > 1:
        return False
    if tree.words[own[0]] in RELATIVES:  # "Acme, which uses …": nothing else may be what the clause is about
        return tree.heads[verb] in tree.mentions and own[0] - tree.heads[verb] <= 2
    if label == "advcl":
        return not _REASONS.isdisjoint(tree.child_words(verb, "mark"))
    return label in _FULL_CLAUSES


def may_take_phrase(cue: Cue | None, subject: DraftMention) -> bool:
    """Whether a verb says something lasting of a common noun: what a thing uses or has, and what software does."""
    if cue is None:
        return is_software(subject) or subject.kind.startswith("hyphenated")
    return not cue.swap and cue.predicate in _LASTING


def may_name_phrase(sentence: str, mention: DraftMention) -> bool:
    """Whether a sentence with one name may relate it to a common noun; a cheap test before it is parsed."""
    may_act = is_software(mention) or mention.kind.startswith("hyphenated")
    return may_act or not _lasting_words().isdisjoint(sentence.lower().split())


@cache
def _lasting_words() -> frozenset[str]:
    """The first words of the verbs whose object may be a common noun."""
    cues = [cue for found in load_lexicon().cues.values() for cue in found]
    return frozenset(cue.words[0] for cue in cues if cue.predicate in _LASTING and not cue.swap and cue.form != "noun")


def subject_phrase(tree: SentenceTree, noun: int) -> DraftMention | None:
    """The phrase of a noun as what a clause is about: one in front of which a name says which, "the Redis cluster".

    Any other is mostly of something that was named before: "the restaurant chain", "the head of Acme".
    """
    is_any = not {"a", "an"}.isdisjoint(tree.child_words(noun, "det"))
    is_named = any(child in tree.mentions for child in tree.children(noun, "compound", "nmod"))
    return noun_phrase(tree, noun) if is_named and not is_any else None


def noun_phrase(tree: SentenceTree, noun: int) -> DraftMention | None:
    """The whole phrase of a noun without its article, untyped; none where it is vague or may be cut."""
    start, end = _start(tree, noun), _end(tree, noun)
    if start is None or end is None or not _is_alone(tree, noun, start, end):
        return None
    if sum(_says_something(tree, token) for token in range(start, end + 1)) < 2:
        return None
    name = ""
    for token in range(start, end + 1):
        if tree.words[token] != _QUOTE:
            apart = tree.token(token).start > tree.token(token - 1).end or tree.words[token - 1] == _QUOTE
            text = tree.mentions[token].name if token in tree.mentions else tree.token(token).text
            name += f" {text}" if apart and name else text
    return DraftMention(tree.token(start).start, tree.token(end).end, name, None, PHRASE, _CONFIDENCE)


def has_name(tree: SentenceTree, noun: int) -> bool:
    """Whether a name says what the noun is of: "the Redis cluster", "the calendar of Acme"; not "the Danish team"."""
    behind = [token for child in tree.children(noun, "prep") for token in tree.children(child)]
    return any(token in tree.mentions for token in (*tree.children(noun, "compound", "nmod"), *behind))


def _start(tree: SentenceTree, noun: int) -> int | None:
    """The first token of the phrase behind its article; none where the noun or a word in front of it is vague."""
    word = tree.words[noun]
    if tree.parse.fine_tags[noun] not in _NOUNS or noun in tree.mentions or not word.replace("-", "").isalpha():
        return None
    if not GRAMMAR.bare_nouns.isdisjoint({word, base_form(word)}) or is_changed(tree, noun) or is_person_noun(word):
        return None
    start = noun
    for child in tree.children(noun):
        if child > noun or (tree.labels[child] == "det" and tree.words[child] in _ARTICLES):
            continue
        if tree.labels[child] not in _MODIFIERS or tree.children(child, "conj", "cc", "advmod", "prep"):
            return None
        start = min([start, child, *tree.children(child)])
    inside = [token for token in range(start, noun) if tree.words[token] != _QUOTE]
    return start if len(inside) < _MAX_WORDS and all(_may_be_part(tree, token, noun) for token in inside) else None


def _may_be_part(tree: SentenceTree, token: int, noun: int) -> bool:
    if tree.certainties[token] < _MIN_CERTAINTY:
        return False
    if token in tree.mentions:
        name = tree.mentions[token]
        return name.kind not in _NO_PARTS and name.name.split()[0].lower() not in GRAMMAR.vague
    word = tree.words[token]
    return (word.replace("-", "").isalpha() or word == "-") and word not in GRAMMAR.vague and tree.heads[token] <= noun


def _end(tree: SentenceTree, noun: int) -> int | None:
    """The last token of the phrase, that of what is behind "of" or "for"; none where something else belongs to it."""
    end = noun
    for child in tree.children(noun):
        if child < noun or tree.labels[child] in _BESIDE or (tree.labels[child] == "conj" and tree.is_noun(child)):
            continue
        if child == noun + 1 and tree.words[child] in _LINKS:
            inner = tree.children(child)
            token = inner[0] if len(inner) == 1 else noun
            if token == noun or tree.children(token, "conj", "cc") or _end(tree, token) != token:
                return None
            if token not in tree.mentions and "the" in tree.child_words(token, "det") and not has_name(tree, token):
                return None  # "the return of the tournament"
            if token in tree.mentions:
                if tree.mentions[token].kind in _NO_PARTS | {"date"}:
                    return None
            elif _start(tree, token) is None:
                return None
            end = token
        elif tree.words[child] != "using" and not (
            tree.labels[child] == "relcl" and "," in tree.words[end + 1 : end + 2]
        ):
            return None
    return end


def _is_alone(tree: SentenceTree, noun: int, start: int, end: int) -> bool:
    """Whether nothing beside a phrase looks like a part of it, whatever the tree says, and none of its list does."""
    before = start - 1
    while before >= 0 and tree.words[before] == _QUOTE:
        before -= 1
    if before >= 0 and before not in tree.children(noun, "det"):
        is_open = tree.words[before] in {"and", "or", ",", "&", "/"} and tree.labels[noun] != "conj"
        is_part = tree.parse.tags[before] in _NO_OPENINGS and tree.heads[noun] != before
        if is_open or is_part or before in tree.mentions:
            return False
    after = end + 1
    while after < tree.size and tree.words[after] == _QUOTE:
        after += 1
    if after < tree.size and (tree.words[after] in _OPEN or tree.is_noun(after)):
        return False
    if (
        tree.labels[noun] == "conj"
        and tree.heads[noun] in tree.mentions
        and tree.child_words(noun, "det") in (["a"], ["an"])
    ):
        return False  # "Acme, a maker of shoes"
    later = [token for token in tree.conjuncts(noun) if token > noun]
    return not any(tree.children(token, "prep", "acl", "relcl") for token in later)


def _says_something(tree: SentenceTree, token: int) -> bool:
    word = tree.words[token]
    return token in tree.mentions or (word.isalpha() and word not in _LINKS and word not in GRAMMAR.vague | _ARTICLES)
