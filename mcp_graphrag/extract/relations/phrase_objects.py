"""Triples whose object is said in words and has no name: "`keactrl` controls the startup of the servers".

The object is a phrase, word by word as the sentence has it, up to the end of the clause: whatever limits what is said
stays in it.
"""

from collections.abc import Iterator

from mcp_graphrag.extract.english.discourse.coreference import PRONOUN
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_demonym
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import predicate_name
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.relations.find_subjects import RELATIVES
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.lemmas import third_person
from mcp_graphrag.extract.relations.limits import has_date
from mcp_graphrag.extract.relations.named import Found, mention_of
from mcp_graphrag.extract.relations.read_clauses import Clause, is_finite
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.model import PHRASE

_CONFIDENCE = 0.8
_MIN_CERTAINTY = 0.5
_MAX_TOKENS = 20
MAX_SUBJECTS = 3
_NO_SUBJECTS = frozenset({"date", "role", "url", "email", "version"})
# What a phrase with these means depends on the text around it.
_DEICTIC = frozenset(
    """
    this that these those such here there it them they him he she you your yours we our ours us i my mine me above below
    following same another former latter respective corresponding aforementioned said otherwise therefore thus too
    either neither one ones himself herself themselves who whom whose which what when where while how why if unless
    until whether because although though since however
    """.split()  # noqa: SIM905
)
# In front of the noun, or the noun itself: the phrase says next to nothing.
_VAGUE = frozenset(
    """
    many several various few certain more most much enough numerous multiple any lot lots number variety range plenty couple bit way ways thing things kind kinds sort sorts part
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
_NOT_SAID = frozenset({"also", "now", "currently", "further", "still", "already", "itself", "then", "additionally"})
_CUT_AT = frozenset({";", ":", "—", "–", "--", "("})
_NEXT_CLAUSES = frozenset({"conj", "advcl", "ccomp", "parataxis", "cc", "dep", "intj", "mark"})
_ENDS = frozenset({"NOUN", "PROPN", "NUM", "X", "SYM"})
_IN_FRONT = frozenset({"cc", "punct", "advmod"})
_STATING = frozenset({"ROOT", "conj", "advcl", "ccomp", "parataxis"})
_COPULAS = frozenset({"be", "become", "remain"})
_NOUNS = frozenset({"NN", "NNS"})
_ARTICLES = frozenset({"a", "an", "the"})
_NEVER_MODIFIERS = frozenset({"Person", "Location", "Date", "Role"})
# Verbs that say next to nothing about their object, or are about what somebody says, thinks and plans.
_NO_VERBS = frozenset(
    """
    do get go come put let see say tell ask want think know seem look try feel call find turn happen help believe
    consider appear note claim argue suggest expect hope mention assume guess suppose agree plan intend attempt care
    worry wonder talk speak tend show
    """.split()  # noqa: SIM905
)
_ALLOWING = frozenset({"allow", "enable", "permit", "cause", "require"})
_MADE_FOR = frozenset({"build", "design", "make", "use", "intend", "develop", "create", "mean"})


def phrase_triples(tree: SentenceTree, clause: Clause) -> Iterator[Found]:
    """The triple of a main clause with one named subject and an object or complement in words."""
    is_kind = clause.lemma == "be" and not clause.passive
    if not _may_state(tree, clause) or len(clause.subjects) > (1 if is_kind else MAX_SUBJECTS):
        return
    for subject in clause.subjects:
        yield from _of_subject(tree, clause, subject)


def _of_subject(tree: SentenceTree, clause: Clause, subject: Argument) -> Iterator[Found]:
    if subject.certainty < _MIN_CERTAINTY or subject.token > clause.verb:
        return
    named = subject.token
    if tree.labels[named] == "attr" and tree.lemma(tree.heads[named]) == "be":
        named = next(iter(tree.children(tree.heads[named], "nsubj")), named)  # "A is the object that …"
    holder = _holder(tree, named)
    complement = _complement(tree, clause) if holder is not None else None
    span = _span(tree, clause, complement) if complement is not None else None
    if holder is None or complement is None or span is None or not _says_something(tree, *span):
        return
    words, first = _predicate(tree, clause, complement, *span)
    stop = span[1]
    if not words or not _is_specific(tree, first, stop) or (words == ["is", "a"] and tree.words[first] in WORDS.possessives):
        return
    if words == ["is", "a"] and tree.words[first] in _ARTICLES:
        first += 1
    name = _text(tree, first, stop)
    object_ = DraftMention(tree.token(first).start, tree.token(stop - 1).end, name, PHRASE, "phrase", 0.5)
    surface = " ".join(tree.words[clause.verb : first])
    sure = min(subject.certainty, tree.certainty(complement, clause.verb))
    yield Found(DraftTriple(holder, predicate_name(words), object_, surface, _CONFIDENCE), clause.verb, sure)


def _may_state(tree: SentenceTree, clause: Clause) -> bool:
    """Whether the verb of a clause says something, and nothing in front of its subject limits what it says."""
    verb = clause.verb
    if not is_finite(tree, verb) or (clause.tense == "other" and not _is_able(tree, clause)):
        return False
    if clause.lemma in _NO_VERBS or not clause.lemma.isalpha() or tree.children(verb, "expl", "neg"):
        return False
    above = verb
    while tree.labels[above] == "conj" and tree.is_verb(tree.heads[above]) and not tree.has_subject(above):
        above = tree.heads[above]
    if tree.labels[above] == "relcl":
        noun = tree.heads[above]
        if noun in tree.mentions:
            return "," in tree.words[noun:above]
        above = tree.heads[noun]
        if tree.labels[noun] != "attr" or tree.lemma(above) != "be":
            return False
    subjects = tree.children(above, "nsubj", "nsubjpass")
    if tree.labels[above] not in _STATING or len(subjects) != 1:
        return False
    inside = _below(tree, subjects[0])
    in_front = [child for child in tree.children(above) if child < inside[0] and tree.labels[child] != "mark"]
    return all(_may_open(tree, clause, child) for child in in_front)


def _is_able(tree: SentenceTree, clause: Clause) -> bool:
    """Whether a clause says what something can do: "A can read B and write C"."""
    words = tree.child_words(clause.verb, "aux")
    is_joined = tree.labels[clause.verb] == "conj" and not words and not tree.has_subject(clause.verb)
    if is_joined and tree.parse.fine_tags[clause.verb] == tree.parse.fine_tags[tree.heads[clause.verb]]:
        words = tree.child_words(tree.heads[clause.verb], "aux")
    return words == ["can"]


def _may_open(tree: SentenceTree, clause: Clause, child: int) -> bool:
    """Whether what stands in front of a subject limits nothing, or only says when something happened."""
    below = _below(tree, child)
    if tree.labels[child] in _IN_FRONT and len(below) == 1:
        return tree.words[child] not in GRAMMAR.hedges
    if tree.labels[child] != "prep":
        return False
    is_added = tree.words[child : child + 2] == ["in", "addition"] or tree.words[child] in {"besides", "like", "unlike"}
    return is_added or (clause.tense == "past" and has_date(tree, child))


def _holder(tree: SentenceTree, token: int) -> DraftMention | None:
    """The name that a subject is, alone or with the nouns behind it: "`foo`", "SSH connections"."""
    holder = mention_of(tree, token)
    if holder is None:
        return _with_nouns(tree, token)
    if holder.kind in _NO_SUBJECTS or not holder.name[0].isalnum():
        return None
    if holder.kind != PRONOUN:
        return holder
    word = next((tree.words[at] for at, one in tree.mentions.items() if one.start == holder.start), "")
    return None if word in WORDS.he and holder.type not in {None, "Person"} else holder


def _with_nouns(tree: SentenceTree, noun: int) -> DraftMention | None:
    """A name with the nouns behind it as the name of something else: "Kea servers", "SSH connection attempts"."""
    first = noun - 1
    while first > 0 and first not in tree.mentions and tree.parse.fine_tags[first] in _NOUNS:
        first -= 1
    name = tree.mentions.get(first) if first >= 0 else None
    if noun in tree.mentions or tree.parse.fine_tags[noun] not in _NOUNS or name is None or name.kind not in {"name", "code"}:
        return None
    is_inside = tree.heads[first] in range(first + 1, noun + 1) and tree.labels[first] in {"compound", "nmod", "amod"}
    others = [child for child in tree.children(noun) if tree.labels[child] not in {"compound", "nmod", "det"} and child != first]
    is_plain = set(tree.child_words(noun, "det")) <= {"the", "all", "both"}
    if not is_inside or others or not is_plain or name.type in _NEVER_MODIFIERS or is_demonym(name.name):
        return None
    if first > 0 and tree.words[first - 1] not in {"the", "all", "both", ",", "(", '"', "“"}:
        return None
    return DraftMention(name.start, tree.token(noun).end, _text(tree, first, noun + 1), None, "kind", 0.5)


def _complement(tree: SentenceTree, clause: Clause) -> int | None:
    """The token of the object, predicate noun or phrase behind a verb; None where something else comes first."""
    verb = clause.verb
    behind = [child for child in tree.children(verb) if child > verb and tree.labels[child] not in {"punct", "prt"}]
    first = next((child for child in behind if tree.words[child] not in _NOT_SAID), None)
    if first is None:
        return None
    label = tree.labels[first]
    if label in {"ccomp", "xcomp"} and "to" in tree.child_words(first, "aux"):
        is_object = clause.lemma in _ALLOWING and not clause.passive and tree.has_subject(first)
        return first if is_object or (clause.passive and clause.lemma in _MADE_FOR) else None
    if tree.children(verb, "ccomp", "dative"):
        return None
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
        if child > complement and tree.labels[child] in _NEXT_CLAUSES:
            stop = min(stop, *_below(tree, child))
    for at in range(first, stop):
        if tree.words[at] in _CUT_AT or (tree.words[at] == "," and not _goes_on(tree, at, stop)):
            if _may_be_inside(tree, at):
                return None
            stop = at
            break
    while stop > first and tree.labels[stop - 1] in {"punct", "cc"}:
        stop -= 1
    if not 0 < stop - first <= _MAX_TOKENS or tree.parse.tags[stop - 1] not in _ENDS and stop - 1 not in tree.mentions:
        return None
    inside = set(_below(tree, clause.verb))
    return (first, stop) if inside.issuperset(range(first, stop)) else None


def _may_be_inside(tree: SentenceTree, cut: int) -> bool:
    """Whether what stands in front of a comma or dash may need what stands behind it: "folk, rock and pop singer"."""
    if cut + 1 >= tree.size:
        return False
    if tree.words[cut] == "–" and tree.token(cut).start == tree.token(cut - 1).end:
        return True  # "May 3–5"
    is_remark = tree.labels[cut + 1] == "appos" or cut + 1 in tree.mentions
    return tree.words[cut] == "," and tree.parse.tags[cut + 1] in {"NOUN", "ADJ", "NUM"} and not is_remark


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
    """Whether a phrase denies and doubts nothing, and points at nothing outside of it."""
    relatives = {
        at for at in range(first, stop) if tree.words[at] in RELATIVES and tree.labels[tree.heads[at]] == "relcl"
    }
    words = {tree.words[at] for at in range(first, stop) if at not in relatives}
    return words.isdisjoint(_DEICTIC | GRAMMAR.denying | GRAMMAR.hedges | {"no"} | GRAMMAR.modals)


def _is_specific(tree: SentenceTree, first: int, stop: int) -> bool:
    """Whether a phrase says by itself what is meant: not "the file", "many features", "a tool"."""
    head = next((at for at in range(first, stop) if not (first <= tree.heads[at] < stop)), first)
    tags = tree.parse.tags
    named = tree.mentions.get(head)
    if (named is not None and named.kind != "role") or tags[head] not in {"NOUN", "PROPN", "VERB"}:
        return False
    if not (_VAGUE | _OPINION).isdisjoint(tree.words[first : head + 1]):
        return False
    if "JJR" in tree.parse.fine_tags[first:head] and "than" not in tree.words[first:stop]:
        return False
    if len(tree.words[stop - 1]) == 1 and tree.token(stop - 1).text.isupper():
        return False  # an initial, behind which the sentence was split
    content = [at for at in range(first, stop) if tags[at] in {"NOUN", "PROPN", "ADJ", "NUM", "VERB", "X"}]
    if len(content) < 2:
        return False
    if tree.words[first] != "the":
        return True
    inside = [child for child in tree.children(head) if first <= child < stop]
    is_followed = head + 1 < stop and tags[head + 1] == "ADP"  # whatever the tree hangs it on
    return is_followed or any(tree.labels[child] in {"prep", "relcl", "acl", "compound", "nmod"} for child in inside)


def _predicate(
    tree: SentenceTree, clause: Clause, complement: int, first: int, stop: int
) -> tuple[list[str], int]:
    """The words of the predicate and the first token of what it says; no words where it is none of the known forms."""
    label = tree.labels[complement]
    if _is_able(tree, clause):
        words = ["can", "be", tree.words[clause.verb]] if clause.passive else ["can", clause.lemma]
    elif clause.passive:
        words = [tree.words[clause.verb]]
    elif clause.lemma == "be" and label == "attr":
        return ["is", "a"], first
    elif clause.lemma == "be" and label == "acomp":
        words, first = [tree.words[complement]], complement + 1
        if tree.parse.tags[complement] != "ADJ" or tree.parse.tags[first] != "ADP":
            return [], first
        if tree.words[complement] in _OPINION | {"able", "likely", "unable", "sure", "aware", "glad", "happy"}:
            return [], first
    elif clause.lemma == "be":
        words = ["is"]
    else:
        words = [third_person(clause.lemma)]
    words += [clause.particle] if clause.particle else []
    if label in {"xcomp"} and clause.passive:
        words.append("to")
        first = complement
    while tree.parse.tags[first] == "ADP" and first < stop - 1 and tree.words[first + 1] not in {"least", "most"}:
        words.append(tree.words[first])
        first += 1
    if words == ["is"]:
        return [], first
    return words, first


def _text(tree: SentenceTree, first: int, stop: int) -> str:
    """The words of the phrase without the markup between them."""
    text = ""
    for at in range(first, stop):
        token = tree.token(at)
        joined = at == first or token.start == tree.token(at - 1).end
        text += token.text if joined or token.text in {",", ".", ")", "'s"} else f" {token.text}"
    if text.count('"') % 2:
        text += '"'
    return " ".join(text.split()) + "”" * (text.count("“") - text.count("”"))
