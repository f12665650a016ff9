"""Tokens of an English sentence, cut as the Penn Treebank does; identifiers, URLs, dates and known names stay whole."""

import re
from collections.abc import Callable, Sequence
from typing import cast

from mcp_graphrag.english.parser.sentence_parse import Token
from mcp_graphrag.english.spans import Span

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
