"""Proper names in prose: runs of capitalised words, joined by words such as "of", that are not just sentence starts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from mcp_graphrag.english.lexicon import load_lexicon
from mcp_graphrag.english.spans import MASK, Span, without_note_mark
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.hyphenated_names import hyphenated_names
from mcp_graphrag.mentions.joined_words import is_cut_by_mark, is_joined, is_shouted, lacks_spaces
from mcp_graphrag.mentions.known_names import KnownNames
from mcp_graphrag.mentions.lower_names import lower_names, pattern_of
from mcp_graphrag.mentions.no_names import (
    is_adverb,
    is_argument,
    is_gerund,
    is_imperative,
    is_label,
    is_lettered,
    is_numbered_variable,
    is_opening_gerund,
    is_part,
    is_reference,
    is_title,
    is_used_as_name,
    is_value,
)
from mcp_graphrag.mentions.organization_names import organization_names
from mcp_graphrag.mentions.person_names import (
    People,
    is_behind_person,
    is_full_name,
    is_given_name,
    is_month,
    is_person_of_month,
    people_in,
)
from mcp_graphrag.mentions.sentence_openings import (
    is_opening_adverb,
    is_second_half,
    may_be_of_order,
    may_be_plural,
    opens_sentence,
)
from mcp_graphrag.mentions.split_run import split_run
from mcp_graphrag.mentions.title_name import introduced_titles, title_name
from mcp_graphrag.model import Document

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΑ-ΩА-Я"
_WORD = (
    rf"(?:(?:[{_UPPER}]\.){{2,6}}|(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Ft|Jr|Sr)\.|[{_UPPER}]\.(?=[ \xa0])"
    rf"|[{_UPPER}]\w*(?:['’&](?!s\b)\w+"
    rf"|–(?=[{_UPPER}][a-z])\w+"
    rf"|-(?:[{_UPPER}\d]\w*| [{_UPPER}]\w+|(?!(?:born|bred|led|run|made|held|era)\b)[a-z]{{1,4}}\b)"
    rf"|\.[a-z]\w*|(?<=\d)\.\d+|/[{_UPPER}]{{1,4}}\b|(?<=[A-Z][A-Z])/[A-Z][a-z]+\b|(?<=[A-Z][A-Z])/\d(?:\.\d)?\b(?!/))*(?:\+\+|\#(?!\w))?)"
)
CAPITALISED = re.compile(rf"(?=[{_UPPER}])(?<=[a-z,;'’)] ){_WORD}")  # the first condition saves time
_LOWER = re.compile(r"(?<![\w./])[a-z][a-z'’-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*\w")
MIN_UNFENCED = 0.4  # of a text that must be left for it to have code
_HEADINGS = re.compile(r"^[ \t]{0,3}#.*$", re.MULTILINE)
_FENCES = re.compile(r"^[ \t>]*```.*?^[ \t>]*```", re.MULTILINE | re.DOTALL)
_ROMAN, _PART, _POSSESSIVE = re.compile(r"[IVX]+"), re.compile(r"[^ \xa0]+"), re.compile(r"['’]s?\Z")
_VERB_OF_SPEAKER = re.compile(r"['’]|[ \xa0](?!(?:of|was|is|and|in|by|had|has|at|on|for)\b)[a-z]")
_LETTER = re.compile(r"[B-HJ-Z]")
_LITERALS, _MAY_GO_ON = frozenset({"True", "False", "None", "Null"}), frozenset(" \xa0,-")
# Behind a name: "v2", "v1.2-rc.1", "r3", "version 2.0", and "beta" behind a number.
_VERSION_BEHIND = re.compile(
    r"[ \xa0](?:v|r|(?:version|release|revision|ver\.|rev\.)[ \xa0]v?)\d{1,5}(?:\.\d{1,6}){0,3}"
    r"(?:-(?:alpha|beta|rc|pre|dev|\d)(?:[\w.]{0,19}\w)?)?(?![\w/%-]|\.\w)"
)
_STAGE_BEHIND = re.compile(r"(?<=\d)[ \xa0-](?:alpha|beta|rc)(?:[ .-]?\d{1,3})?(?![\w-])")
# The number that goes on behind a name: "FIPS 140-2", "Boeing 747-400", "Listing 8-2", "Technical Standard #18".
_NUMBER_BEHIND = re.compile(
    r"(?:(?<=[A-Z]{2})|(?<=Listing)|(?<=Figure)|(?<=Table)|(?<=Example))[ \xa0]\d{1,4}-\d{1,3}(?![\w.-])"
    r"|(?<=[A-Za-z]{3} \d{3})-\d{3}(?![\w.-])"
    r"|(?:(?<=Standard)|(?<=Annex)|(?<=Report)|(?<=Recommendation))[ \xa0]#\d{1,5}\b"
)
_YEAR_BEHIND = re.compile(r",? (?:1[89]|20)\d\d(?![\w–-])")
_NOUN_OF = re.compile(rf"([{_UPPER}][a-z]+)[ \xa0]of[ \xa0](?:the[ \xa0])?(?=[{_UPPER}])")
_BEHIND_MARK = re.compile(rf"(?:[`>|\])\d{MASK}”/=]|\s[-–—])\s\Z|{MASK}\Z")
_MASKED = re.compile(rf"{MASK}*")
_NEXT_WORD = re.compile(r" ([a-z]{2,40})\b")
_TEAM_BEFORE, _TEAM_BEHIND = re.compile(r"\b[Tt]he \Z"), re.compile(r" (?:team|squad|guild)\b(?! of\b)")
_AUXILIARY_BEHIND = re.compile(r" (?:\([^()]{1,80}\) )?(?:is|was|has|had|does|will|can) ")
_VERB_BEHIND = re.compile(
    r" (?:also |now |still |only |then |no longer )?([a-z]{2,20}(?:s|ed)|took|led|ran|sent|wrote|kept|became|bought|won"
    r"|built|began|chose|held|left|lost|made|met|paid|sold|set|grew|gave|got|went|came|said)\b(?!-)"
)
_NAME_BEHIND = re.compile(
    rf" and (?:the )?[{_UPPER}]\w+ (?:[a-z]{{2,20}}(?:s|ed)|are|were|have|led|won|made|held|sold)\b"
)


@dataclass(frozen=True)
class WordUsage:
    """The words that a document writes capitalised within sentences, and those that it writes in lower case.

    In front of one of `verbs` a capitalised word is a name even at the start of a sentence. `known` are names of the
    document's structure, and names that are known from elsewhere; `hyphenated` are names such as "checkout-api".
    `said` are the words outside fenced code, empty if there is none. `lacks_spaces`: words of the text are joined where
    it lost its line breaks. `lower_names` finds names in lower case. `titles` are those of the document and of works
    that it introduces that have no such form.
    """

    capitalised: frozenset[str]
    lower: frozenset[str]
    verbs: frozenset[str] = frozenset()
    known: Sequence[KnownNames] = ()
    hyphenated: frozenset[str] = frozenset()
    people: People = field(default_factory=lambda: People({}))
    said: frozenset[str] = frozenset()
    lacks_spaces: bool = False
    titles: tuple[str, ...] = ()
    lower_names: re.Pattern[str] | None = None

    def known_type(self, name: str) -> str | None:
        """The type of a known name."""
        return next((known.types[name] for known in self.known if name in known.types), None)

    def is_known(self, name: str) -> bool:
        """Whether it is a known name of one word."""
        return any(name in known.words for known in self.known)

    def is_name(self, word: str) -> bool:
        """Whether a capitalised word at the start of a sentence is a name, by its other uses or by its form."""
        known = word in self.capitalised or word in self.titles
        if known or word in WORDS.exact or word in GAZETTEER.places or is_given_name(word):
            return True
        return word[1:] != word[1:].lower() or any(map(str.isdigit, word))


def read_word_usage(
    document: Document, verbs: frozenset[str] = frozenset(), known: Sequence[KnownNames] = ()
) -> WordUsage:
    """The usage of words in the whole document; `verbs` and `known` as in `WordUsage`."""
    has_fences = "```" in document.text
    unfenced = _FENCES.sub(" ", document.text) if has_fences else document.text
    if len(unfenced) < MIN_UNFENCED * len(document.text):
        unfenced = document.text  # a page that is nothing but preformatted text
    text = _HEADINGS.sub("", unfenced) if "#" in unfenced else unfenced
    text = _TARGETS.sub("]", text) if "](" in text else text
    capitalised = set(CAPITALISED.findall(text))
    title = document.title.partition("(")[0].split()
    if len(title) <= 3:
        capitalised.update(word for word in title if word[:1].isupper())
    persons = [name for names in known[:1] for name, type_ in names.types.items() if type_ == "Person" and " " in name]
    is_word = len(title) == 1 and is_used_as_name(title[0], text)
    letters = [
        word
        for word in title
        if _LETTER.fullmatch(word) and len(re.findall(rf"\b{word} (?:is|was|has|can|does) ", text)) > 1
    ]
    own = title[0] if is_word else title_name(document.title, text)
    return WordUsage(
        frozenset(capitalised),
        frozenset(_LOWER.findall(text)),
        verbs,
        known,
        hyphenated_names(text),
        people_in(text, persons, document.title.partition(" (")[0]),
        frozenset(_IDENTIFIER.findall(text)) if has_fences else frozenset(),
        lacks_spaces(text),
        tuple(dict.fromkeys([*filter(None, [own]), *letters, *introduced_titles(document.title, text)])),
        pattern_of(lower_names(document.title, unfenced)),
    )


_TARGETS = re.compile(r"\]\([^()\s]*\)")  # of links: no words of the text


@cache
def _run() -> re.Pattern[str]:
    joiners = "|".join(sorted((re.escape(joiner) for joiner in WORDS.joiners), key=len, reverse=True))
    gap = r"[ \xa0]{1,3}"
    return re.compile(
        rf"(?=[{_UPPER}])(?<!\w){_WORD}(?:{gap}(?:(?:{joiners}){gap}(?={_WORD}))?(?:{_WORD}"
        rf"|[IVX]+\b|\d+(?:\.\d+)*(?:\.x)?\b(?![%,–:]\d|-\d{{1,2}}\b| to \d))"
        r"|,? (?:Inc|Ltd|LLC|Jr|Sr|Corp|GmbH|plc|S\.p\.A|D\.C)\b(?:(?<=D\.C)\.)?)*"
    )


def find_names(prose: str, opening: int, span: Span, usage: WordUsage) -> Iterator[tuple[int, int, bool]]:
    """Start and end of the names in a part of a sentence, and whether their run of words has more than one.

    The sentence starts at `opening`.
    """
    if prose[slice(*span)].islower():
        return  # sooner
    whole = list(organization_names(prose, span))
    yield from ((start, end, True) for start, end in whole)
    for run in _run().finditer(prose, *span):
        if any(start < run.end() and run.start() < end for start, end in whole):
            continue
        if is_shouted(prose, run.span()) or is_title(run[0]) or (usage.lacks_spaces and _may_be_joined(run[0])):
            continue
        if is_cut_by_mark(prose, run.span()) or is_second_half(prose, opening, run):
            continue
        opens = opens_sentence(prose, opening, run.start())
        if not opens and _BEHIND_MARK.search(prose, max(run.start() - 3, opening), run.start()):
            # Behind code, a link or a number an ordinary word may open a description: "`id` Identifies the row".
            first_word = run[0].split()[0]
            is_word = GAZETTEER.is_common(first_word) and not (first_word.isupper() and len(first_word) > 1)
            opens = is_word and first_word not in usage.capitalised
        start = _behind_noun(prose, run, usage) if opens else run.start()
        first = opens and start == run.start() and not _is_subject(prose, run, usage)
        yield from _names_of_run(prose, (start, run.end()), usage, first=first)


def _may_be_joined(words: str) -> bool:
    """Whether words of a text that lacks spaces may belong to different lines: ordinary ones, or joined ones."""
    parts = [word for word in words.split() if word not in WORDS.joiners]
    return any(map(is_joined, parts)) or all(GAZETTEER.is_common(word) and word not in WORDS.exact for word in parts)


def _is_subject(prose: str, run: re.Match[str], usage: WordUsage) -> bool:
    """Whether a verb follows words that are not ordinary ones, so that they are a name at the start of a sentence."""
    is_ordinary = run[0].lower() in usage.lower and usage.known_type(run[0]) is None
    opening = run[0].split()[0]
    if is_ordinary or opening.casefold() in WORDS.stop_only_first or is_opening_adverb(opening):
        return False  # "Most UNIX systems have"
    masked = _MASKED.match(prose, run.end())  # the end of a link or of emphasis
    end = masked.end() if masked is not None else run.end()
    following = _NEXT_WORD.match(prose, end) if usage.verbs else None
    if following is not None and following[1] in usage.verbs:
        return True
    is_known = usage.known_type(run[0]) is not None
    is_verb = is_opening_gerund(run[0].split(), usage.capitalised)
    if not is_known and (is_verb or GAZETTEER.is_common(run[0]) or run[0].endswith(("ing", "ly"))):
        return False
    if _AUXILIARY_BEHIND.match(prose, end) or _NAME_BEHIND.match(prose, end):
        return True
    verb = _VERB_BEHIND.match(prose, end)
    if verb is None:
        return False
    # "Foxes shows": a plural and a noun; "Barclays reported" can only be a name and a verb.
    is_verb = GAZETTEER.is_common(verb[1]) or (verb[1],) in _verbs()
    return is_known or (is_verb and not (may_be_plural(run[0]) and verb[1].endswith("s")))


@cache
def _verbs() -> frozenset[tuple[str]]:
    """The verbs of the lexicon in the third person: "conforms"."""
    cues = (cue for listed in load_lexicon().cues.values() for cue in listed)
    return frozenset((cue.words[0],) for cue in cues if cue.form == "verb" and cue.words[0].endswith("s"))


def _names_of_run(prose: str, span: Span, usage: WordUsage, *, first: bool) -> Iterator[tuple[int, int, bool]]:
    article = prose.find(" the ", *span)
    if article > 0 and _TEAM_BEHIND.match(prose, span[1]):  # "Ann leads the Red team and Bob the Green team"
        yield from _names_of_run(prose, (span[0], article), usage, first=first)
        yield from _names_of_run(prose, (article + 5, span[1]), usage, first=False)
        return
    alone = _PART.fullmatch(prose, *span) is not None
    tokens = _without_openings(prose, [part.span() for part in _PART.finditer(prose, *span)], usage, first=first)
    while len(tokens) > 1 and (is_adverb(prose[slice(*tokens[-1])]) or is_behind_person(prose, tokens)):
        tokens.pop()
    if len(tokens) > 1 and prose[slice(*tokens[0])] in WORDS.months and is_month(prose, tokens[0][0]):
        yield *tokens.pop(0), False  # "In March Acme moved"
    if len(tokens) > 1 and prose[slice(*tokens[-1])].isdigit():
        before = prose[tokens[0][0] : tokens[-2][1]]
        if before in GAZETTEER.countries and "." not in before:
            tokens.pop()  # "repaid the United States 3 years ahead"
    if len(tokens) > 1 and prose[slice(tokens[0][0], tokens[-1][1])] in GAZETTEER.places:
        yield tokens[0][0], tokens[-1][1], True
        return
    for left, right in split_run(prose, tokens) if tokens else ():
        end = _name_end(prose, left, right)
        if _is_name(prose, left, end, usage):
            yield left, end, not alone


def _without_openings(prose: str, tokens: list[Span], usage: WordUsage, *, first: bool) -> list[Span]:
    """The tokens without the words at their start that belong to the sentence, and without small words at the ends."""
    words = [prose[slice(*token)] for token in tokens]
    if first and len(words) == 2 and is_lettered(*words):
        return []
    if first and (
        is_imperative(words, usage.capitalised) or (len(words) > 1 and is_opening_gerund(words, usage.capitalised))
    ):
        tokens.pop(0)
        first = False
    if first and len(words) == 2 and may_be_of_order(words[0]) and usage.known_type(words[1]) is None:
        return []
    is_club = words[0] == "AS" and len(words) > 1 and words[1] in GAZETTEER.places  # "AS Monaco"
    if is_club or (words[0] == "I" and not first and len(words) > 1 and words[1][0].isupper()):
        return _without_joiners(prose, tokens)  # "I" in front of a verb in capitals is of a title: "in I Love Lucy"
    if is_person_of_month(prose, (tokens[0][0], tokens[-1][1]), opens=first):
        return tokens
    if len(words) > 1 and words[0] in WORDS.weekdays and _DAY_OF.search(prose, max(tokens[0][0] - 6, 0), tokens[0][0]):
        tokens.pop(0)  # "said last Wednesday Ann Lee had left"
    if first and len(words) > 2 and words[1].casefold() == "the" and GAZETTEER.is_common(words[0]):
        return tokens[2:]  # "Today the Acme Service"
    while tokens and _is_leading(prose[slice(*tokens[0])], usage, first=first, alone=len(tokens) == 1):
        if [prose[slice(*token)] for token in tokens[1:2]] == ["&"]:
            break  # "Yard & Dock"
        tokens.pop(0)
        first = first and not tokens
    return _without_joiners(prose, tokens)


def _is_name(prose: str, left: int, end: int, usage: WordUsage) -> bool:
    name = prose[left:end]
    if _TEAM_BEHIND.match(prose, end) and _TEAM_BEFORE.search(prose, max(left - 4, 0), left):
        return not WORDS.is_stop(name) and name not in GAZETTEER.nationalities
    if len(name) < 2 and name in usage.titles:
        return prose[end : end + 1] not in {".", "(", "-"}
    if len(name) < 2 or is_part(prose, left, end) or (is_label(prose, left, end) and not _is_known(name, usage)):
        return False
    if is_value(name) or is_argument(prose, left, end):
        return False
    return not (is_reference(name) if " " in name else _is_no_name(name, usage) or is_gerund(prose, left, end))


def _is_known(name: str, usage: WordUsage) -> bool:
    return usage.known_type(name) is not None or name in WORDS.exact or name in GAZETTEER.places or is_full_name(name)


def _behind_noun(prose: str, run: re.Match[str], usage: WordUsage) -> int:
    """The start of the name in a run that an ordinary noun opens: of "Part of Acme", but not of "Bank of Spain"."""
    opening = _NOUN_OF.match(prose, run.start(), run.end())
    if opening is None or opening[1] in usage.capitalised:
        return run.start()
    noun = opening[1].casefold()
    in_names = (WORDS.before_of_the, WORDS.last_word, WORDS.first_word, WORDS.honorifics)
    ordinary = noun.endswith("ship") or GAZETTEER.is_common(noun) or GAZETTEER.is_common(noun.removesuffix("s"))
    drops = WORDS.is_stop(noun) or (ordinary and not any(noun in nouns for nouns in in_names))
    return opening.end() if drops else run.start()


_DAY_OF = re.compile(r"\b(?:last|next|this|on)\s\Z")


def _without_joiners(prose: str, tokens: list[Span]) -> list[Span]:
    """The tokens without small words at their ends, and without the subject of a clause: "the tax credit I passed"."""
    while tokens and (prose[tokens[0][0]].islower() or prose[slice(*tokens[0])] == "&"):
        tokens.pop(0)
    while tokens and (prose[tokens[-1][0]].islower() or prose[slice(*tokens[-1])] == "&"):
        tokens.pop()
    if len(tokens) > 1 and prose[slice(*tokens[-1])] == "I" and _VERB_OF_SPEAKER.match(prose, tokens[-1][1]):
        tokens.pop()  # "the tax credit I passed"
    return tokens


def _is_no_name(word: str, usage: WordUsage) -> bool:
    """Whether the word is no name by itself: "Service", or an ordinary word that the document has in lower case."""
    if word in GAZETTEER.places or word in usage.titles or usage.known_type(word) is not None:
        return False
    if word.removesuffix("s") in WORDS.weekdays and word[-1] == "s":
        return True
    if word.rstrip(".").casefold() in WORDS.honorifics or is_numbered_variable(word, usage.capitalised):
        return True
    if (
        _ROMAN.fullmatch(word)
        or word in _LITERALS
        or word in WORDS.plain_acronyms
        or WORDS.last_word.get(word.casefold(), "Role") != "Role"
    ):
        return True
    if word in WORDS.exact or not GAZETTEER.is_common(word):
        return WORDS.is_stop(word)
    lower = word.lower()
    forms = {lower, f"{lower}s", lower.removesuffix("s"), lower.removesuffix("ed"), f"{lower.removesuffix('e')}ing"}
    return WORDS.is_stop(word) or not forms.isdisjoint(usage.lower) or (word.isupper() and len(word) > 4)


def _is_leading(word: str, usage: WordUsage, *, first: bool, alone: bool) -> bool:
    """Whether the first word of a run is not part of the name."""
    plain = word.rstrip(".,'’").casefold()
    if plain in WORDS.stop_only_first and not first and not alone:
        return False
    if WORDS.is_stop(plain):
        return not (word.isupper() and len(word) > 1 and word in usage.capitalised and word not in WORDS.plain_acronyms)
    if plain == "new":
        return alone
    if not first or alone:
        return first and not usage.is_name(word)
    is_opening = word.casefold() in usage.lower or is_opening_adverb(word)
    return is_opening and word not in usage.capitalised


def _name_end(prose: str, left: int, right: int) -> int:
    """The end of the name without a possessive and punctuation, with the version behind it."""
    name = prose[left:right]
    name = _POSSESSIVE.sub("", name) if name[-1] in "s'’" else name
    if not (len(name) > 2 and name[-1] == "." and name[-3] in ". "):
        name = name.rstrip(".-/&,")
    end = without_note_mark(prose, left, left + len(name))
    if prose[end : end + 1] not in _MAY_GO_ON:
        return end
    if name.rpartition(" ")[2] in WORDS.yearly and (year := _YEAR_BEHIND.match(prose, end)) is not None:
        return year.end()
    for behind in (_VERSION_BEHIND, _STAGE_BEHIND, _NUMBER_BEHIND):
        if (found := behind.match(prose, end)) is not None:
            end = found.end()
    return end
