"""The dependency tree of a sentence together with the mentions that its tokens are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lemmas import lemma_of
from mcp_graphrag.english.parser import Parse, Token
from mcp_graphrag.mentions.find_mentions import DraftMention

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})
BESIDE = 0.6
_GIVING = frozenset({"gives", "gave", "give", "given", "calls", "called", "call", "names", "named", "name"})
_MISPLACED = frozenset({"npadvmod", "advmod", "dep", "pobj"})
_QUOTES = frozenset({'"', "“", "``", "'"})
_GOING_ON = (["now"], ["also"], ["instead"], ["still"], ["then"])
_NOUNS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "X", "SYM"})
_VERBS = frozenset({"VERB", "AUX"})
_IN_FRONT_OF_BASES = frozenset({"would", "will", "to", "did", "help", "helps", "helped"})


class Argument(NamedTuple):
    """A noun of a clause, the prepositions in front of it ("" for none), and the certainty of the arcs to it."""

    token: int
    preposition: str
    certainty: float


_NEVER_IT = frozenset({"Person", "Team", "Location", "Role"})  # beside a thing


class SentenceTree:
    """A parse with its children by token and its mentions by token; pronouns are mentions of what they stand for."""

    def __init__(self, parse: Parse, mentions: Sequence[DraftMention]) -> None:
        self.parse = parse
        self.size = len(parse.tokens)
        self.heads = list(parse.heads)
        self.labels = list(parse.labels)
        self._children: list[list[int]] = [[] for _ in range(self.size)]
        for index, head in enumerate(parse.heads):
            if head != index:
                self._children[head].append(index)
        by_end = {mention.end: mention for mention in mentions}
        self.mentions: dict[int, DraftMention] = {
            index: by_end[token.end]
            for index, token in enumerate(parse.tokens)
            if token.end in by_end and token.start >= by_end[token.end].start
        }
        # A name directly behind a noun, "the translator Ann", is beside it whatever the parser is sure of.
        self.certainties = [
            max(certainty, BESIDE) if label == "appos" and self._is_beside(index) else certainty
            for index, (label, certainty) in enumerate(zip(parse.labels, parse.certainty, strict=True))
        ]
        self.labels = [
            "conj" if label == "appos" and self._is_listed(index) else label for index, label in enumerate(parse.labels)
        ]
        for index in range(self.size):
            if (self.labels[index] == "appos" and self._is_behind_semicolon(index)) or self._is_second_subject(index):
                self.labels[index] = "dep"
        self._join_names_to_nouns()
        self.words = [token.text.replace("’", "'").lower() for token in parse.tokens]
        if "it" in self.words:
            self._with_it()

    def _join_names_to_nouns(self) -> None:
        """Make a name behind a noun an apposition to it, where the tree has it elsewhere: "in the film "A" as B"."""
        for index, mention in self.mentions.items():
            noun = index - 1 - (self.parse.tokens[index - 1].text in _QUOTES)
            if self.labels[index] == "npadvmod" and self.parse.tokens[noun].text == ",":
                noun -= 1  # "for her third novel, A": no name is an adverb
            if (
                noun < 1
                or noun in self.mentions
                or mention.kind not in {"name", "quoted"}
                or self.parse.fine_tags[noun] not in {"NN", "NNS"}
                or self.labels[noun] not in {"pobj", "dobj"}
                or not (self.labels[index] in _MISPLACED or self._is_second_object(index, noun))
                or self._has_participle_behind(index)
                or index in self.ancestors(noun)  # else the tree would have a circle
            ):
                continue
            if self.labels[index] != "pobj" or self.heads[index] == self.heads[noun]:
                self._children[self.heads[index]].remove(index)
                self._children[noun] = sorted([*self._children[noun], index])
                self.heads[index], self.labels[index] = noun, "appos"
                self.certainties[index] = max(self.certainties[index], BESIDE)

    def _is_second_object(self, index: int, noun: int) -> bool:
        """Whether a name is parsed as one more object behind what it is: "requires the plotting library Moss"."""
        head = self.heads[index]
        is_kind = self.parse.tokens[noun].text in GRAMMAR.kinds and self.labels[index] == "dobj"
        return is_kind and head == self.heads[noun] and self.parse.tokens[head].text not in _GIVING

    def _has_participle_behind(self, index: int) -> bool:
        """Whether a comma and a participle follow, which may be of something else: "the film A, directed by B"."""
        behind = [at for at in range(index + 1, self.size) if self.parse.tokens[at].text not in _QUOTES][:2]
        if len(behind) < 2 or self.parse.tokens[behind[0]].text != ",":
            return False
        return self.parse.fine_tags[behind[1]] in {"VBN", "VBD"}

    def _is_beside(self, index: int) -> bool:
        """Whether an apposition is a name directly behind the noun that it hangs on."""
        named = index in self.mentions and index - 1 not in self.mentions
        return named and self.heads[index] == index - 1

    def _is_behind_semicolon(self, index: int) -> bool:
        """Whether a semicolon parts an apposition from its noun: "the portrait by A; the B, found in C"."""
        return any(token.text == ";" for token in self.parse.tokens[self.heads[index] + 1 : index])

    def _is_second_subject(self, index: int) -> bool:
        """Whether a noun behind a verb is parsed as its subject, which stands in front: "A was born, the son of B"."""
        verb = self.heads[index]
        if self.labels[index] not in SUBJECTS or index < verb:
            return False
        return any(self.labels[child] in SUBJECTS and child < verb for child in self._children[verb])

    def _is_listed(self, index: int) -> bool:
        """Whether an apposition is the second name of a list: "the A, the B and the C Team".

        Places are not: "in Graz, Austria and Bonn".
        """
        first, second = self.mentions.get(self.parse.heads[index]), self.mentions.get(index)
        if first is None or second is None or first.type != second.type:
            return False
        joined = [child for child in self._children[index] if self.parse.labels[child] == "conj"]
        return first.type != "Location" and any(
            child in self.mentions and self.mentions[child].type == first.type for child in joined
        )

    def _with_it(self) -> None:
        """Let "it" be the subject of the clause around it, if that is the only name in front: "A said that it …"."""
        for index, token in enumerate(self.parse.tokens):
            if token.text != "it" or self.labels[index] not in SUBJECTS or index in self.mentions:
                continue
            # "A no longer uses B; it now uses C"
            goes_on = index > 0 and self.words[index - 1] == ";" and self.words[index + 1 : index + 2] in _GOING_ON
            clause = self.heads[index]
            is_joined = self.labels[clause] == "conj" and self.words[index - 1] == "and"
            if self.labels[clause] not in {"ccomp", "advcl"} and not (goes_on or is_joined):
                continue
            before = [at for at, mention in self.mentions.items() if at < index and mention.kind != "date"]
            if is_joined:  # "A is owned by the B team, and it runs on C"
                before = [at for at in before if self.mentions[at].type not in _NEVER_IT]
            subjects = [at for at in before if self.labels[at] in {"nsubj", "nsubjpass"}]
            if len(subjects) == 1 and (goes_on or len(before) == 1):
                mention = self.mentions[subjects[0]]
                if mention.type != "Person" and mention.kind != "role" and (goes_on or self.heads[subjects[0]] < index):
                    self.mentions[index] = mention._replace(start=token.start, end=token.end, kind="pronoun")

    def token(self, index: int) -> Token:
        """The token of that index."""
        return self.parse.tokens[index]

    def token_of(self, mention: DraftMention) -> int | None:
        """The last token of a mention, which stands for it; None where the sentence has it not."""
        return next((index for index, each in self.mentions.items() if each.end == mention.end), None)

    def children(self, index: int, *labels: str) -> list[int]:
        """The children in text order, of these labels if any are given."""
        children = self._children[index]
        if not labels:
            return children
        of = self.labels
        return [child for child in children if of[child] in labels] if children else []

    def child_words(self, index: int, *labels: str) -> list[str]:
        """The words of those children, in lower case."""
        children, of = self._children[index], self.labels
        return [self.words[child] for child in children if not labels or of[child] in labels] if children else []

    def lemma(self, index: int) -> str:
        """The base form of a verb; of another word the word itself."""
        return lemma_of(self.words[index], self.parse.fine_tags[index])

    def verb_word(self, index: int) -> str:
        """The word of a verb, "founds" where "found" is a base form: "would later found", "helped found"."""
        is_base = self.words[index] == "found" and not _IN_FRONT_OF_BASES.isdisjoint(self.child_words(index, "aux"))
        return "founds" if is_base else self.words[index]

    def is_verb(self, index: int) -> bool:
        """Whether the token is a verb or an auxiliary."""
        return self.parse.tags[index] in _VERBS and index not in self.mentions

    def is_noun(self, index: int) -> bool:
        """Whether the token is a noun, a name or a pronoun, also one that looks like a verb: "Exercise is good"."""
        if self.parse.tags[index] in _NOUNS or index in self.mentions:
            return True
        is_alone = all(self.labels[child] == "punct" for child in self._children[index])
        return is_alone and self.labels[index] in {"nsubj", "nsubjpass"}

    def certainty(self, index: int, ancestor: int) -> float:
        """The least certainty of the arcs between a token and one of its ancestors."""
        least = 1.0
        while index != ancestor and self.heads[index] != index:
            least = min(least, self.certainties[index])
            index = self.heads[index]
        return least

    def ancestors(self, index: int) -> Iterator[int]:
        """The heads from the nearest to the root."""
        while self.heads[index] != index:
            index = self.heads[index]
            yield index

    def has_subject(self, verb: int) -> bool:
        """Whether a verb has a subject of its own."""
        return bool(self.children(verb, *SUBJECTS))

    def _is_own_subject(self, noun: int) -> bool:
        """Whether a verb directly behind a noun has no other subject: "A calls B and C calls D"."""
        verb = noun + 1 + (noun + 1 in self.mentions)  # "his wife Greta wrote"
        verb += verb < self.size and self.words[verb] == "+"  # "B 8.0+ calls"
        finite = verb < self.size and self.is_verb(verb) and self.parse.fine_tags[verb] in {"VBD", "VBZ", "VBP"}
        return finite and self.labels[verb] == "conj" and not self.has_subject(verb)

    def conjuncts(self, index: int) -> list[int]:
        """A noun and those that "and" joins to it. A list without "and", or with "or", has only its first noun."""
        found, links = [index], list[str]()
        at = 0
        while at < len(found):
            links += self.child_words(found[at], "cc", "preconj")
            for child in self.children(found[at], "conj"):
                if self.is_noun(child) and not self.children(child, "neg") and not self._is_own_subject(child):
                    found.append(child)  # noqa: PERF401  the list grows while it is read
            at += 1
        if len(found) == 1:
            return found
        if not links or not _AND.issuperset(links):
            return [] if not {"or", "nor", "either", "neither"}.isdisjoint(links) else [index]
        return sorted(found)


_AND = frozenset({"and", "&", "plus", "as", "well", "/", "and/or", "both"})
