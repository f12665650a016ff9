"""The time of triples: periods and dates belong to the verb or noun that they hang on in the tree."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import pairwise

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.discourse.coreference import PRONOUN
from mcp_graphrag.extract.english.draft_triple import OCCURRED_ON, DraftTriple, with_type
from mcp_graphrag.extract.english.marriages import MARRIAGES
from mcp_graphrag.extract.english.periods import Period, find_periods, only_date_before
from mcp_graphrag.extract.relations.names.named import Found
from mcp_graphrag.extract.relations.read_clauses import Clause, tense_of
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

_ENDING = frozenset({"until", "till", "before"})
_STARTING = frozenset({"since", "from"})
_RANGES = frozenset({"to", "until", "till", "through"})
_AT = frozenset({"in", "on", "at", "during", ""})
_SUCCESSIONS = frozenset({"successor", "predecessor", "replaces", "succeeded_by", "acquired_by", "moved_to"})
_MARRYING = frozenset({"marry", "wed"})
SUCCEEDING = frozenset({"succeed", "replace"})  # in an office: "A succeeded B as the director of C"

# A year that a name behind it shares: "the 2006 and 2010 Winter Games".
_OF_NAME = re.compile(r"(?:, ?| (?:and|or|to) |[-–])(?:the )?\d{4} [A-Z]")


class SentenceTimes:
    """The periods and dates of one sentence by the token that they hang on."""

    def __init__(self, prose: str, span: Span, tree: SentenceTree, mentions: Sequence[DraftMention]) -> None:
        self._prose, self._span, self._tree, self._mentions = prose, span, tree, mentions

    # Found when they are first asked for: most sentences state nothing.

    @cached_property
    def _token(self) -> Mapping[int, int]:
        return {mention.start: token for token, mention in self._tree.mentions.items()}

    @cached_property
    def _led_periods(self) -> Sequence[tuple[Period, list[int]]]:
        found = find_periods(self._prose, self._span, self._mentions)
        return [(period, self._tokens(period)) for period in found]

    @cached_property
    def _dates(self) -> Sequence[tuple[DraftMention, int]]:
        """The dates that are in no period."""
        used = {index for period, _ in self._led_periods for index in period.dates}
        others = [
            mention
            for index, mention in enumerate(self._mentions)
            if mention.kind == "date" and index not in used and not _OF_NAME.match(self._prose, mention.end)
        ]
        return [(date, self._token[date.start]) for date in others if date.start in self._token]

    @cached_property
    def _periods(self) -> Sequence[tuple[Period, list[int]]]:
        outer = [found for date, token in self._dates if (found := self._of_outer_preposition(date, token))]
        return [*self._led_periods, *outer]

    def _tokens(self, period: Period) -> list[int]:
        """The tokens of a period; "since then" has that of the word."""
        starts = {self._mentions[index].start for index in period.dates} or {period.span[0]}
        found = [token for start, token in self._token.items() if start in starts]
        return found or [index for index in range(self._tree.size) if self._tree.token(index).start == period.span[0]]

    def _of_outer_preposition(self, date: DraftMention, token: int) -> tuple[Period, list[int]] | None:
        """The period of "until the merger on 3 May 2024": the preposition next to the verb says how it is meant."""
        tree = self._tree
        path = [token, *tree.ancestors(token)]
        outer = None
        for below, above in pairwise(path):
            if tree.is_verb(above):
                outer = below
                break
        moment = read_date(date.name)
        if (
            outer is None
            or moment is None
            or "the" in tree.child_words(token, "det")
            or tree.labels[outer] != "prep"
            or tree.heads[token] == outer
            or tree.words[tree.heads[token]] in _RANGES
        ):
            return None
        word = tree.words[outer]
        where = (tree.token(outer).start, date.end)
        if word in _ENDING:
            return Period(where, None, moment[0], ()), [token]
        if word in _STARTING:
            return Period(where, moment[0], None, ()), [token]
        # "After the war in 1947" may be in that year.
        return (Period(where, moment[0], None, ()), [token]) if word == "after" else None

    def dated(self, found: Sequence[Found]) -> Iterator[Found]:
        """The triples with their periods."""
        if not found:
            return
        anchors = {one.anchor for one in found}
        by_anchor: dict[int, list[tuple[Period, str | None]]] = {}
        for period, tokens in self._periods:
            item = self._of_name_behind(period) or self._in_brackets_behind(period)
            item = item or self._behind_and(period) or self._item(tokens)
            for anchor in self._anchors(tokens, anchors):
                by_anchor.setdefault(anchor, []).append((period, item))
        for one in found:
            ends = {one.draft.subject.name, one.draft.object.name, None}
            period = self._choose(one, [period for period, item in by_anchor.get(one.anchor, []) if item in ends])
            yield one._replace(draft=self._in_time(one, period))

    def _in_time(self, one: Found, period: Period | None) -> DraftTriple:
        """The triple with its period; a succession in the present tense is planned for its start."""
        draft = one.draft if period is None else period.apply_to(one.draft, self._prose)
        is_planned = draft.predicate in _SUCCESSIONS and draft.valid_from is None and self._is_present(one.anchor)
        if draft is not one.draft or not is_planned:
            return draft
        return draft._replace(valid_from=self._planned_start(one, period))

    def _planned_start(self, one: Found, period: Period | None) -> datetime | None:
        """When a succession begins: "is replaced as of 2030", or "A joins on 3 May 2030. She succeeds B."."""
        if period is not None:
            return None if period.end else period.start
        is_of_pronoun = PRONOUN in {one.draft.subject.kind, one.draft.object.kind}
        is_open = is_of_pronoun and self.date_of(one.anchor) is None
        return only_date_before(self._prose, self._span[0]) if is_open else None

    def _is_present(self, verb: int) -> bool:
        """Whether a verb is in the present tense."""
        return self._tree.is_verb(verb) and tense_of(self._tree, verb) == "present"

    def _of_name_behind(self, period: Period) -> str | None:
        """The name to which alone an end belongs: "A (until 2025 by B)", "A (until 2025: B)", "A, until 2025 B"."""
        start, end = period.span
        opening = self._prose[:start].rstrip(" ")[-1:]
        named = next((mention for mention in self._mentions if mention.start >= end and mention.kind != "date"), None)
        if named is None or opening not in {"(", ","} or self._prose[start:end].split()[0] not in _ENDING:
            return None
        between, behind = self._prose[end : named.start], self._prose[named.end : named.end + 1]
        is_apposed = between.strip(" ") in {"", ":", "by", "under"} and behind in {"", ")", ".", ";", "\n"}
        return named.name if is_apposed else None

    def _in_brackets_behind(self, period: Period) -> str | None:
        """The name in front of brackets that hold a period: "B (until May 2026)"."""
        lead = self._prose[: period.span[0]].rstrip(" ")
        if not lead.endswith("("):
            return None
        end = len(lead[:-1].rstrip(" "))
        return next((mention.name for mention in self._tree.mentions.values() if mention.end == end), None)

    def _behind_and(self, period: Period) -> str | None:
        """The name behind a period that "and" and commas set off: "A and, since 2020, B"."""
        start, end = period.span
        if self._prose[end : end + 1] != "," or not self._prose[self._span[0] : start].rstrip(" ").endswith(
            ("and,", "but,")
        ):
            return None
        return next((mention.name for mention in self._mentions if mention.start > end), None)

    def _item(self, tokens: Sequence[int]) -> str | None:
        """The name in a list that a date hangs on, so that it is about that alone: "A, B (until May 2026) and C"."""
        tree = self._tree
        for above in tree.ancestors(tokens[0]) if tokens else ():
            if tree.is_verb(above):
                return None
            mention = tree.mentions.get(above)
            if mention is not None and mention.kind != "date":
                is_item = tree.labels[above] == "conj" or tree.children(above, "conj")
                return mention.name if is_item else None
        return None

    def _choose(self, one: Found, periods: Sequence[Period]) -> Period | None:
        """The period of a triple: of several, the last that begins behind its object, or before it the nearest."""
        if len(periods) < 2:
            return next(iter(periods), None)
        last = max(one.draft.subject.start, one.draft.object.start)
        behind = [period for period in periods if period.span[0] > last]
        return behind[0] if behind else periods[-1]

    def _anchors(self, tokens: Sequence[int], anchors: set[int]) -> Iterator[int]:
        """The verb or noun that a date hangs on, and the verbs that share a date at the start of the sentence."""
        tree = self._tree
        anchor = next((self._anchor(token, anchors) for token in tokens), None)
        if anchor is None and len(anchors) == 1 and (not tokens or self._opens(tokens)):
            anchor = next(iter(anchors))  # it was left out of the parse, or "Starting in May, A uses B"
        if anchor is None:
            return
        yield anchor
        first = min(tokens, default=anchor)
        for verb in anchors:
            if verb != anchor and first < anchor and tree.labels[verb] == "conj" and tree.heads[verb] == anchor:
                yield verb

    def _opens(self, tokens: Sequence[int]) -> bool:
        """Whether no name and no clause stands in front of a date, so that it is about the whole sentence."""
        return all(
            not self._tree.is_verb(index) or self._tree.words[index] in {"starting", "beginning", "effective"}
            for index in range(min(tokens))
        ) and not any(index < min(tokens) for index in self._tree.mentions)

    def _anchor(self, token: int, anchors: set[int]) -> int | None:
        anchor = self._above(token, anchors)
        if anchor is not None and self._is_of_life(token, anchor):
            return None
        if anchor is not None and token < anchor and "," in self._tree.words[token:anchor]:
            # "A, a subsidiary of B until 2024, is based in C": the period is of the noun between the commas.
            nouns = [noun for noun in anchors if noun < token and not self._tree.is_verb(noun)]
            return max(nouns, default=anchor)
        return anchor

    def _is_of_life(self, token: int, verb: int) -> bool:
        """Whether a date is the second of those in brackets behind the subject: "A (1497 – before 1543) was B"."""
        words = self._tree.words
        if not token < verb or ")" not in words[token:verb] or "(" not in words[:token]:
            return False
        opening = token - 1 - words[token - 1 :: -1].index("(")
        return ")" not in words[opening:token] and any(word[:1].isdigit() for word in words[opening + 1 : token])

    def _above(self, token: int, anchors: set[int]) -> int | None:
        for above in self._tree.ancestors(token):
            if above in anchors:
                return above
            if self._tree.is_verb(above) and self._tree.labels[above] not in {"aux", "auxpass"}:
                return None
        return None

    def date_of(self, verb: int) -> DraftMention | None:
        """The date on which what a verb says happened: behind "in" or "on", or without a preposition."""
        for date, token in self._dates:
            if self._directly(token, verb):
                return date
        return None

    def _directly(self, token: int, verb: int) -> bool:
        """Whether a date hangs on a verb, or on a name that the verb is about, behind "in" or "on"."""
        tree = self._tree
        head = tree.heads[token]
        if tree.labels[token] == "npadvmod":
            return head == verb
        if tree.labels[token] != "pobj" or tree.words[head] not in _AT:
            return False
        above = tree.heads[head]
        if tree.labels[above] == "conj" and tree.heads[above] == verb:
            return False  # "was held in A, and a B Day on 11 August"
        while above in tree.mentions and above != verb and not tree.is_verb(above):
            above = tree.heads[above] if tree.labels[above] != "pobj" else tree.heads[tree.heads[above]]
        return above == verb

    def moment_of(self, verb: int) -> tuple[datetime, str] | None:
        """The first moment of the date or period of a verb, and its words."""
        for period, tokens in self._periods:
            if period.start is not None and any(self._anchor(token, {verb}) == verb for token in tokens):
                return period.start, " ".join(self._prose[slice(*period.span)].split())
        date = self.date_of(verb)
        moment = read_date(date.name) if date is not None else None
        if date is None or moment is None:
            return None
        lead = self._tree.words[self._tree.heads[self._token[date.start]]]
        words = f"{lead} {date.name}" if lead in _AT else date.name
        return moment[0], words


def with_events(clause: Clause, found: Sequence[Found], times: SentenceTimes, lexicon: Lexicon) -> Iterator[Found]:
    """The triples of a clause with the date of their event: as a triple of its own, or as words beside the triple.

    "She founded Acme in 2014" dates Acme; "Bob joined Initech in 2019" happened in 2019; a marriage and an office hold
    from the date on which they begin. The present tense with a date is a plan, and asserts nothing.
    """
    date = times.date_of(clause.verb)
    if date is None:
        yield from found
        return
    dates = _date_predicates(lexicon)
    dated: set[str] = set()
    for one in found:
        draft = one.draft
        if "date" in {draft.subject.kind, draft.object.kind}:
            yield one
            continue
        if clause.tense == "present" and not clause.passive and not (draft.valid_from or draft.valid_to):
            continue  # "joins in 2027" is a plan
        predicate = dates.get(draft.predicate, OCCURRED_ON)
        if predicate == OCCURRED_ON:
            draft = _begun(draft, clause, date)
            if clause.tense == "present" and draft.predicate in _SUCCESSIONS and (moment := read_date(date.name)):
                yield one._replace(draft=draft._replace(valid_from=draft.valid_from or moment[0]))
                continue
            is_lasting = draft.predicate not in lexicon.events and draft.valid_from is None and clause.tense != "past"
            kept = draft if is_lasting and draft.when else draft._replace(when=draft.when or date.name)
            yield one._replace(draft=kept)
            continue
        yield one
        if draft.subject.name not in dated:
            dated.add(draft.subject.name)
            event = DraftTriple(draft.subject, predicate, with_type(date, "Date"), draft.surface, "date")
            yield one._replace(draft=event)


def _begun(draft: DraftTriple, clause: Clause, date: DraftMention) -> DraftTriple:
    """The triple with the date as its first moment, if the verb says that it began: "married B in 1975"."""
    moment = read_date(date.name)
    is_marriage = draft.predicate in MARRIAGES and clause.lemma in _MARRYING
    is_office = clause.lemma in {"become", *SUCCEEDING} and draft.surface.endswith((" of", " at", " for"))
    dated = draft.valid_from or draft.valid_to or clause.tense != "past"
    return draft._replace(valid_from=moment[0]) if moment and not dated and (is_marriage or is_office) else draft


@lru_cache(maxsize=8)
def _date_predicates(lexicon: Lexicon) -> Mapping[str, str]:
    return {cue.predicate: cue.date for cues in lexicon.cues.values() for cue in cues if cue.date != OCCURRED_ON}
