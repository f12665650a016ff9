"""Capitalised words that are no name: parts of longer words, labels, verbs and adverbs of titles, values, variables."""

import re
from collections.abc import Collection, Sequence

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER

MAX_TITLE_WORDS = 4
MIN_REPEATED = 3
# Words that a title capitalises and a name does not have: verbs, and an article in front of another word.
_IN_TITLES = re.compile(
    r"[^\W\d_]\S* (?:.+ )?(?:Is|Are|Was|Were|Has|Does|Can|Should|Your|You|That|An?"
    r"|To An?|To The|For The|With The|From The)(?= [A-Z])"
    r"|[A-Z][a-z]+ed the "
)
_INITIAL = re.compile(r"[A-Z]\. ([A-Z]\w+)")  # the end of a sentence and the start of the next: "N. If M"
_VALUE = re.compile(
    r"[A-Z]-\d+(?:-\d+){2,}(?:-[\w-]*)?|\d{5,}(?:-\d{4,})+"  # a checksum
    r"|[YMDHSdhms]{2,4}(?:[-:/T. ][YMDHSdhms]{2,4})+"
    r"|[A-Za-z]_\d{1,2}"  # of a series: "G_1"
    r"|(?:[\w-]*[_-])?([A-Z])\1{2,}(?:[_-]([A-Z])\2{2,})*"  # a placeholder
    r"|[A-Z][a-z]{2} \d{4} \d\d|[A-Z][a-z]+(?: \d{1,3}){2,}"
    r"|[A-Z]\+[\dA-F]{4,6}|[A-Z]\. ?[A-Z]|(?:[A-Z]\d ){1,9}[A-Z]\d|[A-Z]+-?(?:ed|th)|[Ee]\.?g|[Ii]\.?e"
)
_NUMBERED = re.compile(r"([A-Z])(\d)\Z")
_OPENS_CALL = re.compile(r"\b[a-zA-Z]\w*(?:[_.:]\w+|[a-z0-9][A-Z]\w*)\((?:[\w*&. ]{1,40}, ?){0,8}[*&]?\Z")
_GROUP_BEHIND = re.compile(r" (?:team|squad|guild|crew|department|division|unit)\b")
# In front of a name at the start of a line they say what somebody does: "Owns Dispatch API".
_PREDICATES = frozenset(
    {"owns", "uses", "runs", "leads", "maintains", "manages", "operates", "depends", "requires", "provides"}
)
_GERUND_OF = re.compile(r" [a-z]")
_PART_OF_DOCUMENT = re.compile(
    r"(?:Section|Table|Figure|Fig\.|Chapter|Appendix|Part|Step|Version|Release|Page|Example|Listing|Note|Item|Line|Level"
    r"|Bug|Lemma|Theorem|Proposition|Definition|Corollary|Exercise|Problem|Question|Rule)"
    r" (?:[A-Z]-?)?[\d.-]+\Z"
)
# A document that every project has: only with the name of the project it is a name.
_DOCUMENT = re.compile(
    r"(?:User|Reference|Installation|Developer|Administrator|Administration|Programmer|Programming"
    r"|Getting Started|Quick ?[Ss]tart|Migration|Upgrade)(?:['’]?s?['’]?) (?:Guide|Manual)|Release Notes"
)
_BEHIND_LABEL = re.compile(r"(?:[A-Z]{4,} ){2,}[A-Z]+[a-z]")  # "QUICK LOOK Apache"
_DETERMINER = re.compile(r" (?:the|an?|your|its|their|this)\b")


def is_title(words: str) -> bool:
    """Whether a run of capitalised words is a title that says something: "Acme Is A Small Company"."""
    parts = words.split()
    if len(parts) < 2:
        return False
    if len(parts) > MAX_TITLE_WORDS:
        said = [word for word in parts if len(word) > MIN_REPEATED]
        if len(set(said)) < len(said):
            return True  # a list that has lost its marks
    sentence = _INITIAL.match(words)
    return _IN_TITLES.match(words) is not None or (sentence is not None and WORDS.is_stop(sentence[1]))


def is_value(name: str) -> bool:
    """Whether it is a checksum, format or placeholder: "R-12079-51392", "YYYY-MM-DD", "U+FEFF", "XXX"."""
    return _VALUE.fullmatch(name) is not None


def is_numbered_variable(word: str, capitalised: Collection[str]) -> bool:
    """Whether a letter with a digit is one of several variables of the document: "P1" beside "P2"."""
    found = _NUMBERED.match(word)
    if found is None or word in WORDS.exact:
        return False
    return sum(f"{found[1]}{digit}" in capitalised for digit in range(10) if str(digit) != found[2]) > 0


def is_argument(prose: str, left: int, end: int) -> bool:
    """Whether the words are an argument in a call: "P2" in "snapshot_cmp(P1, P2)"."""
    if prose[end : end + 1] not in {",", ")"} or "(" not in prose[max(left - 80, 0) : left]:
        return False
    return _OPENS_CALL.search(prose, max(left - 120, 0), left) is not None


