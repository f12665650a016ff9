"""Proper names in prose: runs of capitalised words, joined by words such as "of", that are not just sentence starts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from mcp_graphrag.english.lexicon import load_lexicon
from mcp_graphrag.english.spans import MASK, Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.foreign_names import ForeignUsage, find_foreign_names, read_foreign_usage
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.known_names import KnownNames
from mcp_graphrag.mentions.lower_names import hyphenated_names, lower_names, pattern_of
from mcp_graphrag.mentions.no_names import (
    is_imperative,
    is_joined,
    is_opening_gerund,
    is_part,
    is_reference,
    is_shouted,
    is_title,
    lacks_spaces,
    opens_sentence,
)
from mcp_graphrag.mentions.person_names import is_full_name, is_given_name, people_in
from mcp_graphrag.mentions.title_name import introduced_titles, title_name
from mcp_graphrag.model import Document
from mcp_graphrag.written_languages.language_of import language_of

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
_FENCES = re.compile(r"^[ \t>]*```.*?^[ \t>]*```", re.MULTILINE | re.DOTALL)
_TARGETS = re.compile(r"\]\([^()\s]*\)")  # of links: no words of the text
_PART = re.compile(r"[^ \xa0]+")
_LITERALS, _MAY_GO_ON = frozenset({"True", "False", "None", "Null"}), frozenset(" \xa0,-")
# Behind a name: "v2", "v1.2-rc.1", "r3", "version 2.0", and "beta" behind a number.
_VERSION_BEHIND = re.compile(
    r"[ \xa0](?:v|r|(?:version|release|revision|ver\.|rev\.)[ \xa0]v?)\d{1,5}(?:\.\d{1,6}){0,3}"
    r"(?:-(?:alpha|beta|rc|pre|dev|\d)(?:[\w.]{0,19}\w)?)?(?![\w/%-]|\.\w)"
)
_NOUN_OF = re.compile(rf"([{_UPPER}][a-z]+)[ \xa0]of[ \xa0](?:the[ \xa0])?(?=[{_UPPER}])")
_BEHIND_MARK = re.compile(rf"(?:[`>|\])\d{MASK}”/=]|\s[-–—])\s\Z|{MASK}\Z")
# Of what "for" is a part of the name: "Center for Soil Research".
_BODY_LIST = (
    "Agency Association Board Bureau Center Centre College Commission Committee Council Department Faculty Federation"
    " Foundation Fund Institute Ministry Office School Society Union"
)
_BODIES = _BODY_LIST.split()
_TEAM_BEHIND = (" team", " squad", " guild")
_VERB_BEHIND = re.compile(
    r" (?:\([^()]{1,80}\) )?(?:also |now |still |only |then |no longer )?(?P<verb>[a-z]{2,20}(?:s|ed)|is|took|led|ran"
    r"|sent|wrote|kept|became|bought|won|built|began|chose|held|left|lost|made|met|paid|sold|set|grew|gave|got|went|came"
    r"|said|had|will|can)\b(?!-)"
)


@dataclass(frozen=True)
class WordUsage:
    """The words that a document writes capitalised within sentences, and those that it writes in lower case.

    In front of one of `verbs` a capitalised word is a name even at the start of a sentence. `known` are names of the
    document's structure, and names that are known from elsewhere; `hyphenated` are names such as "checkout-api".
    `people` has the full name of the one person who has a given name or surname. `said` are the words outside fenced
    code, empty if there is none. `lacks_spaces`: words of the text are joined where it lost its line breaks.
    `lower_names` finds names in lower case. `titles` are those of the document and of works that it introduces that
    have no such form. `foreign` is the usage of a text in another language than English, by which its names are found.
    """

    capitalised: frozenset[str]
    lower: frozenset[str]
    verbs: frozenset[str]
    known: Sequence[KnownNames]
    hyphenated: frozenset[str]
    people: Mapping[str, str]
    said: frozenset[str]
    lacks_spaces: bool
    titles: tuple[str, ...]
    lower_names: re.Pattern[str] | None
    foreign: ForeignUsage | None

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
    text = "\n".join(line for line in unfenced.split("\n") if not line.lstrip(" \t").startswith("#"))
    text = _TARGETS.sub("]", text) if "](" in text else text
    capitalised = set(CAPITALISED.findall(text))
    title = document.title.partition("(")[0].split()
    if len(title) <= 3:
        capitalised.update(word for word in title if word[:1].isupper())
    persons = [name for names in known[:1] for name, type_ in names.types.items() if type_ == "Person" and " " in name]
    is_word = len(title) == 1 and title[0][:1].isupper() and text.count(f"{title[0]} is ") > 1
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
        tuple(dict.fromkeys([*filter(None, [own]), *introduced_titles(document.title, text)])),
        pattern_of(lower_names(document.title, unfenced)),
        read_foreign_usage(document.text, language_of(document.text)),
    )


@cache
def _run() -> re.Pattern[str]:
    joiners = "|".join(sorted((re.escape(joiner) for joiner in WORDS.joiners), key=len, reverse=True))
    joiners += f"|(?:{'|'.join(rf'(?<={body}[ ])' for body in _BODIES)})for(?: the)?"
    gap = r"[ \xa0]{1,13}"  # with the indent of a line that goes on in a list
    return re.compile(
        rf"(?=[{_UPPER}])(?<!\w)(?:(?:St\.?|Saint){gap}{_WORD}['’]s{gap}(?=[{_UPPER}]))?"  # "St. Joseph's Cemetery"
        rf"{_WORD}(?:{gap}(?:(?:{joiners}){gap}(?={_WORD}))?(?:{_WORD}"
        rf"|[IVX]+\b|\d+(?:\.\d+)*(?:\.x)?\b(?![%,–:]\d|-\d{{1,2}}\b| to \d))"
        r"|,? (?:Inc|Ltd|LLC|Jr|Sr|Corp|GmbH|plc|S\.p\.A|D\.C)\b(?:(?<=D\.C)\.)?)*"
    )


def find_names(prose: str, opening: int, span: Span, usage: WordUsage) -> Iterator[tuple[int, int, bool]]:
    """Start and end of the names in a part of a sentence, and whether their run of words has more than one.

    The sentence starts at `opening`.
    """
    if usage.foreign is not None:
        yield from find_foreign_names(prose, opening, span, usage.foreign)
        return
    if prose[slice(*span)].islower():
        return  # sooner
    for run in _run().finditer(prose, *span):
        if is_shouted(run[0]) or is_title(run[0]) or (usage.lacks_spaces and _may_be_joined(run[0])):
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
    is_known = usage.known_type(run[0]) is not None
    words = run[0].split()
    if (run[0].lower() in usage.lower and not is_known) or words[0].casefold() in WORDS.stop_only_first:
        return False
    end = run.end()
    while prose.startswith(MASK, end):  # the end of a link or of emphasis
        end += 1
    verb = _VERB_BEHIND.match(prose, end)
    if verb is not None and verb["verb"] in usage.verbs:
        return True
    is_ordinary = GAZETTEER.is_common(run[0]) or run[0].endswith(("ing", "ly"))
    if verb is None or (not is_known and (is_ordinary or is_opening_gerund(words, usage.capitalised))):
        return False
    return is_known or GAZETTEER.is_common(verb["verb"]) or verb["verb"] in _verbs()


@cache
def _verbs() -> frozenset[str]:
    """The verbs of the lexicon in the third person: "conforms"."""
    cues = (cue for listed in load_lexicon().cues.values() for cue in listed)
    return frozenset(cue.words[0] for cue in cues if cue.form == "verb" and cue.words[0].endswith("s"))


def _names_of_run(prose: str, span: Span, usage: WordUsage, *, first: bool) -> Iterator[tuple[int, int, bool]]:
    article = prose.find(" the ", *span)
    if article > 0 and prose.startswith(_TEAM_BEHIND, span[1]):  # "Ann leads the Red team and Bob the Green team"
        yield from _names_of_run(prose, (span[0], article), usage, first=first)
        yield from _names_of_run(prose, (article + 5, span[1]), usage, first=False)
        return
    alone = _PART.fullmatch(prose, *span) is not None
    tokens = _without_openings(prose, [part.span() for part in _PART.finditer(prose, *span)], usage, first=first)
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
    opens_with_verb = is_imperative(words, usage.capitalised) or is_opening_gerund(words, usage.capitalised)
    if first and len(words) > 1 and opens_with_verb:
        tokens.pop(0)
        first = False
    is_club = words[0] == "AS" and len(words) > 1 and words[1] in GAZETTEER.places  # "AS Monaco"
    if is_club or (words[0] == "I" and not first and len(words) > 1 and words[1][0].isupper()):
        return _without_joiners(prose, tokens)  # "I" in front of a verb in capitals is of a title: "in I Love Lucy"
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
    if prose.startswith(_TEAM_BEHIND, end) and prose[max(left - 4, 0) : left].lower() == "the ":
        return not WORDS.is_stop(name) and name not in GAZETTEER.nationalities
    if len(name) < 2 or is_part(prose, left, end):
        return False
    return not (is_reference(name) if " " in name else _is_no_name(name, usage))


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


def _without_joiners(prose: str, tokens: list[Span]) -> list[Span]:
    """The tokens without small words at their ends."""
    while tokens and (prose[tokens[0][0]].islower() or prose[slice(*tokens[0])] == "&"):
        tokens.pop(0)
    while tokens and (prose[tokens[-1][0]].islower() or prose[slice(*tokens[-1])] == "&"):
        tokens.pop()
    return tokens


def _is_no_name(word: str, usage: WordUsage) -> bool:
    """Whether the word is no name by itself: "Service", or an ordinary word that the document has in lower case."""
    if word in GAZETTEER.places or word in usage.titles or usage.known_type(word) is not None:
        return False
    if word.removesuffix("s") in WORDS.weekdays and word[-1] == "s":
        return True
    if (
        word.rstrip(".").casefold() in WORDS.honorifics
        or set(word) <= set("IVX")
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
    return word.casefold() in usage.lower and word not in usage.capitalised


def _name_end(prose: str, left: int, right: int) -> int:
    """The end of the name without punctuation, with the version behind it."""
    name = prose[left:right]
    if not (len(name) > 2 and name[-1] == "." and name[-3] in ". "):
        name = name.rstrip(".-/&,'’")
    end = left + len(name)
    version = _VERSION_BEHIND.match(prose, end) if prose[end : end + 1] in _MAY_GO_ON else None
    return end if version is None else version.end()


_MAX_PERSON_WORDS = 3


def split_run(prose: str, tokens: list[Span]) -> Iterator[Span]:
    """The names in a run of capitalised words; "the" is inside only of a short one: "Alexander the Great"."""
    words = [prose[slice(*token)] for token in tokens]
    for at in range(1, len(words)):
        if words[at].istitle() and WORDS.is_stop(words[at].casefold()) and all(map(str.isupper, words[:at])) and at > 1:
            yield from split_run(prose, tokens[at + 1 :]) if at + 1 < len(words) else ()
            return  # a heading in front of its sentence: "COMMON FUND The United States joined"
    at = words.index("the", 1) if "the" in words[1:-2] else 0
    if at and words[at - 1] != "of":
        yield from split_run(prose, tokens[:at])
        yield from split_run(prose, tokens[at + 1 :])
        return
    if len(tokens) < 3:
        yield from tokens if len(tokens) == 1 else _split_roles(prose, tokens)
        return
    for piece in _split_of(prose, tokens):
        for part in _split_persons(prose, piece):
            yield from _split_roles(prose, part)


def _split_persons(prose: str, tokens: list[Span]) -> Iterator[list[Span]]:
    """Two persons beside each other: "Anna Kowalczyk Luis Ferreira"."""
    has_role = WORDS.last_word.get(prose[slice(*tokens[0])].casefold()) == "Role" and len(tokens) > 3
    is_of_nation = len(tokens) > 2 and prose[slice(*tokens[0])] in GAZETTEER.nationalities
    if is_of_nation and is_full_name(prose[tokens[1][0] : tokens[-1][1]]):
        yield tokens[:1]  # "American Ann Lee"
        tokens = tokens[1:]
    for at in range(2, len(tokens) - 1):
        if (has_role or is_given_name(prose[slice(*tokens[at])])) and not is_given_name(prose[slice(*tokens[at - 1])]):
            first, second = (prose[part[0][0] : part[-1][1]] for part in (tokens[:at], tokens[at:]))
            is_first = has_role and prose[slice(*tokens[1])] == "of" and prose[slice(*tokens[at - 1])].istitle()
            if (is_full_name(first) or is_first) and is_full_name(second):
                yield tokens[:at]
                yield from _split_persons(prose, tokens[at:])
                return
    yield tokens


def _split_of(prose: str, tokens: list[Span]) -> Iterator[list[Span]]:
    """The two names of "Ann Lee of the Beavers"; all tokens of "Faculty of the Arts", which is one."""
    words = [prose[slice(*token)] for token in tokens]
    if words[1:3] == ["of", "the"] and words[0] in GAZETTEER.places and len(words) > 3:
        yield tokens[:1]  # "met in London of the Acme Council"
        yield tokens[3:]
        return
    for at in range(2, len(words) - 2):
        head = words[at - 1].casefold()
        plain = all(word.isalpha() and word[0].isupper() for word in words[:at]) and at <= _MAX_PERSON_WORDS
        is_noun = head in WORDS.before_of_the or head in WORDS.last_word or set(words[at - 1]) <= set("IVX")
        if words[at : at + 2] == ["of", "the"] and plain and not is_noun and words[at + 2] != "Year":
            yield tokens[:at]
            yield tokens[at + 2 :]
            return
    at = words.index("of") if "of" in words[1:-1] else 0
    if at and words[at + 1] != "the":
        whole = " ".join(words[at + 1 :])
        head = WORDS.last_word.get(words[at - 1].casefold())
        holder = head == "Role" and whole in GAZETTEER.places
        holder |= whole not in GAZETTEER.places and is_full_name(" ".join(words[:at]))
        if holder or (head == "Location" and at > 1 and whole in GAZETTEER.places):
            yield tokens[:at]
            yield tokens[at + 1 :]
            return
    yield tokens


def _split_roles(prose: str, tokens: list[Span]) -> Iterator[Span]:
    """The names of a run: "Acme CTO Ann Lee" has three, and a title in front of a person is no part of the name."""
    begin = 0
    body = prose[slice(*tokens[-1])].casefold() in WORDS.last_word
    for index, token in enumerate(tokens):
        word = prose[slice(*token)]
        following = prose[tokens[index + 1][0]] if token != tokens[-1] else ""
        is_role = word in WORDS.role_acronyms and not following.islower()
        is_inside = index > 0 and prose[tokens[index - 1][0]].islower()  # "The Madness of King George"
        is_title = following.isupper() and not (is_inside or body) and word.rstrip(".").casefold() in WORDS.honorifics
        if is_role or is_title:
            before = [prose[slice(*token)].casefold() for token in tokens[begin:index]]
            last = index  # of what stands in front of the title: "US Navy" of "US Navy Rear Admiral Ann Lee"
            while last - 1 > begin and prose[slice(*tokens[last - 1])].casefold() in WORDS.before_titles:
                last -= 1
            if not WORDS.before_titles.issuperset(before):
                yield tokens[begin][0], tokens[last - 1][1]
            if is_role:
                yield token
            begin = index + 1
    if begin < len(tokens):
        yield tokens[begin][0], tokens[-1][1]
