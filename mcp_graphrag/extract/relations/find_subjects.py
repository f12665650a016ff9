"""The subjects of verbs: their own, those of another verb that they share, or the noun that they describe."""

from collections.abc import Iterator, Sequence

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.sentence_tree import SUBJECTS, Argument, SentenceTree

RELATIVES = frozenset({"who", "which", "that", "whom", "whose", "where"})
# "After leaving A, B joined C": the participle has the subject of the clause; "for" and "without" say something else.
SHARING_PREPOSITIONS = frozenset(
    {"after", "before", "while", "since", "when", "by", "upon", "on", "following", "besides"}
)
_CONTROLLED = frozenset({"help", "make", "let", "have", "see"})
_OF_PERSONS = frozenset({"bear", "marry", "educate", "raise", "train", "bury", "kill", "know", "call"})
_FINITE = frozenset({"VBD", "VBZ"})
_FINITE_FORMS = frozenset({"VBD", "VBZ", "VBP", "MD"})
_SINGULAR = frozenset({"is", "was", "has"})
_OF_ALL = frozenset({"both", "all", "each"})
_PARTICIPLES = frozenset({"VBN", "VBG", "VBD"})
_RESTRICTING = frozenset({"for", "without"})
_THIS = frozenset({"this", "that", "these", "those"})
_NAMING = frozenset({"call", "name", "know", "entitle", "title", "dub"})
_SHOWING = frozenset({"featuring", "starring", "including"})
_MAX_DEPTH = 4
_DERIVED = frozenset({"version", "variant", "edition", "distribution", "fork", "derivative", "port", "dialect"})
_OF_GROUPS = frozenset({"lead", "head", "chair", "manage", "found", "own", "base", "establish"})
_EXCHANGED = frozenset({"replace", "supersede", "succeed"})
# Of what an organization says of itself: "Acme said it has acquired Brine".
_SAYING = frozenset({"say", "announce", "report", "confirm", "disclose"})
_HAVE = frozenset({"has", "had", "have"})
_NO_REPORTERS = frozenset({"Person", "Location", "Date", "Role"})


def subjects_of(tree: SentenceTree, verb: int, depth: int = 0) -> Iterator[Argument]:
    """The subjects of a verb; none where the tree leaves it open or has what no sentence has."""
    own = [child for child in tree.children(verb, *SUBJECTS) if _may_be_subject(tree, child)]
    if len(own) > 1:
        own = [child for child in own if tree.words[child] not in _OF_ALL]  # "A and B both use C"
    if tree.children(verb, "expl"):
        own = [child for child in own if child > verb]  # "for each A there is a B"
    listed = _listed_behind_noun(tree, own)
    if listed:
        for noun in listed:
            yield Argument(noun, "", max(0.6, tree.certainties[noun]))
    elif own:
        if len(own) == 1 or _is_title(tree, own):  # else the tree is wrong: no verb has two subjects
            yield from _own(tree, verb, own[-1])
    elif not tree.has_subject(verb) and depth <= _MAX_DEPTH:
        yield from _shared(tree, verb, depth)


def _listed_behind_noun(tree: SentenceTree, own: Sequence[int]) -> list[int]:
    """The names of "the files A, B, and C are", where the tree has the last one as one more subject; else none."""
    if len(own) != 2 or own[1] not in tree.mentions or tree.words[own[1] - 1] != "and":
        return []
    first, last = own
    if first in tree.mentions or tree.parse.fine_tags[first] != "NNS" or first + 1 not in tree.mentions:
        return []
    between = [token for token in range(first + 1, last) if token in tree.mentions]
    rest = {tree.words[token] for token in range(first + 1, last)} - {tree.words[token] for token in between}
    return [*between, last] if rest <= {",", "and"} else []


def nouns_of(tree: SentenceTree, verb: int, *labels: str) -> Iterator[Argument]:
    """The nouns with these labels below a verb, each with those that "and" joins to it."""
    for child in tree.children(verb, *labels):
        if tree.words[child] in RELATIVES and child not in tree.mentions:
            continue
        for noun in tree.conjuncts(child) if tree.is_noun(child) else [child]:
            if noun == child or not _is_next_of_list(tree, verb, noun):
                yield Argument(noun, "", tree.certainty(noun, verb))


