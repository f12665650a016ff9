"""Aliases that a document declares: "the User Database, also known as UserDB"."""

from collections.abc import Iterable, Mapping, Sequence, Set

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import AliasFound
from mcp_graphrag.resolve.name_rules import DEFINED, Named, is_other_code

DECLARED_IN_TEXT = "said"  # the origin of such an alias in the file


def resolve_aliases(aliases: Iterable[AliasFound], heads: Mapping[Named, Named]) -> dict[str, tuple[str, Named]]:
    """Of the aliases of one document: for each normal form the alias and the name that it stands for.

    `heads` are names of the document that stand for others. An alias of several names, or of another alias, stands for
    none.
    """
    meanings = _meanings(aliases, heads)
    single = {norm: next(iter(meant.items())) for norm, meant in meanings.items() if len(meant) == 1}
    return {norm: meant for norm, (of, meant) in single.items() if of != norm and of not in single}


def ambiguous_aliases(aliases: Iterable[AliasFound], heads: Mapping[Named, Named]) -> list[tuple[str, Named]]:
    """The aliases of one document that are of several names, with each of these names, as `resolve_aliases` has them.

    They stand for none of them, but another document's only name with that alias is not the only one.
    """
    meanings = _meanings(aliases, heads)
    return [
        meant
        for norm, several in meanings.items()
        if len(several) > 1
        for of, meant in several.items()
        if of != norm and len(meanings.get(of, ())) != 1
    ]


def _meanings(aliases: Iterable[AliasFound], heads: Mapping[Named, Named]) -> dict[str, dict[str, tuple[str, Named]]]:
    """By the normal form of each alias, and by that of each name that has it, the alias and the name."""
    meanings: dict[str, dict[str, tuple[str, Named]]] = {}
    for declared in aliases:
        named = declared.name, declared.type
        head = heads.get(named, named)
        form = head[0] if head[1] in DEFINED else normal_form(head[0])
        meanings.setdefault(normal_form(declared.alias), {}).setdefault(form, (declared.alias, head))
    return meanings


def alias_norms(heads: Iterable[Mapping[Named, tuple[Named, str]]]) -> list[str]:
    """The normal forms of the aliases that documents declare; `heads` have the name that each stands for, and why."""
    aliases = (named for names in heads for named, (_, origin) in names.items() if origin == DECLARED_IN_TEXT)
    return list(dict.fromkeys(normal_form(name) for name, _ in aliases))


def apply_to_later_documents(heads: Sequence[dict[Named, tuple[Named, str]]], norms: Set[str]) -> None:
    """Let aliases with these normal forms hold in the later documents of a batch, as if they were read one by one.

    After a document in which such a name is the name of an entity, it stays the name of that entity.
    """
    own: set[str] = set()
    meanings: dict[str, dict[str, Named]] = {}
    for names in heads:
        for named, (head, _) in list(names.items()):
            norm = normal_form(named[0])
            if norm not in norms or head != named:
                continue
            known = list(meanings.get(norm, {}).values())
            if len(known) == 1 and norm not in own and not is_other_code(named, known[0]):
                names[named] = (known[0], "")
            else:
                own.add(norm)
        for named, (head, origin) in names.items():
            if origin == DECLARED_IN_TEXT:
                meanings.setdefault(normal_form(named[0]), {}).setdefault(normal_form(head[0]), head)
