"""Whether a phrase of a claim is one of a sentence with words left out, or the same with another value."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.reason.clauses.clause_words import (
    COUNTRY_OF,
    DETERMINERS,
    PREPOSITIONS,
    Token,
    exclude_each_other,
    number_of,
    same_word,
)

MAX_SKIPPED = 40


@dataclass(frozen=True)
class Aligned:
    """Where the words end in the sentence, and the (claimed, stated) words that exclude each other."""

    end: int
    others: tuple[tuple[Token, Token], ...] = ()


def align(want: Sequence[Token], have: Sequence[Token], *, begin: int = 0) -> Aligned | None:
    """How all wanted words occur in order from `begin` on with only modifiers, list members and phrases left out."""
    want = [token for token in want if token.lower not in DETERMINERS and token.text != ","]
    return _Aligner(want, have, begin).run(0, begin, exact=True) or _Aligner(want, have, begin).run(
        0, begin, exact=False
    )


class _Aligner:
    def __init__(self, want: Sequence[Token], have: Sequence[Token], begin: int) -> None:
        self.want = want
        self.have = have
        self.verbs_end = verbs_end(have, begin)
        self.failed: set[tuple[int, int, bool]] = set()

    def run(self, i: int, j: int, *, exact: bool) -> Aligned | None:
        if i == len(self.want):
            return Aligned(j) if self._may_end(j) else None
        if j >= len(self.have) or (i, j, exact) in self.failed:
            return None
        if same_word(self.want[i], self.have[j]) and (rest := self.run(i + 1, j + 1, exact=exact)):
            return rest
        if not exact and self._is_other(i, j) and (rest := self.run(i + 1, j + 1, exact=True)):
            return Aligned(rest.end, ((self.want[i], self.have[j]), *rest.others))
        for step in self._skips(i, j):
            if rest := self.run(i, step, exact=exact):
                return rest
        self.failed.add((i, j, exact))
        return None

    def _is_other(self, i: int, j: int) -> bool:
        """Whether the value here is another one of the same thing: the same word follows."""
        if not exclude_each_other(self.want[i], self.have[j]):
            return False
        following = self.want[i + 1 : i + 2], self.have[j + 1 : j + 2]
        same = bool(following[0] and following[1]) and same_word(following[0][0], following[1][0])
        if number_of(self.want[i]) is None:
            return same or not following[0]
        # A number counts something only in front of a common noun, and elsewhere is part of a name: "Highway 9".
        before = self.want[i - 1] if i else None
        return (
            same and following[0][0].text.isalpha() and following[0][0].is_common and not (before and before.is_label)
        )

    def _skips(self, i: int, j: int) -> list[int]:
        """The positions at which the search may go on when the word at j is left out."""
        token = self.have[j]
        if token.lower in DETERMINERS:
            return [j + 1]
        if token.is_essential or token.lower in {"or", ";", ":"} or opens_clause(self.have, j):
            return []
        if i == 0 and j < self.verbs_end:
            return [self.verbs_end]
        if self.want[i].lower in PREPOSITIONS:
            return self._phrases(i, j)
        begins = i == 0 or self.want[i - 1].lower in PREPOSITIONS
        before_article = j + 1 < len(self.have) and self.have[j + 1].lower in DETERMINERS  # a verb: "and serves the B"
        modifier = not (token.is_name or token.is_breaking or token.text == "," or before_article)
        modifier = modifier and not (self._opens_member(j) and (token.lower.endswith("s") or token.is_participle))
        modifier = modifier or token.lower in COUNTRY_OF
        inside = begins or not self.want[i - 1].is_name
        steps = [j + 1] if modifier and inside and number_of(token) is None else []
        return [*steps, *self._members(j)] if begins else steps

    def _opens_member(self, j: int) -> bool:
        """Whether a word is the first of a further member of a list, where it may be another verb."""
        return j > 0 and (self.have[j - 1].text == "," or self.have[j - 1].lower == "and")

    def _phrases(self, i: int, j: int) -> list[int]:
        """Where the next phrase may begin: behind a comma, and behind a phrase with another preposition or a year."""
        token = self.have[j]
        if token.text == ",":
            return [j + 1] if i else []
        dated = token.is_year or (j + 1 < len(self.have) and self.have[j + 1].is_year)
        if not (dated or (token.lower in PREPOSITIONS and token.lower != self.want[i].lower)):
            return []
        end = self._phrase_end(j + 1)
        return [] if end is None else [end]

    def _phrase_end(self, j: int) -> int | None:
        """Where a prepositional phrase ends."""
        while j < len(self.have):
            token = self.have[j]
            if token.is_essential or token.lower in {"or", "but"}:
                return None
            if token.is_breaking or token.text == "," or token.is_participle or token.lower == "and":
                return j
            j += 1
        return None

    def _members(self, j: int) -> list[int]:
        """Where the further members of a list begin."""
        steps: list[int] = []
        for at in range(j, min(len(self.have), j + MAX_SKIPPED)):
            token = self.have[at]
            if token.is_breaking or token.is_essential or token.lower == "or" or opens_clause(self.have, at):
                break
            if at > j and (token.text == "," or token.lower == "and"):
                follow = at + 1
                while follow < len(self.have) and (self.have[follow].text == "," or self.have[follow].lower == "and"):
                    follow += 1
                steps.append(follow)
        return steps

    def _may_end(self, j: int) -> bool:
        """Whether the noun phrase ends in front of a word."""
        if j >= len(self.have):
            return True
        token = self.have[j]
        if token.lower == "or":
            return False
        if token.is_breaking or token.text == "," or token.lower == "and" or token.lower.endswith("ly"):
            return True
        if token.is_year or token.is_participle:
            return True
        return token.lower.endswith("ing") and not token.is_name


def opens_clause(words: Sequence[Token], at: int) -> bool:
    """Whether a participle with an object of its own stands here: "starring X" in "directed by Y, starring X"."""
    if at + 1 >= len(words) or words[at].is_name or not words[at].lower.endswith("ing"):
        return False
    return words[at + 1].is_name or words[at + 1].lower in DETERMINERS


def verbs_end(words: Sequence[Token], begin: int) -> int:
    """Where further verbs in front of a shared complement end: "and directed" in "written and directed by X"."""
    at = end = begin
    while at < len(words) and (words[at].lower in {",", "and"} or words[at].is_participle):
        at += 1
        if words[at - 1].is_participle:
            end = at
    return end