def _is_next_of_list(tree: SentenceTree, verb: int, noun: int) -> bool:
    """Whether a noun goes on with a list whose items have clauses: "A, which does X, B, which does Y"."""
    return tree.labels[verb] == "relcl" and bool(tree.children(noun, "relcl"))


def _may_be_subject(tree: SentenceTree, token: int) -> bool:
    mention = tree.mentions.get(token)
    return (tree.is_noun(token) or tree.words[token] in RELATIVES) and (mention is None or mention.kind != "date")


def _is_title(tree: SentenceTree, subjects: Sequence[int]) -> bool:
    """Whether the subjects are a noun and the name behind it: "the painter Edith Sorn", "Acme CEO Edith Sorn"."""
    first, *_, title, last = subjects if len(subjects) > 2 else (subjects[0], *subjects)
    mention = tree.mentions.get(title)
    return last - first == len(subjects) - 1 and len(subjects) <= 3 and (mention is None or mention.kind == "role")


def _own(tree: SentenceTree, verb: int, subject: int) -> Iterator[Argument]:
    """The nouns of a subject; of "which" and "who" what these are about."""
    if tree.labels[verb] == "relcl" and tree.words[subject] in RELATIVES and subject not in tree.mentions:
        is_some = tree.parse.fine_tags[verb] == "VBP" and "," not in tree.words[tree.heads[verb] : verb]
        is_some |= _is_one_of_many(tree, verb, tree.heads[verb])
        is_clear = not is_some and not _is_of_noun_behind(tree, verb, tree.heads[verb])  # "Providers that use A"
        if is_clear and not is_ambiguous(tree, verb, of_person=tree.words[subject] == "who"):
            yield Argument(tree.heads[verb], "", min(tree.certainties[verb], tree.certainties[subject]))
        return
    if _is_of_relative_clause(tree, verb, subject) or _is_of_gerund(tree, subject):
        return
    if (
        not _SINGULAR.isdisjoint({tree.words[verb], *tree.child_words(verb, "aux", "auxpass")})
        and "and" in tree.words[subject:verb]
        and _are_names(tree, tree.conjuncts(subject))
    ):
        return  # "Ann Lee, Duchess of Moss and Fern, was"
    for noun in tree.conjuncts(subject):
        if not _is_restricted(tree, noun):
            yield Argument(noun, "", tree.certainty(noun, verb))


def _is_restricted(tree: SentenceTree, noun: int) -> bool:
    """Whether what is said of a name is of one use of it: "Moss for Windows", "this Moss", "the HTML made for A"."""
    if noun not in tree.mentions:
        is_of_name = any(child in tree.mentions for child in tree.children(noun, "compound", "nmod", "amod"))
        return is_of_name and "for" in tree.child_words(noun, "prep")  # "the Debian package for A"
    if tree.words[noun] != tree.mentions[noun].name.casefold():
        return False  # "this project" may stand for it
    determiners = {*tree.child_words(noun, "det")}
    behind = noun + 1
    is_made = tree.labels[behind : behind + 1] == ["acl"] and tree.heads[behind] == noun
    return (
        not _RESTRICTING.isdisjoint(tree.child_words(noun, "prep"))
        or not _THIS.isdisjoint(determiners)
        or (is_made and "the" in determiners and tree.lemma(behind) not in _NAMING)
    )


def _is_one_of_many(tree: SentenceTree, verb: int, noun: int) -> bool:
    """Whether a clause says which one of a name is meant: "a `Box` that holds an `i32`"."""
    is_any = not {"a", "an", "any", "each", "every"}.isdisjoint(tree.child_words(noun, "det"))
    is_described = tree.labels[noun] in {"attr", "appos"}  # "Moss is a Virtual Machine Monitor that uses Fern"
    return noun in tree.mentions and is_any and not is_described and "," not in tree.words[noun:verb]


def _are_names(tree: SentenceTree, nouns: Sequence[int]) -> bool:
    return len(nouns) > 1 and all(noun in tree.mentions for noun in nouns)


