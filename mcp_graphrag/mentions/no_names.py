"""Words that are no name: verbs, parts of longer words, titles, references, joined words, words in its place."""

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
# In front of a name at the start of a line they say what somebody does: "Owns Dispatch API".
_PREDICATES = frozenset(
    {"owns", "uses", "runs", "leads", "maintains", "manages", "operates", "depends", "requires", "provides"}
)
# A part of the document itself, and a document that every project has, which needs the name of the project.
_REFERENCE = re.compile(
    r"(?:Section|Table|Figure|Fig\.|Chapter|Appendix|Part|Step|Version|Release|Page|Example|Listing|Note|Item|Line|Level"
    r"|Rule) (?:[A-Z]-?)?[\d.-]+"
    r"|(?:User|Reference|Installation|Developer|Administrator|Administration|Programmer|Programming"
    r"|Getting Started|Quick ?[Ss]tart|Migration|Upgrade)(?:['’]?s?['’]?) (?:Guide|Manual)|Release Notes"
)
MAX_JOINED = 20
MIN_JOINTS = 2  # in a text that lost its line breaks
_JOINT = re.compile(r"(?<![/@`.\w])(?:[a-z]{2,}[.?!:)”][A-Z][a-z]+|[A-Za-z]*[a-z]{3}[A-Z][a-z]+)(?![\w`(./@-])")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLACEHOLDER = re.compile(
    r"[-–—?…_.*/\s]+|unknown|unassigned|undecided|undefined|unspecified|unclear|null|nil|n/a|n\.a\."
    r"|(?:none|nobody|no one|nothing)(?: (?:yet|as yet|so far|known|identified|planned|at present|for now))?"
    r"|tb[acd]|todo|ditto|vacant|pending|placeholder|xxx+"
    r"|not (?:yet|known|sure)|not (?:applicable|available|known|assigned|set|decided|defined|specified)(?: yet)?"
    r"|(?:still )?to be (?:named|decided|determined|confirmed|announced|defined|done|filled|hired|assigned|agreed)"
    r"|(?:the )?same(?: as (?:above|before|below|previous))?|(?:see|as|cf\.?) (?:above|below|before)"
    r"|see (?:the )?(?:wiki|docs?|documentation|notes?|comments?|table|link|readme|page|ticket|spreadsheet|catalogue)"
)


def opens_sentence(prose: str, start: int, at: int) -> bool:
    """Whether it is the first word of its sentence, or of what a colon or quotation mark introduces."""
    before = prose[max(start, at - 3) : at].rstrip()
    return not before.strip("\"'“‘([*-–—\x1f") or before[-1] in ':"“' or before[-1] > "\u2100"  # an emoji


def is_title(words: str) -> bool:
    """Whether a run of capitalised words is a title that says something: "Acme Is A Small Company"."""
    parts = words.split()
    if len(parts) > MAX_TITLE_WORDS:
        said = [word for word in parts if len(word) > MIN_REPEATED]
        if len(set(said)) < len(said):
            return True  # a list that has lost its marks
    return len(parts) > 1 and _IN_TITLES.match(words) is not None


def is_part(prose: str, left: int, end: int) -> bool:
    """Whether a name is cut out of a longer word: "Chief" of "editor-in-Chief", "PL" of "PL/pgSQL", or no word.

    "Leeds" of "the Leeds-based Acme" is a name.
    """
    before, behind = prose[max(left - 2, 0) : left], prose[end : end + 3]
    if before[-1:] == "." and (before[0].islower() or before[0].isdigit() or before[0] == " "):
        return True  # "W341" of "fields.W341", the file ".RData"
    is_cut = (before[-1:] == "-" and before[0].islower()) or (behind[:1] == "+" and prose[end - 1].isalpha())
    is_cut |= (behind[:1] == ":" and behind[1:2].isalpha()) or behind == "://" or behind in {"- —", "- –"}
    is_cut |= behind[:1] in {"/", "-"} and behind[1:2].islower() and not prose.startswith("-based", end)
    if "/" in (before[-1:], behind[:1]) and " " not in before + behind[:2]:
        is_cut |= GAZETTEER.is_common(prose[left:end].split(maxsplit=1)[0])  # "Date/Time Field Modifiers"
    return is_cut or not any(map(str.isalpha, prose[left:end]))


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


def is_reference(name: str) -> bool:
    """Whether the words are keywords ("PRIMARY KEY") or are of the document itself ("Section 17.4")."""
    if _REFERENCE.fullmatch(name):
        return True
    return name.isupper() and all(word in WORDS.plain_acronyms for word in name.split())


def lacks_spaces(text: str) -> bool:
    """Whether sentences or words of a text are joined in several places."""
    joints = 0.0
    for match in _JOINT.finditer(text):
        word = match[0]
        joints += 1 if not word.isalpha() or _has_small_word(word) else 0.5 * _is_ordinary(word)
        if joints >= MIN_JOINTS:
            return True
    return False


def _has_small_word(word: str) -> bool:
    """Whether a part of a word is "The", "You" or the like, and the others are ordinary words."""
    parts = _PARTS.findall(word)
    is_ordinary = sum(map(GAZETTEER.is_common, parts)) > len(parts) / 2
    return len(parts) > 1 and any(map(WORDS.is_stop, parts[1:])) and is_ordinary


def _is_ordinary(word: str) -> bool:
    return word[0].islower() and all(map(GAZETTEER.is_common, _PARTS.findall(word)))


def is_joined(word: str) -> bool:
    """Whether a word with a capital inside may consist of words of a text that lacks spaces."""
    parts = _PARTS.findall(word)
    if len(parts) < 2 or word in WORDS.exact:
        return False
    return any(map(GAZETTEER.is_common, parts)) or len(word) > MAX_JOINED


def is_shouted(name: str) -> bool:
    """Whether words in capitals are a shouted phrase and no name: "PACKAGE IS PROVIDED"."""
    words = name.replace("-", " ").split()
    if not name.isupper() or len(words) < MIN_JOINTS:
        return False
    common = sum(len(word) > 1 and GAZETTEER.is_common(word) for word in words)
    # "LEFT-MOST SUBQUERY" has a word that is not common.
    return common == len(words) or (common > 1 and 2 * common >= len(words))


def is_placeholder(name: str) -> bool:
    """Whether a name stands for none: "TBD", "n/a", "-", "none yet", "to be named", "same as above"."""
    words = " ".join(name.casefold().split())
    return bool(words) and _PLACEHOLDER.fullmatch(words.strip("()[]<>!*_ ").removesuffix(".") or "-") is not None


def are_placeholders(subject: str, object_: str) -> bool:
    """Whether one of two names stands for none, or both for any of a kind: "Package A" and "Package B"."""
    kinds = [name[:-2] for name in (subject, object_) if name[-2:-1] == " " and name[-1].isupper()]
    return is_placeholder(subject) or is_placeholder(object_) or (len(kinds) == 2 and kinds[0] == kinds[1])


def is_balanced(name: str) -> bool:
    """Whether each bracket of a name has its other one, so that it is not cut from "(mostly) German"."""
    return all(name.count(opening) == name.count(closing) for opening, closing in ("()", "[]"))
