"""The entities in the cells of tables and in the values of labels, and the triples that a title asserts of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, TypeAlias

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.english.lexicon import RELATED_TO, Cue
from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import OCCURRED_ON, DraftTriple, with_type
from mcp_graphrag.extract.periods import Period
from mcp_graphrag.mentions.find_mentions import MAX_NAME_LENGTH, DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import find_shapes
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.mentions.type_by_shape import type_of_name, type_of_shape

# What a cell holds: nothing, a number or date, a name, other words that are few, or a text.
CellKind: TypeAlias = Literal["", "value", "name", "word", "text"]
MAX_CELL_WORDS = 8
MAX_NAME_WORDS = 5
MAX_CODE = 4  # capitals of a code: "EUR", "ISO"
MIN_SENTENCE = 2  # words
_MAX_VALUE = 100  # characters
_VALUE_TYPE_LIST = (
    "any array bool boolean buffer byte bytes bytea callable char date datetime decimal dict dictionary double duration"
    " enum file filename float function hash hostname int int4 int8 integer interval ip json list long map null"
    " number numeric object oid path regex regexp sequence set str string text time timestamp tuple uint uri url uuid"
    " varchar void"
)
_VALUE_TYPES = frozenset(_VALUE_TYPE_LIST.split())
_VALUE = re.compile(
    r"(?:[a-z][:=])?[<>≤≥~+\-$€£]{0,3}\s?\d[\d.,:/]*\s?(?:%|[a-zA-Z]{1,8}(?:/[a-z]{1,6})?)?\Z|(?:yes|no|true|false|[✓✗✔✘xX])\Z",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r",|;|<br ?/?>| and (?=[A-Z`\[*])")
_ADDRESS = re.compile(r"\w[\w.+-]*://\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\S*/\S*")  # also a path, a kind of media
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_PAIRS = frozenset({"**", "``", '""', "“”", "__", "[]"})
_ROW_NUMBER = re.compile(r"#?\d+[.)]?|[0-9a-fA-F-]{16,}")
_SENTENCE = re.compile(r"[.!?;:](?:\s+\S|$)|<br")
_BEHIND_AND = frozenset({"sons", "brothers", "bros", "daughters", "associates"})  # in the name of a firm
# A person with what a list of people says besides: "Ana Silva (chair)", "Ana Silva @ana".
_PERSON = re.compile(r"[\s*_]*(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,4}?)[*_]{0,3}\s+[(@<].*", re.DOTALL)
_SEVERAL = frozenset({"multiple", "various", "several", "many", "unknown", "others", "different"})
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[\]){0,200})\]\((?:<[^<>]{0,400}>|[^()]{0,400})\)")


def _is_no_kind(name: str, of: str | None) -> bool:
    """Whether what stands in a column of kinds is none of what is `of` a type.

    A type of values, "Boolean", an acronym of a platform, and what is said of a person: "Homicide".
    """
    return is_value_type(name) or of == "Person" or (name.isupper() and name.casefold() not in WORDS.last_word)


def is_value_type(name: str) -> bool:
    """Whether it is a type of values: "Boolean", "{String}"."""
    return name.casefold().strip("<>[]{}`") in _VALUE_TYPES


def _may_be_place(name: str) -> bool:
    """Whether what stands in a column of places is one, and not a code of where something is offered: "DE", "intl"."""
    return name in GAZETTEER.places or (name[0].isupper() and not name.isupper())


@lru_cache(maxsize=16_384)
def kind_of_cell(value: str) -> CellKind:
    """What a cell holds by its own form."""
    bare = value[slice(*bare_span(value, (0, len(value))))]
    if not bare or is_placeholder(bare):
        return ""
    if len(bare) > _MAX_VALUE or len(words := bare.split()) > MAX_CELL_WORDS:
        return "text"
    letters, digits = sum(map(str.isalpha, bare)), sum(map(str.isdigit, bare))
    if digits >= letters or _VALUE.match(bare) or whole_date(bare) is not None or _ADDRESS.fullmatch(bare):
        return "value"
    if len(words) > MIN_SENTENCE and _SENTENCE.search(bare) is not None and not bare.endswith("Inc."):
        return "text"
    items = [(0, len(bare))] if is_one_name(bare) else items_of(bare, (0, len(bare)))
    found = [next(_entity(bare, *item, None), None) for item in items]
    return "name" if all(one is not None and names_something(one) for one in found) else "word"


def names_something(mention: DraftMention) -> bool:
    """Whether the name in a cell is one wherever it stands, and not the value of a property: "Active", "EUR"."""
    name, words = mention.name, mention.name.split()
    if mention.kind == "date" or not name[0].isalnum():
        return False
    if mention.type is not None or len(words) > 1:
        return mention.type is not None or not WORDS.is_stop(words[0])
    if name.islower() and "-" in name:  # "ubuntu-latest"
        return not any(map(GAZETTEER.is_common, name.split("-")))
    parts = name.replace("_", "-").split("-")
    if len(parts) > 1 or not name.isalpha():
        return not all(map(GAZETTEER.is_common, parts))
    is_code = name.isupper() and len(name) <= MAX_CODE
    is_word = GAZETTEER.is_common(name) or name.casefold() in WORDS.cell_values
    return name[0].isupper() and not is_code and not is_word


def is_row_number(value: str) -> bool:
    """Whether a cell only numbers its row, and is no year."""
    return _ROW_NUMBER.fullmatch(value) is not None and whole_date(value) is None


def is_code(value: str) -> bool:
    """Whether a cell is a number or a code, which says nothing by itself: "LHR", "A-17"."""
    return value.isupper() or (" " not in value and any(map(str.isdigit, value)))


def bare_span(text: str, cell: Span) -> Span:
    """The span of a cell without the tags and marks around its words; of a link that of its text, of an image none."""
    start, end = cell
    while tag := _TAG.match(text, start, end):
        start = tag.end()
    while end > start and text[end - 1] == ">" and (tag := _TAG.fullmatch(text, text.rfind("<", start, end), end)):
        end = tag.start()
    link = _LINK.fullmatch(text, start, end)
    if link is not None:
        start, end = link.span(1) if link[0][0] != "!" else (end, end)
    while end - start > 1 and text[start] + text[end - 1] in _PAIRS and _is_one_pair(text, start, end):
        start, end = start + 1, end - 1
    return strip_span(text, (start, end))


def _is_one_pair(text: str, start: int, end: int) -> bool:
    """Whether the marks around a span belong together: not those of "`a`, `b`" and "__init__"."""
    mark, inside = text[start], text[start + 1 : end - 1].strip(text[start])
    is_plain = mark == "_" and text[start + 1] == "_"
    return mark not in inside and not is_plain and (mark != "[" or text[start + 1 : start + 2] == "`")


def triples_of_title(
    text: str, title: str, cue: Cue | None, head: DraftMention, others: Sequence[DraftMention], period: Period | None
) -> Iterator[DraftTriple]:
    """The triples that the title of a column or a label asserts; none if the lexicon does not have it."""
    if cue is None or cue.predicate == RELATED_TO:
        return
    if cue.predicate == OCCURRED_ON and head.type in {None, "Document"}:
        return  # the date of an edition
    if cue.predicate == "located_in":
        others = [other for other in others if _may_be_place(other.name)] if len(others) == 1 else []
    if cue.predicate == "written_in":  # a column of languages may be of those that people speak
        others = [other for other in others if WORDS.exact.get(other.name) == "Technology"]
    if any(other.type == "Person" for other in others):
        others = [other for other in others if other.type != "Role"]  # "Written by: Ann Lee, chemist"
    # Behind a kind there is more about it: "Type: string, one of `A` and `B`".
    for other in others[:1] if cue.predicate == "is_a" else others:
        if other.name != head.name and not (cue.predicate == "is_a" and _is_no_kind(other.name, head.type)):
            subject, object_ = (other, head) if cue.swap else (head, other)
            first, second = with_type(subject, cue.subject), with_type(object_, cue.object)
            draft = DraftTriple(first, cue.predicate, second, title, "table")
            yield draft if period is None else period.apply_to(draft, text)


def entities_in(text: str, cell: Span, expected: str | None, people: Mapping[str, str]) -> Iterator[DraftMention]:
    """The entities in a cell or the value of a label, separated by commas; `expected` is their type if unknown.

    The given name of one of the `people` of the document, as in `WordUsage`, stands for the full name.
    """
    value = text[slice(*cell)]
    persons = _surnames_first(value, people) if "," in value else []
    if persons:
        is_list = len(persons) == 1 and all(
            word in GAZETTEER.given_names for word in persons[0].split()
        )  # "Maria, Ana"
        if expected == "Person" and not is_list:
            yield from (DraftMention(*cell, person, "Person", "name", 0.9) for person in persons)
        return
    items = [cell] if is_one_name(value) else items_of(text, cell)
    parts = [list(_entity(text, *item, expected)) for item in items]
    for entity in chain.from_iterable(parts) if all(parts) else _entity(text, *cell, expected):
        full = people.get(entity.name) if expected in {None, "Person"} else None
        yield entity if full is None else entity._replace(name=full, type="Person")


def name_of_row(text: str, cell: Span, expected: str | None, people: Mapping[str, str]) -> DraftMention | None:
    """The name that a row is about: with its commas it is one, "Tax, EU"; it may be an ordinary word, "port"."""
    is_list = _SEPARATOR.search(text, *cell) is not None
    found = next(_entity(text, *cell, expected) if is_list else entities_in(text, cell, expected, people), None)
    if found is not None:
        return found if found.kind != "date" else None
    start, end = bare_span(text, cell)
    name = " ".join(text[start:end].split())
    may_be_name = kind_of_cell(name) in {"word", "name"} and _may_be_name(name) and "~~" not in text[slice(*cell)]
    return DraftMention(start, end, name, expected, "name", 0.9) if may_be_name else None


def is_one_name(value: str) -> bool:
    """Whether the commas and the "and" of a cell are of one name: "Portland, Oregon", "Smith, Jones & Co"."""
    head, joint, last = value.replace(" and ", " & ").rpartition(" & ")
    word = last.rpartition(" ")[2].strip(".").casefold() if "&" in value else last.strip(" .").casefold()
    if joint and head and (word in _BEHIND_AND or WORDS.last_word.get(word) == "Organization"):
        return True
    first, comma, second = (part.strip() for part in value.partition(","))
    is_place = bool(comma) and second in GAZETTEER.places and second not in GAZETTEER.only_cities
    return is_place and first not in GAZETTEER.countries


def _surnames_first(value: str, people: Mapping[str, str]) -> list[str]:
    """The persons of a cell that has no others, each with the surname first: "Silva, Ana; Lee, Bob"."""
    found: list[str] = []
    for part in value.split(";"):
        surname, _, given = (piece.strip() for piece in part.partition(","))
        first = given.partition(" ")[0]
        full = people.get(surname), people.get(first)
        is_two = None not in full and full[0] != full[1]  # two persons of whom the document has the full names
        if not surname.isalpha() or first not in GAZETTEER.given_names or is_two:
            return []
        found.append(f"{given} {surname}")
    return found


def items_of(text: str, cell: Span) -> Iterator[Span]:
    """The parts of a cell between commas; a comma inside brackets, or in front of "Inc.", does not count."""
    start, stop = cell
    for separator in _SEPARATOR.finditer(text, start, stop):
        is_closed = text.count("(", start, separator.start()) <= text.count(")", start, separator.start())
        if is_closed and not (separator[0] == "," and _is_legal_form(text[separator.end() : stop])):
            yield start, separator.start()
            start = separator.end()
    yield start, stop


def _is_legal_form(behind: str) -> bool:
    """Whether the first item is what only ends the name of a company, and no word that names something: "Inc."."""
    word = _SEPARATOR.split(behind, 1)[0].strip(" .").casefold()
    return WORDS.last_word.get(word) == "Organization" and not GAZETTEER.is_common(word)


def _entity(text: str, start: int, end: int, expected: str | None) -> Iterator[DraftMention]:
    """The entity of a span, without markup and an amount, if it may be a name."""
    link = _LINK.search(text, start, end)
    if link is not None:
        start, end = link.span(1)
    person = _PERSON.match(text, start, end)
    if person is not None and (expected == "Person" or is_full_name(person["name"])):
        start, end = person.span("name")
    if expected == "Person":
        start = _behind_titles(text, start, end)
    while start < end and text[start] in " \t*_`\"'“([~|":
        start += 1
    while end > start and text[end - 1] in " \t*_`\"'”()]~|.:;\\":
        end -= 1
    start, end = _with_own_brackets(text, start, end)
    words = text[start:end].split()
    name = " ".join(words)
    if not _may_be_name(name) or _VALUE.match(name) or "~~" in text[max(start - 2, 0) : end]:
        return
    shape = next(find_shapes(text, start, end), None)
    if shape is not None and shape[::2] == (start, "date") and text[shape.end : shape.end + 2] == ". ":
        end, name = shape.end, text[start : shape.end]  # "17 May 2024. Severity S2"
    whole = shape is not None and (shape.start, shape.end) == (start, end)
    type_ = type_of_shape(name, shape.kind) if shape is not None and whole else type_of_name(name, "", "")
    kind = "date" if type_ == "Date" or (shape is not None and shape[::2] == (start, "date")) else "name"
    if type_ is None and not whole and not _looks_like_name(words, expected):
        return
    # Many names have the form of a class; the title of the column knows better.
    yield DraftMention(start, end, name, (expected or type_) if type_ in {None, "Class"} else type_, kind, 0.9)


def _may_be_name(name: str) -> bool:
    """Whether the words of a cell may name something, whatever their form."""
    words = name.casefold().split()
    is_name = 2 <= len(name) <= MAX_NAME_LENGTH and len(words) <= MAX_CELL_WORDS and words[0] not in _SEVERAL
    is_name = is_name and not (len(words) > 1 and words[0] in {"no", "not", "never", "won't", "cannot"})
    is_name = is_name and "|" not in name and "](" not in name  # "{string|Object}", and a link that a comma cuts
    return is_name and name[-1] != "?" and not is_placeholder(name)


def _with_own_brackets(text: str, start: int, end: int) -> Span:
    """The span of a name without those around it, "<Buffer>", and with its own, "open()"."""
    if text[start : start + 1] == "<" and text[end - 1 : end] == ">":
        return start + 1, end - 1
    is_open = text[start:end].count("(") > text[start:end].count(")") and text[end : end + 1] == ")"
    return start, end + is_open


def _behind_titles(text: str, start: int, end: int) -> int:
    """The start of the name behind titles such as "Councillor" and "Chair"."""
    while True:
        word, space, _ = text[start:end].lstrip(" *_").partition(" ")
        title = word.rstrip(".").casefold()
        if not space or not (title in WORDS.honorifics or WORDS.last_word.get(title) == "Role" or title == "and"):
            return start
        start = text.index(word, start) + len(word) + 1


def _looks_like_name(words: Sequence[str], expected: str | None) -> bool:
    """Whether the words of a cell are a name and no sentence or value: of a column with a type, or capitalised."""
    small = [word for word in words if word[0].islower() and word not in WORDS.joiners and "-" not in word]
    if expected is not None:
        return len(small) <= 3 and len(words) <= MAX_NAME_WORDS
    first = words[0]
    is_identifier = len(words) == 1 and not first.isalpha() and not first[0].isdigit()
    return is_identifier or (not small and first[0].isupper() and len(words) <= MAX_NAME_WORDS)
