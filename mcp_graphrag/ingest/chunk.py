"""Chunks: spans of a document of a size worth finding, cut where its structure allows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.pieces import Piece, split_block
from mcp_graphrag.model import Block, Chunk, Document


def chunk_document(document: Document, *, target: int = 240, most: int = 400) -> list[Chunk]:
    """The chunks of a document, in order; their texts rejoin to its text.

    A chunk has about `target` estimated tokens. Above `most` a paragraph is cut at sentences; a table, fence or list
    item stays whole up to four times `most`, and a chunk may pass `most` by its heading or a few words that lead in.
    """
    if not 0 < target <= most:
        raise BadInput(
            f"A chunk target of {target} tokens does not fit a maximum of {most}.", "Use 0 < target <= most."
        )
    pieces = list(_pieces(document, target, most))
    runs = _runs(pieces, _top_depth(document.blocks), target, most)
    return [_chunk(document, ordinal, run) for ordinal, run in enumerate(runs)]


def _chunk(document: Document, ordinal: int, run: Sequence[Piece]) -> Chunk:
    first, end = run[0], run[-1].end
    text = document.text[first.start : end]
    return Chunk(ordinal, first.start, end, text, first.headings, context=first.context)


def _pieces(document: Document, target: int, most: int) -> Iterator[Piece]:
    """The document in pieces; headings are part of the first piece below them."""
    titles: list[Piece] = []
    for block in document.blocks or [Block("text", 0, len(document.text))]:
        before = sum(title.tokens for title in titles)
        if block.kind == "heading":
            parts = list(split_block(document, block, target=target, most=most))
            if titles and before + parts[0].tokens > most:
                yield _joined(titles)
                titles = []
            yield from (_opening(part) for part in parts[:-1])
            titles.append(_opening(parts[-1]))
            continue
        room = max(most - before, most // 2, 1)
        parts = split_block(document, block, target=min(target, room), most=room)
        if titles:
            yield _joined([*titles, next(parts)])
            titles = []
        yield from parts
    if titles:
        yield _joined(titles)


def _opening(piece: Piece) -> Piece:
    return replace(piece, opens=True)


def _joined(run: Sequence[Piece]) -> Piece:
    """Headings and what follows as one piece, under the innermost path that they all belong to."""
    path = run[0].headings
    for piece in run:
        if piece.headings[: len(path)] == path:
            path = piece.headings
        else:
            break
    return Piece(run[0].start, run[-1].end, sum(piece.tokens for piece in run), path, run[0].opens, run[0].context)


def _top_depth(blocks: Sequence[Block]) -> int:
    """How many headings of a path name its top section: 1, or 2 where one title stands above the whole document."""
    tops = {block.headings[0] for block in blocks if block.headings}
    return 2 if len(tops) == 1 else 1


def _runs(pieces: Sequence[Piece], depth: int, target: int, most: int) -> Iterator[list[Piece]]:
    """The pieces of each chunk."""
    rest = _rest_of_sections(pieces)
    run: list[Piece] = []
    size = 0
    for piece, remaining in zip(pieces, rest, strict=True):
        other_top = bool(run) and piece.headings[:depth] != run[-1].headings[:depth]
        if run and not _joins(piece, size, remaining, other_top=other_top, target=target, most=most):
            yield run
            run, size = [], 0
        run.append(piece)
        size += piece.tokens
    if run:
        yield run


def _joins(piece: Piece, size: int, remaining: int, *, other_top: bool, target: int, most: int) -> bool:
    """Whether the piece goes into a chunk that has `size` tokens already; `remaining` counts to its section's end."""
    fair = size >= target // (8 if other_top else 4)
    if not piece.opens:
        return not fair or size + piece.tokens <= target or size + remaining <= most
    if fair:
        return not other_top and size + remaining <= target
    return size + piece.tokens <= most


def _rest_of_sections(pieces: Sequence[Piece]) -> list[int]:
    """For each piece the tokens from it to the end of its own section, sections below it not counted."""
    rest = [0] * len(pieces)
    following = 0
    for at in range(len(pieces) - 1, -1, -1):
        following += pieces[at].tokens
        rest[at] = following
        if pieces[at].opens:
            following = 0
    return rest