def is_part(prose: str, left: int, end: int) -> bool:
    """Whether a name is cut out of a longer word: "Chief" of "editor-in-Chief", "PL" of "PL/pgSQL", or no word.

    "Leeds" of "the Leeds-based Acme" is a name.
    """
    before, behind = prose[max(left - 2, 0) : left], prose[end : end + 3]
    if before[-1:] == "." and (before[0].islower() or before[0].isdigit() or before[0] == " "):
        return True  # "W341" of "fields.W341", the file ".RData"
    if (
        (before[-1:] == "-" and before[0].islower())
        or before == "U+"
        or (behind[:1] == "+" and prose[end - 1].isalpha())
    ):
        return True
    if (behind[:1] == ":" and behind[1:2].isalpha()) or behind[:2] == ".*" or behind == "://":
        return True  # "Flo:set", "Ant 1.8.*", "Guidehttp://…"
    is_cut = behind[:1] in {"/", "-"} and behind[1:2].islower() and not prose.startswith("-based", end)
    if "/" in (before[-1:], behind[:1]) and " " not in before + behind[:2]:
        is_cut |= GAZETTEER.is_common(prose[left:end].split(maxsplit=1)[0])  # "Date/Time Field Modifiers"
    return is_cut or behind in {"- —", "- –"} or not any(map(str.isalpha, prose[left:end]))


def is_label(prose: str, left: int, end: int) -> bool:
    """Whether the words are a line's label of ordinary words: "Stock Exchanges: New York"."""
    if prose[end : end + 1] != ":" or prose[:left].rpartition("\n")[2].strip(" \t*_-"):
        return False
    return all(
        GAZETTEER.is_common(word) or GAZETTEER.is_common(word.removesuffix("s")) for word in prose[left:end].split()
    )


def is_gerund(prose: str, left: int, end: int) -> bool:
    """Whether it is a verb in a title: "Handling errors", but not "the Routing team"."""
    word = prose[left:end]
    if prose[max(left - 4, 0) : left].casefold() == "the " and _GROUP_BEHIND.match(prose, end):
        return False
    if not word.endswith("ing") or _GERUND_OF.match(prose, end) is None:
        return False
    if _DETERMINER.match(prose, end):
        return True  # "Decorating the class"
    stem = word.removesuffix("ing")
    return any(map(GAZETTEER.is_common, (word, stem, f"{stem}e", stem[:-1])))


def is_opening_gerund(words: Sequence[str], capitalised: Collection[str]) -> bool:
    """Whether a title or sentence opens with a verb: "Evaluating the Performance", "Using Redis".

    In front of an ordinary word in capitals it is part of a name: "Billing Engine".
    """
    word, *rest = words
    if word in capitalised or not word.endswith("ing") or word in GAZETTEER.places:
        return False
    if rest and rest[0].istitle() and all(map(GAZETTEER.is_common, rest)):
        return False
    stem = word.removesuffix("ing")
    return any(map(GAZETTEER.is_common, (word, stem, f"{stem}e", stem[:-1])))


def is_imperative(words: Sequence[str], capitalised: Collection[str]) -> bool:
    """Whether a run at the start of a sentence starts with a verb: "Ask Ann Lee", but not "Notify Service"."""
    verb = words[0].casefold()
    stem = verb.removesuffix("ed")  # "Upgraded Acme to 3.1" in a list of changes
    is_verb = verb in _PREDICATES or not WORDS.imperatives.isdisjoint({verb, stem, f"{stem}e", stem[:-1]})
    if len(words) < 2 or not is_verb or words[0] in capitalised:
        return False
    is_name = len(words) > 2 or words[1].casefold() not in WORDS.last_word
    return is_name and words[1][:1].isupper() and not WORDS.is_stop(words[1])


def is_lettered(letter: str, word: str) -> bool:
    """Whether a word stands behind the letter of a list item: "M. Delete any section"."""
    return len(letter) == 2 and letter[1] == "." and GAZETTEER.is_common(word) and word not in WORDS.surnames


def is_adverb(word: str) -> bool:
    """Whether it is an adverb behind a name: "V8 Currently"."""
    return word.endswith("ly") and WORDS.is_adverb(word.casefold()) and GAZETTEER.is_common(word)


def is_reference(name: str) -> bool:
    """Whether the words are keywords ("PRIMARY KEY") or are of the document itself ("Section 17.4")."""
    if _PART_OF_DOCUMENT.match(name) or _DOCUMENT.fullmatch(name) or _BEHIND_LABEL.match(name):
        return True
    return name.isupper() and all(word in WORDS.plain_acronyms for word in name.split())


def is_used_as_name(word: str, text: str) -> bool:
    """Whether a text has a capitalised word as the subject of its sentences: "Requests is a library"."""
    return (
        word[:1].isupper()
        and len(re.findall(rf"(?:\A|\n|[.] ){re.escape(word)} (?:is|has|allows|supports) ", text)) > 1
    )