def _is_of_gerund(tree: SentenceTree, subject: int) -> bool:
    """Whether a noun is an object in what opens a sentence and is its subject: "Assigning A to B and C raises D"."""
    first = min([subject, *tree.children(subject, "det", "compound", "amod", "poss")])
    return tree.parse.fine_tags[0] == "VBG" and 0 not in tree.mentions and tree.words[first - 1] in {"and", "or"}


def _is_of_relative_clause(tree: SentenceTree, verb: int, subject: int) -> bool:
    """Whether a noun is the subject of a clause in between: B in "A, which B used to own, belongs to C"."""
    first = min([subject, *tree.children(subject, "det", "compound", "amod", "poss")])
    opens = first > 0 and tree.words[first - 1] in RELATIVES and first - 1 not in tree.mentions
    return opens and "," in tree.words[subject + 1 : verb]


def _shared(tree: SentenceTree, verb: int, depth: int) -> Iterator[Argument]:
    """The subjects of a verb that has none of its own."""
    label, head, arc = tree.labels[verb], tree.heads[verb], tree.certainties[verb]
    found: Iterator[Argument] = iter(())
    aside = _noun_before_aside(tree, verb)
    if aside is not None:
        found = iter([Argument(aside, "", arc)])
    elif not tree.is_verb(head):
        # "A can be enabled by passing B" leaves open who passes it.
        is_passive = tree.words[head] == "by" and tree.children(tree.heads[head], "auxpass")
        is_open = is_passive or (tree.words[head] == "by" and _has_infinitive(tree, tree.heads[head], head))
        is_shared = label == "pcomp" and tree.words[head] in SHARING_PREPOSITIONS and not is_open
        passive = _passive_in_front(tree, verb)
        if is_shared and tree.is_verb(tree.heads[head]):
            found = subjects_of(tree, tree.heads[head], depth + 1)
            arc = min(arc, tree.certainties[head])
        elif passive is not None:
            found = subjects_of(tree, passive, depth + 1)
        elif _describes(tree, verb):
            found = iter([Argument(head, "", arc)])
    elif label == "xcomp":
        controlled = tree.lemma(head) in _CONTROLLED and tree.children(head, "dobj")
        found = nouns_of(tree, head, "dobj") if controlled else subjects_of(tree, head, depth + 1)
    elif label == "conj":
        found = _of_joined(tree, verb, depth)
    elif label == "advcl" and _shares_subject(tree, verb):
        found = (_named_by_role(tree, head) if verb > head else None) or subjects_of(tree, head, depth + 1)
    for argument in found:
        yield argument._replace(certainty=min(argument.certainty, arc))


def _has_infinitive(tree: SentenceTree, first: int, last: int) -> bool:
    """Whether an infinitive of somebody else may stand between: "provides the ability to read A by passing B"."""
    return any(tree.words[at - 1] == "to" and tree.parse.fine_tags[at] == "VB" for at in range(first + 2, last))


def _named_by_role(tree: SentenceTree, verb: int) -> Iterator[Argument] | None:
    """The person of "The lead is now Ann Lee, replacing Bob", of whom the participle is said."""
    if tree.lemma(verb) != "be":
        return None
    person = next((one for one in tree.children(verb, "attr") if one in tree.mentions), None)
    subject = next(iter(tree.children(verb, "nsubj")), None)
    if person is None or subject is None or tree.mentions[person].type != "Person":
        return None
    known = tree.mentions.get(subject)
    is_role = known is None or known.type != "Person"
    return iter([Argument(person, "", tree.certainties[person])]) if is_role else None


def _noun_before_aside(tree: SentenceTree, verb: int) -> int | None:
    """The noun whose relative clause a comma ends in front of a verb, if that noun has no other verb.

    "Ann, whose wife Eve was a nurse, died": the tree may hang the verb on a noun of the clause.
    """
    if tree.parse.fine_tags[verb] not in _FINITE and not tree.children(verb, "aux", "auxpass"):
        return None
    if tree.words[min([verb, *tree.children(verb, "aux", "auxpass", "advmod", "neg")]) - 1] != ",":
        return None
    for above in tree.ancestors(verb):
        noun = tree.heads[above]
        if tree.labels[above] == "relcl" and tree.labels[noun] == "ROOT" and tree.is_noun(noun):
            return noun if tree.words[noun + 1] == "," and tree.words[noun + 2] in RELATIVES else None
    return None


