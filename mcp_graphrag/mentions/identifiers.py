"""Names recognised by form alone: code, versions, ids, dates, addresses and quoted titles."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER


class Shape(NamedTuple):
    """A span of that form, without quotation marks and backticks; `kind` is the name of the form."""

    start: int
    end: int
    kind: str


def _year() -> str:
    """A year, and before 1800 only where the words or marks around a number say that it is one."""
    leads = (
        "in", "on", "to", "by", "of", "since", "until", "circa", "after", "before", "from", "between", "early", "late"
    )  # fmt: skip
    led = "|".join(
        [
            *(rf"(?<=\b[{lead[0]}{lead[0].upper()}]{lead[1:]} )" for lead in leads),
            r"(?<=between \d{4} and )",
            "(?<=[(–—])",
        ]
    )
    early = rf"(?:(?:{led})1[0-7]\d\d(?:(?<=0)s)?|(?<=[–—-] )1[0-7]\d\d(?=\)))"
    unit = "bytes|pixels|miles|feet|rows|people|shares|users|times|votes|men|soldiers|inhabitants|items|pages|days"
    unit = f"{unit}|editions?"
    return rf"(?:(?:1[89]|20)\d(?:\d|0s)|{early})(?![\w%-]|[.,:]\d| (?:{unit})\b)"


def _date() -> str:
    month = "|".join((*WORDS.months, *(rf"{month}\.?" for month in WORDS.short_months)))
    first = "".join(sorted({word[0] for word in WORDS.months}))  # passes over most words at once
    day = r"\d{1,2}(?:st|nd|rd|th|d)?"
    return (
        rf"(?=[\d{first}])(?<![.-])(?:(?:1\d|20|21)\d\d-\d\d-\d\d(?:T[\d:.]{{5,15}}Z?)?"
        rf"|{day} (?:of )?(?:{month})(?:,? \d{{4}})?(?!\w)"
        rf"|(?:{month})(?:(?: {day}(?!\d))? ?,?| of) \d{{4}}(?!\d)|(?:{month}) {day}(?!\w)"
        rf"|{_year()})"
    )


_TOP_LEVEL = r"(?:com|net|org|io|dev|app|cloud|local|internal|corp|lan|localdomain|example|test|edu|gov)"
_CALL_FORM = (
    # Arguments only behind what can be nothing else than a function, unlike "file(s)".
    r"(?<!\.)[A-Za-z_]\w{0,80}+(?:(?:\.|::)\w{1,80}+){0,8}+\(\)"
    r"|(?<!\.)(?=[a-z]\w{0,80}[_.])[a-z]\w{0,80}+(?:\.\w{1,80}+){0,8}+\([\w*&.=]{1,30}+(?:, ?[\w*&.=]{1,30}+){0,8}+\)"
)


def _event() -> str:
    yearly = "|".join(sorted(WORDS.yearly))
    kinds = "general|presidential|parliamentary|gubernatorial|legislative"
    name = r"(?:[A-Z][\w-]{1,20} ){0,4}"
    return rf"(?:1[89]|20)\d\d {name}(?:(?:{yearly})|(?:{kinds}) elections?)\b"


# The first form that matches wins.
_FORMS: tuple[tuple[str, str], ...] = (
    ("code", r"`[^`\n]{1,200}`"),
    ("url", r"https?://[^\s<>\"'`|\\\x1f]{1,2000}"),
    ("email", r"(?<![.+-])[\w.+-]{1,64}+@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"),
    ("event", _event()),
    ("date", _date()),
    (
        "id",
        r"(?=[A-Z#])(?:(?<!-)(?:[A-Z][A-Z0-9]{1,9}-\d{1,7}|CVE-\d{4}-\d{4,7})(?![\w-])|(?<!&)\#\d{1,7}\b)",
    ),
    ("channel", r"(?<![&/\#.])\#[a-z][a-z0-9]{1,30}(?:[-_][a-z0-9]{1,30}){0,6}(?![\w/-])"),
    ("endpoint", r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /(?:[\w./{}:-]{0,120}[\w}/])?"),
    # Hosts and instances: two hyphens or a leading zero, unlike "covid-19" and "top-10".
    ("hyphenated", r"(?<![./@:#=-])[a-z][a-z0-9]{1,30}(?:(?:-[a-z0-9]{1,30}){1,5}-\d{1,3}|-0\d{1,2})(?![\w/:-]|\.\w)"),
    # Hosts by their full name, and the paths of files and endpoints.
    (
        "host",
        rf"(?<![./@:-])[a-z0-9][a-z0-9-]{{0,62}}+(?:\.[a-z0-9][a-z0-9-]{{0,62}}+){{0,5}}\.{_TOP_LEVEL}(?![\w/-]|\.\w)",
    ),
    ("slashed", r"(?<![./:-])/[a-z][\w-]{1,60}(?:/[\w{}:-]{1,60}){1,12}(?![\w/.-])"),
    ("path", r"(?<![./:-])\.{0,2}/?(?:[\w.-]{1,80}+/){1,12}[\w-]{1,80}\.[a-z]\w{0,5}\b"),
    ("page", r"(?<![./@:-])[a-z][\w.+-]{1,40}\([1-8][a-z]{0,2}\)(?!\w)"),
    ("call", _CALL_FORM),
    ("scoped", r"(?<![:/])[a-z][a-z0-9_-]{1,40}+:[a-z0-9][\w./-]{0,80}\b"),
    (
        "dotted",
        r"(?<![./@-])(?:[a-z_]\w{1,80}+(?:\.[a-z_]\w{1,80}+){1,8}|[A-Z]\w{1,80}+(?:\.[a-z_]\w{2,80}+){1,8})\b(?![.\w])",
    ),
    ("scope", r"(?<![./@-])[A-Za-z_]\w{1,80}+(?:::[A-Za-z_]\w{1,80}+){1,8}\b(?!\w)"),
    ("snake", r"(?<!\.)_{0,2}[A-Za-z][A-Za-z0-9]{0,60}+(?:_[A-Za-z0-9]{1,60}+){1,12}_{0,2}(?!\w|\.\w)"),
    (
        "camel",
        r"(?<!\.)(?:[A-Z][a-z0-9]{1,60}+(?:[A-Z][a-z0-9]{1,60}+){1,10}|[a-z]{2,20}+(?:[A-Z][a-z0-9]{1,60}+){1,10})(?![\w'’-])",
    ),
    ("version", r"(?<!\.)v\d{1,5}(?:\.\d{1,6}){1,3}(?:-[\w.]{1,20})?\b"),
    ("quoted", r"\"[A-Z][^\"“”\n\x1f]{1,80}\"|(?<=[ (])\" [A-Z][^\"“”\n\x1f]{1,80} \"(?!\w)"),
    ("curled", r"“[A-Z][^\"“”\n\x1f]{1,80}”"),
)


# The forms that a text is searched for only if it has such a mark, which takes less time.
_MARKED = (
    (re.compile("/"), frozenset({"url", "endpoint", "slashed", "path"})),
    (re.compile("@"), frozenset({"email"})),
    (
        # One set of characters first, which `re` searches for fastest.
        re.compile(r"[`_#:(.](?:(?<=[`_#])|(?<=:)[\w:]|(?<=\()[)1-8]|(?<=\w\.)[a-z_])"),
        frozenset({"code", "channel", "call", "page", "scoped", "scope", "snake", "host", "dotted"}),
    ),
)


@cache
def _forms(*has_marks: bool) -> re.Pattern[str]:
    """All forms as one pattern, without those whose mark a text does not have."""
    absent = {name for has, (_, names) in zip(has_marks, _MARKED, strict=True) if not has for name in names}
    # The empty group behind a form tells which one it was; one around it would hide from `re` how the form begins.
    patterns = (f"(?:{pattern})(?P<{name}>)" for name, pattern in _FORMS if name not in absent)
    # No form begins with other characters than these, or with a word in small letters that ends here: most positions
    # and words are passed over at once.
    return re.compile(rf"(?=[\w`\"“#/.+-])(?<!\w)(?![a-z]++(?:[ \n,;)]|[.:!?]\s))(?:{'|'.join(patterns)})")


_NOT_CODE = frozenset({"e.g", "i.e", "a.m", "p.m", "a.k.a", "and/or"})
_CODE_NAME = re.compile(r"[@.$/_A-Za-z][\w.$@:/()<>-]+(?: [\w.-]+){0,2}\Z|[A-Za-z] [\w.-]+\Z|[A-Z]{3,7} /\S*\Z")
_CALL = re.compile(r"(?!self\.|cls\.|this\.)(?=\w+[_.])[A-Za-z]\w*+(?:\.\w+)*+\([^()`]+\)")
_LITERAL = re.compile(r"(?:[0-9a-f]{7,40}|[a-z]{1,2}|__\w+__(?:\(\))?|(?:self|this|cls|super\(\)?)\b.*)\Z")
# Words of programming languages, and variables without a meaning of their own.
_WORD_LIST = (
    "None True False null nil void int str bool float char def del elif async await lambda const let var struct enum"
    " typedef sizeof instanceof args kwargs argv argc params opts cfg lhs rhs obj fn func cb ctx idx idxs len tmp val"
    " vals res ret foo bar baz qux foobar spam eggs"
)
_WORDS = frozenset(_WORD_LIST.split())


def find_shapes(prose: str, start: int = 0, end: int | None = None) -> Iterator[Shape]:
    """The shapes in a part of a text, in order, without overlaps."""
    stop = len(prose) if end is None else end
    has_marks = (mark.search(prose, start, stop) is not None for mark, _ in _MARKED)
    for found in _forms(*has_marks).finditer(prose, start, stop):
        kind = found.lastgroup or ""
        left, right = found.span()
        text = found[0]
        if kind == "code":
            left, right = left + 1, right - 1
            if _CALL.fullmatch(text[1:-1]) is not None:
                kind = "call"
            elif _CODE_NAME.match(text[1:-1]) is None or _is_plain_code(text[1:-1]):
                continue
        elif kind == "snake" and text[0] == "D" and text[1].isupper() and prose[left - 1 : left] == "-":
            left += 1  # a macro of the command line: "-DNAME"
        elif kind == "url":
            right = left + len(text.rstrip(".,;:!?)'\"*_"))
        elif kind in {"quoted", "curled"}:
            quoted = text[1:-1].strip()
            inner = quoted.rstrip(" .,;:!?")
            if not inner or not _is_title(quoted):
                continue
            left += 1 + text[1:].index(inner[0])
            right, kind = left + len(inner), "quoted"
        elif text.lower() in _NOT_CODE or (kind == "scoped" and text.rpartition(":")[2].isdigit()):
            continue
        yield Shape(left, right, "dotted" if kind == "scope" else kind)


def _is_plain_code(code: str) -> bool:
    """Whether code is a keyword, an ordinary word, a command or a hash, and so names nothing: "start", "git commit"."""
    if " " in code:
        return not code[0].isupper()
    if (code[0] == "." and ("(" in code or code.count(".") == 1)) or code[-1] == ".":
        return True  # a method of what is not said, the suffix of a file, or cut
    if _LITERAL.match(code) is not None or _is_expression(code):
        return True
    word = code.strip("()<>")
    return word in WORDS.plain_acronyms or word in _WORDS or GAZETTEER.is_common(word)


def is_plain_variable(name: str) -> bool:
    """Whether it is a word of programming languages, or a variable without a meaning of its own: "args"."""
    return name in _WORDS or name in {"self", "cls", "this"}


def _is_expression(code: str) -> bool:
    """Whether code is an expression and no name: a call with arguments that are no parameters, an index, a string."""
    return ("(" in code and not code.endswith("()")) or "[" in code or "=" in code


def _is_title(quoted: str) -> bool:
    """Whether the quoted words look like a title: few, and the long ones capitalised."""
    words = quoted.split()
    if len(words) == 1 and (GAZETTEER.is_common(quoted) or quoted.endswith(("ing", "ed"))):
        return False
    long = [word for word in words if len(word) > 3 and word not in WORDS.prepositions]
    return len(words) <= 9 and all(not word[0].islower() for word in long) and not quoted.endswith(("?", "!"))
