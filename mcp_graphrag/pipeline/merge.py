"""Entities merged, split and kept apart, by name, each in one change."""

from dataclasses import dataclass

from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.pipeline.triples import CONTROL
from mcp_graphrag.resolve.conflicts import settle_conflicts
from mcp_graphrag.resolve.merge import split_entity
from mcp_graphrag.retrieve.entities import TYPED, UNTYPED
from mcp_graphrag.retrieve.homonyms import entities_named, shown, sole_entity, sole_of
from mcp_graphrag.store import Reader
from mcp_graphrag.store.entities import EntityHead, entity_heads, type_key
from mcp_graphrag.store.merges import (
    Merge,
    add_distinct,
    distinct_reason,
    merge_rows,
    merges_in_force,
    merges_of_name,
    retire_distinct,
)

LONGEST_REASON = 1_000
MOST_NAMED = 5


@dataclass(frozen=True)
class Merged:
    """What became of a merge: how many triples the kept entity has taken over.

    `between` stood between the two and are no longer in force.
    """

    kept: EntityHead
    merged: EntityHead
    triples: int
    between: int


@dataclass(frozen=True)
class SplitOff:
    """What became of a split: the entity that is back, with how many triples, and the one that it was taken from."""

    entity: EntityHead
    kept: EntityHead
    triples: int


def merge(
    pipeline: Pipeline, keep: str, merge: str, origin: Origin, *, reason: str = "", score: float | None = None
) -> Merged:
    """Make two entities one: `keep` keeps its name and type and takes over everything said of `merge`, and its names.

    Raises UnknownName, and BadInput for a name that several bear, for one entity twice, and for two that are known to
    be two things unless a reason is given; then nothing is changed.
    """
    _check_reason(reason)
    with pipeline.writing(origin) as tx:
        kept, merged = _two(pipeline, tx, keep, merge)
        if kept.id == merged.id:
            raise BadInput(f"'{keep}' and '{merge}' are one entity already, {shown(kept)}.", "Name two entities.")
        apart = distinct_reason(tx, kept.id, merged.id)
        if apart is not None and not reason.strip():
            why = f": {apart}" if apart else ""
            raise BadInput(
                f"{shown(kept)} and {shown(merged)} are known to be two things{why}.",
                "To merge them all the same, give a reason.",
            )
        if apart is not None:
            retire_distinct(tx, kept.id, merged.id)
        moved = merge_rows(tx, kept.id, merged.id, name=merged.name, reason=reason.strip(), score=score)
        settle_conflicts(tx, pipeline.ontology(tx))
        after = entity_heads(tx, [kept.id])[kept.id]
    return Merged(after, merged, moved.triples, moved.between)


def split(pipeline: Pipeline, name: str, origin: Origin) -> SplitOff:
    """Take the merge of an entity back, by a name that it bore; what was said since under that name goes with it.

    Raises BadInput for a name that was never merged, and for one whose entity was merged further since.
    """
    with pipeline.writing(origin) as tx:
        found = _merge_of(pipeline, tx, name)
        if found.kept_is_gone:
            raise BadInput(
                f"'{found.kept}', into which '{found.merged}' was merged, is no longer in force itself.",
                f"Split '{found.kept}' first, or undo what removed it.",
            )
        triples = split_entity(tx, found)
        settle_conflicts(tx, pipeline.ontology(tx))
        heads = entity_heads(tx, [found.merged_id, found.kept_id])
    return SplitOff(heads[found.merged_id], heads[found.kept_id], triples)


def keep_apart(
    pipeline: Pipeline, a: str, b: str, origin: Origin, *, reason: str = ""
) -> tuple[EntityHead, EntityHead]:
    """Remember that two entities are two things, so that their merge is not suggested any more; answers the two.

    Raises UnknownName, and BadInput for a name that several bear or for one entity twice.
    """
    _check_reason(reason)
    with pipeline.writing(origin) as tx:
        one, other = (sole_entity(pipeline.store, tx, name) for name in (a, b))
        if one.id == other.id:
            raise BadInput(f"'{a}' and '{b}' are one entity, {shown(one)}.", "If they were merged, split them.")
        if distinct_reason(tx, one.id, other.id) is None:
            add_distinct(tx, one.id, other.id, reason.strip())
    return one, other


def _two(pipeline: Pipeline, tx: Reader, keep: str, merge: str) -> tuple[EntityHead, EntityHead]:
    """The two entities of two names; of one name that exactly two of one type bear, these, the older first."""
    found = entities_named(pipeline.store, tx, keep)
    same = found == entities_named(pipeline.store, tx, merge) and len({type_key(each.type) for each in found}) == 1
    if same and len(found) == 2:
        one, other = sorted(found, key=lambda each: each.id)
        return one, other
    return sole_entity(pipeline.store, tx, keep), sole_entity(pipeline.store, tx, merge)


def _merge_of(pipeline: Pipeline, tx: Reader, name: str) -> Merge:
    """The newest merge in force of an entity that bore the name."""
    known = merges_in_force(tx)
    bore = merges_of_name(tx, normal_form(name))
    named = [each for each in known if each.id in bore]
    typed = TYPED.fullmatch(name)
    if not named and typed:
        wanted, bore = type_key(typed["type"]), merges_of_name(tx, normal_form(typed["name"]))
        named = [each for each in known if each.id in bore and type_key(each.merged_type or UNTYPED) == wanted]
    if not named:
        return _never_merged(pipeline, tx, name, known)
    exact = [each for each in named if normal_form(each.merged) == normal_form(name)] or named
    heads = {each.merged_id: EntityHead(each.merged_id, each.merged, each.merged_type) for each in exact}
    wanted_id = sole_of(list(heads.values()), name).id
    return next(each for each in exact if each.merged_id == wanted_id)


def _never_merged(pipeline: Pipeline, tx: Reader, name: str, known: list[Merge]) -> Merge:
    """Raise BadInput with what could be split instead."""
    bearers = entities_named(pipeline.store, tx, name)
    into = [each for each in known if each.kept_id in {bearer.id for bearer in bearers}]
    could = ", ".join(f"'{each.merged}'" for each in (into or known)[:MOST_NAMED])
    what = f"'{name}' has taken in" if into else "There are merges of"
    raise BadInput(
        f"'{name}' was never merged into another entity.",
        f"{what} {could}: split one of these." if could else "No merge is in force; there is nothing to split.",
    )


def _check_reason(reason: str) -> None:
    if len(reason) > LONGEST_REASON or CONTROL.search(reason):
        raise BadInput(
            f"The reason is longer than {LONGEST_REASON} characters or has control characters.",
            "Say it in a sentence or two.",
        )