def _shares_subject(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause without a subject has that of the clause around it.

    "A runs B, known as C" may be about B, and "Since A wraps B, calling C will fail" has the gerund as its subject.
    """
    head, tag = tree.heads[verb], tree.parse.fine_tags[verb]
    if verb > head and tag == "VBN":
        return False
    opens = tag == "VBG" and verb > head and tree.words[verb - 1] == "," and tree.labels[head] == "advcl"
    return not opens or max(tree.ancestors(head)) < verb


def _passive_in_front(tree: SentenceTree, verb: int) -> int | None:
    """The passive with an agent that a participle with one goes on with: "A is made by B, written by C"."""
    preposition = tree.heads[tree.heads[verb]]
    above = tree.heads[preposition]
    is_next = tree.words[verb - 1] == "," and bool(tree.children(verb, "agent"))
    if tree.lemma(verb) in _OF_GROUPS:
        return None  # "the archive is kept by the team, led by B": B leads the team
    if tree.lemma(above) in _EXCHANGED and tree.heads[verb] in tree.mentions:
        return None  # "the scheduler is replaced by A, written by B": B did not write what is replaced
    return above if is_next and tree.labels[preposition] == "agent" and tree.is_verb(above) else None


def _describes(tree: SentenceTree, verb: int) -> bool:
    """Whether a verb without a subject says something of the noun that it hangs on."""
    label, head, tag = tree.labels[verb], tree.heads[verb], tree.parse.fine_tags[verb]
    if label in {"relcl", "acl", "appos"} and tree.labels[head] == "ROOT" and tag in _FINITE:
        return True  # "A, which B used, belongs to C", where A is taken for the root
    if label != "acl" or not tree.is_noun(head) or tag not in _PARTICIPLES:
        return False
    is_gerund = tag == "VBG" and verb == head + 1 and tree.labels[head] == "pobj"  # "against A using B"
    if tree.words[verb] == "followed" and _is_title_of(tree, head):
        return False  # "open() followed by close()"
    # "A is a sequel to B, directed by C", "Returns an A using B"
    is_aside = tag == "VBN" and tree.words[verb - 1] == ","
    of_other = is_aside and any(tree.labels[one] == "attr" for one in tree.ancestors(head))
    # "a short featuring A directed by B"
    of_other |= tag == "VBN" and tree.words[head - 1] in _SHOWING
    own = {*tree.child_words(tree.heads[head], *SUBJECTS)}
    of_nobody = tag == "VBG" and tree.labels[head] == "dobj" and (not own or not own.isdisjoint({"we", "you", "i"}))
    if of_other or of_nobody:
        return False
    if tag == "VBG" and (_is_title_of(tree, head) or _is_behind_other_noun(tree, head, verb)):
        return False
    return not is_gerund and not is_ambiguous(tree, verb, of_person=False)


def _is_title_of(tree: SentenceTree, noun: int) -> bool:
    """Whether the words are a title or comment without a sentence: "Login using A"."""
    return tree.labels[noun] == "ROOT" and not any(
        tree.parse.fine_tags[verb] in _FINITE_FORMS for verb in range(tree.size)
    )


def _is_behind_other_noun(tree: SentenceTree, noun: int, verb: int) -> bool:
    """Whether it may be another noun that does it: "an upgrade for any site using A"."""
    between = range(noun + 1, verb)
    return "," not in tree.words[noun + 1 : verb] and any(tree.parse.tags[index] == "NOUN" for index in between)


def _of_joined(tree: SentenceTree, verb: int, depth: int) -> Iterator[Argument]:
    """The subjects of a verb behind "and": those of the verb in front, if no noun stands directly in front of it."""
    noun = verb - 1 - (tree.words[verb - 1] == "+")  # "B 8.0+ calls"
    if not tree.is_noun(noun) or tree.heads[noun] == verb:
        yield from subjects_of(tree, tree.heads[verb], depth + 1)
    elif tree.labels[noun] in {"conj", "appos"}:
        yield Argument(noun, "", 1.0)  # "A calls B and C calls D", where C is taken for an object


def _is_of_noun_behind(tree: SentenceTree, verb: int, noun: int) -> bool:
    """Whether a clause stands behind another noun than its own, across a comma: "when using A, data that B has"."""
    relatives = [child for child in tree.children(verb, *SUBJECTS) if tree.words[child] in RELATIVES]
    if not relatives or "," not in tree.words[noun : relatives[0]]:
        return False
    before = relatives[0] - 1
    return tree.parse.tags[before] == "NOUN" and noun not in {tree.heads[before], before}


def _names(tree: SentenceTree, noun: int, index: int) -> bool:
    """Whether a name only says what a noun is called: "a department, Grid Software, headed by A", "Name (NM)"."""
    behind = index + 1 + (tree.words[index + 1 : index + 2] == ['"'])
    return tree.labels[index] == "appos" and tree.heads[index] == noun and tree.words[behind] in {",", ")"}


def is_ambiguous(tree: SentenceTree, verb: int, *, of_person: bool) -> bool:
    """Whether the clause behind a noun may be about another one near it.

    "A school in Leeds founded by A", "a novel by A, which was published": the school or Leeds, the novel or A? Also
    where another name stands between the noun and the clause.
    """
    noun = tree.heads[verb]
    between = [
        index
        for index in range(noun + 1, min([verb, *tree.children(verb)]))
        if index in tree.mentions and tree.mentions[index].kind != "date" and not _names(tree, noun, index)
    ]
    if between:  # "a novel by A, published in 1849", but not "a rival of A, based in B"
        of_author = all(
            tree.words[tree.heads[index]] == "by" and tree.heads[tree.heads[index]] == noun for index in between
        )
        is_work = tree.labels[noun] == "attr" and (
            tree.lemma(verb) in GRAMMAR.of_works  # "is a film about A, directed by B"
            or (tree.words[noun] in _DERIVED and tree.heads[between[0]] == noun + 1)  # "is a version of A sold by B"
        )
        return not (is_work or (of_author and tree.lemma(verb) not in _OF_PERSONS))
    mention = tree.mentions.get(noun)
    is_set_off = noun + 1 < tree.size and tree.words[noun + 1] == ","
    may_be_person = mention is None or mention.type == "Person" or (mention.type is None and not is_set_off)
    is_person = of_person and may_be_person  # but not in "a politician in Alberta, who served"
    if is_person:
        return False
    if mention is not None and mention.type == "Person" and "which" in tree.child_words(verb, *SUBJECTS, "dobj"):
        return True
    if tree.labels[noun] != "pobj":
        return False
    above = tree.heads[tree.heads[noun]]
    before = tree.heads[noun] - 1  # the word in front of the preposition, whatever the tree says
    if is_set_off and before >= 0 and tree.parse.tags[before] in {"NOUN", "PROPN", "ADJ"}:
        return True
    return tree.is_noun(above) or (tree.is_verb(above) and tree.labels[above] in {"acl", "relcl"})


def own_report(tree: SentenceTree, verb: int) -> int | None:
    """The token of the organization of which a clause says "it has done" in its own report, else None.

    What it did, not what it is or plans: "Acme said it acquired Brine", but not "said it will", "said it is".
    """
    saying = tree.heads[verb]
    if tree.labels[verb] != "ccomp" or saying > verb or tree.lemma(saying) not in _SAYING:
        return None
    subjects, reporters = tree.children(verb, *SUBJECTS), tree.children(saying, "nsubj")
    if [tree.words[at] for at in subjects] != ["it"] or len(reporters) != 1 or tree.lemma(verb) == "be":
        return None
    tag, auxiliaries = tree.parse.fine_tags[verb], set(tree.child_words(verb, "aux", "auxpass"))
    is_done = (tag == "VBD" and not auxiliaries) or (tag == "VBN" and auxiliaries and auxiliaries <= _HAVE)
    reporter = tree.mentions.get(reporters[0])
    if not is_done or reporter is None or reporter.type in _NO_REPORTERS or reporter.kind != "name":
        return None
    is_plain = not tree.children(saying, "neg", "aux") and tree.labels[saying] == "ROOT"
    return reporters[0] if is_plain and reporters[0] == saying - 1 else None
