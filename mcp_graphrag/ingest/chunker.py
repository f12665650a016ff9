"""Chunks: spans of a document of a size suited to retrieval, cut where its structure allows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.kept_together import leads_on, terms_outside
from mcp_graphrag.ingest.split_blocks import Piece, split_block
from mcp_graphrag.model import Block, Chunk, Document


def chunk_document(document: Document, *, target_tokens: int = 240, max_tokens: int = 400) -> list[Chunk]:
    """The chunks of a document, in order; their texts rejoin to its text.

    A chunk has about `target_tokens` estimated tokens. A paragraph longer than `max_tokens` is cut at sentences; a
    table, code block or list item stays whole up to four times that, and a chunk may exceed it by its heading or a
    few introductory words. A term and its definition are never parted in front of the definition, and stay together up
    to `max_tokens`; so do a caption and its figure, and a question and its answer.
    """
    if not 0 < target_tokens <= max_tokens:
        raise BadInput(
            f"A chunk target of {target_tokens} tokens does not fit a maximum of {max_tokens}.",
            "Use 0 < target <= maximum.",
        )
    pieces = list(_grouped(_pieces(document, target_tokens, max_tokens), max_tokens))
    runs = _runs(pieces, _top_depth(document.blocks), target_tokens, max_tokens)
    return [_chunk(document, ordinal, run) for ordinal, run in enumerate(runs)]


def _chunk(document: Document, ordinal: int, run: Sequence[Piece]) -> Chunk:
    first, end = run[0], run[-1].end
    terms = terms_outside(document.text, first.terms, first.start, end)
    context = "\n".join([*terms, *([first.context] if first.context else [])])
    return Chunk(ordinal, first.start, end, document.text[first.start : end], first.headings, context=context)


def _pieces(document: Document, target: int, limit: int) -> Iterator[Piece]:
    """The document in pieces; headings, terms, captions and questions are part of the first piece below them."""
    lead: Piece | None = None
    blocks = document.blocks or [Block("text", 0, len(document.text))]
    for at, block in enumerate(blocks):
        size = lead.tokens if lead is not None else 0
        is_lead = block.kind == "heading" or leads_on(document.text, blocks, at)
        available = limit if is_lead else max(limit - size, limit // 2, 1)
        first, *others = split_block(document, block, target=min(target, available), limit=available)
        if lead is not None and is_lead and size + first.tokens > limit:
            yield lead
        elif lead is not None:
            first = _join([lead, first])
        *before, lead = (replace(first, starts_section=True), *others) if block.kind == "heading" else (first, *others)
        yield from before
        if not is_lead:
            yield lead
            lead = None
    if lead is not None:
        yield lead


def _grouped(pieces: Iterable[Piece], limit: int, depth: int = 0) -> Iterator[Piece]:
    """The pieces, those of one term joined where they have at most `limit` tokens, the outermost first."""
    for term, run in groupby(pieces, key=lambda piece: piece.terms[depth : depth + 1]):
        parts = list(run)
        if not term:
            yield from parts
        elif sum(part.tokens for part in parts) <= limit:
            yield _join(parts)
        else:
            yield from _grouped(parts, limit, depth + 1)


def _join(run: Sequence[Piece]) -> Piece:
    """Successive pieces as one, under the heading path that they share."""
    first = run[0]
    path = first.headings
    for piece in run:
        if piece.headings[: len(path)] == path:
            path = piece.headings
        else:
            break
    tokens = sum(piece.tokens for piece in run)
    return replace(first, end=run[-1].end, tokens=tokens, headings=path, terms=run[-1].terms)


def _top_depth(blocks: Sequence[Block]) -> int:
    """How many headings of a path identify its top section: 1, or 2 if a single title covers the whole document."""
    top_titles = {block.headings[0] for block in blocks if block.headings}
    return 2 if len(top_titles) == 1 else 1


def _runs(pieces: Sequence[Piece], top_depth: int, target: int, limit: int) -> Iterator[list[Piece]]:
    """The pieces of each chunk."""
    remaining_tokens = _remaining_in_section(pieces)
    run: list[Piece] = []
    size = 0
    for piece, remaining in zip(pieces, remaining_tokens, strict=True):
        new_top = bool(run) and piece.headings[:top_depth] != run[-1].headings[:top_depth]
        if run and not _fits(piece, size, remaining, new_top=new_top, target=target, limit=limit):
            yield run
            run, size = [], 0
        run.append(piece)
        size += piece.tokens
    if run:
        yield run


def _fits(piece: Piece, size: int, remaining: int, *, new_top: bool, target: int, limit: int) -> bool:
    """Whether the piece goes into a chunk of `size` tokens; `remaining` counts from it to the end of its section."""
    if piece.starts_chunk:
        return False
    is_large_enough = size >= target // (8 if new_top else 4)
    if not piece.starts_section:
        return not is_large_enough or size + piece.tokens <= target or size + remaining <= limit
    if is_large_enough:
        return not new_top and size + remaining <= target
    return size + piece.tokens <= limit


def _remaining_in_section(pieces: Sequence[Piece]) -> list[int]:
    """For each piece the tokens from it to the end of its own section, without its subsections."""
    remaining = [0] * len(pieces)
    total = 0
    for index in range(len(pieces) - 1, -1, -1):
        total += pieces[index].tokens
        remaining[index] = total
        if pieces[index].starts_section:
            total = 0
    return remaining
