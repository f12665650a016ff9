"""Sentences cut into tokens, as the Penn Treebank does, and their dependency trees."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from mcp_graphrag.english.spans import Span


class Token(NamedTuple):
    """A word, a mark of punctuation or a whole name; `start` and `end` are characters of the text it was cut from."""

    text: str
    start: int
    end: int
    # Found before parsing: the span is one noun, whatever its words are.
    is_name: bool = False


@dataclass(frozen=True)
class Parse:
    """One sentence. All but `tokens` hold one item a token.

    Tags are the universal ones (NOUN, PROPN, VERB, AUX, ADP …), fine tags those of the Penn Treebank (VBD, VBN, NNS …),
    labels those of spaCy's English models (nsubj, dobj, prep, pobj, agent, appos …). A head is the index of a token;
    the root, whose label is ROOT, is its own head. The heads make one tree. `certainty`, between 0 and 1, is the
    probability that head and label are both right.
    """

    tokens: tuple[Token, ...]
    tags: tuple[str, ...]
    fine_tags: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    certainty: tuple[float, ...]

    @property
    def root(self) -> int:
        """The index of the root. An empty sentence has none: ValueError."""
        return self.labels.index("ROOT")


_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Inc|Corp|Co|Ltd|Bros|Gen|Col|Lt|Sgt|Capt|Maj|Sen|Rep|Gov|Rev|Hon|Fig|No|vs|etc|cf|al"
    "|approx|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|Ave|Mt|Ph\\.D|ca"
)
_TOKEN = re.compile(
    rf"""
    (?!\s)(?:                                                           # most positions without a token, sooner
      (?![Cc]annot)[A-Za-z]++(?=[ \n,;)])                               # most words, here to save time
    | (?:https?|ftp|ssh|git|file)://[^\s<>"`]+(?<![.,;:!?)\]}}'’*])      # a URL
    | [\w.+-]++@\w[\w-]*(?:\.\w[\w-]*)+                                # a mail address
    | (?:(?:[A-Za-z]\.){{2,}}[A-Za-z]?|(?:{_ABBREVIATIONS})\.)(?!\w)   # U.S., Dr.
    | [A-Z]\.(?=\s[A-Z])                                               # an initial
    | (?<=[\w’'.)])['’](?:s|S|re|ve|ll|d|m)(?!\w)                      # 's, 're
    | (?<=\w)n['’]t(?!\w)
    | [Cc]an(?=not(?!\w))
    | (?<=[Cc]an)not(?!\w)
    | \w+(?=n['’]t(?!\w))                                              # do of don't
    | (?<!\S)--?[A-Za-z]\w*(?:[-=.:/]\w+)*                             # --flag=value
    | (?<![\w/.~])(?:~|\.{{1,2}})?/[\w.@+-]*\w(?:/[\w.@+-]*\w)*/?      # /etc/hosts
    | (?<!\w)[#@$]{{1,2}}[A-Za-z_][\w-]*                               # #channel, @user, $HOME
    | (?<!\w)\#\d+
    | \.(?=[A-Za-z]\w)(?<![\w.)]\.)[A-Za-z]\w*(?:[.-]\w+)*             # .gitignore, .NET
    | \d+(?:[.,:/-]\d+)*(?:[.-]?[A-Za-z]\w*(?:[.-]\w+)*)?              # 2024-05-03, 1,000.5, 3.12rc1
    | \w+(?:(?:[-./_@&+]|::|:(?=\d)|['’](?!(?:s|S|re|ve|ll|d|m|t)(?!\w)))\w+)*(?:\(\)|\+\+|\#(?!\w))?
    | ([.!?*=~_-])\1*                                                  # ..., --
    | \S
    )
    """,
    re.VERBOSE,
)


def tokenize(text: str, span: Span | None = None, names: Sequence[Span] = ()) -> list[Token]:
    """The tokens of the span of a text (all of it by default), in order; white space is no token.

    Each span in `names` becomes one token, whatever it contains. Names that begin outside the span, end outside it, or
    overlap an earlier one are ignored.
    """
    start, end = span or (0, len(text))
    tokens: list[Token] = []
    for name_start, name_end in sorted(names):
        if start <= name_start < name_end <= end:
            tokens += _between_names(text, start, name_start)
            tokens.append(Token(text[name_start:name_end], name_start, name_end, is_name=True))
            start = name_end
    tokens += _between_names(text, start, end)
    return tokens


def _between_names(text: str, start: int, end: int) -> list[Token]:
    # The constructor of a NamedTuple takes as long as finding the token.
    new = cast("Callable[[type[Token], tuple[str, int, int, bool]], Token]", tuple.__new__)  # pyright: ignore[reportUnknownMemberType]
    return [new(Token, (found[0], *found.span(), False)) for found in _TOKEN.finditer(text, start, end)]
