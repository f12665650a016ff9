"""Names that a document says to be another name of a thing: "the User Database, also known as UserDB"."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from mcp_graphrag.index.norms import normal_form

Named = tuple[str, str | None]


@dataclass(frozen=True)
class SaidAlias:
    """A name that a document gives to something that it names otherwise."""

    head: Named
    alias: str


def taught(said: Iterable[SaidAlias], heads: Mapping[Named, Named]) -> dict[str, tuple[str, Named]]:
    """What one document teaches: for each alias's normal form the alias and what it stands for.

    `heads` are names of the document that stand for others. An alias of several things, or of what is an alias itself,
    teaches nothing.
    """
    told: dict[str, dict[str, tuple[str, Named]]] = {}
    for each in said:
        head = heads.get(each.head, each.head)
        told.setdefault(normal_form(each.alias), {}).setdefault(normal_form(head[0]), (each.alias, head))
    one = {norm: next(iter(meant.items())) for norm, meant in told.items() if len(meant) == 1}
    return {norm: meant for norm, (of, meant) in one.items() if of != norm and of not in one}


def taught_forms(heads: Iterable[Mapping[Named, tuple[Named, str]]]) -> list[str]:
    """The normal forms of the aliases that documents teach; `heads` have what each name stands for, and why."""
    said = (named for each in heads for named, (_, origin) in each.items() if origin == "said")
    return list(dict.fromkeys(normal_form(name) for name, _ in said))


def follow_earlier(heads: Sequence[dict[Named, tuple[Named, str]]], forms: Set[str]) -> None:
    """Let an alias of one of the forms hold in the later documents of a batch, as if each was read by itself.

    Where an earlier document has a thing of that very name, the name goes on to mean it.
    """
    own: set[str] = set()
    meant: dict[str, dict[str, Named]] = {}
    for each in heads:
        for named, (head, _) in list(each.items()):
            norm = normal_form(named[0])
            if norm not in forms or head != named:
                continue
            known = meant.get(norm, {})
            if len(known) == 1 and norm not in own:
                each[named] = (next(iter(known.values())), "")
            else:
                own.add(norm)
        for named, (head, origin) in each.items():
            if origin == "said":
                meant.setdefault(normal_form(named[0]), {}).setdefault(normal_form(head[0]), head)
