"""Aliases that documents declare: what they stand for in their document, and in the later ones of a batch."""

from mcp_graphrag.model import AliasFound
from mcp_graphrag.resolve.declared_aliases import (
    alias_norms,
    ambiguous_aliases,
    apply_to_later_documents,
    resolve_aliases,
)
from mcp_graphrag.resolve.name_rules import Named

USERS, LOGINS = ("User Database", "Database"), ("Login Database", "Database")
Heads = dict[Named, tuple[Named, str]]


def declared(*pairs: tuple[str, str]) -> list[AliasFound]:
    """The aliases of (name, alias)."""
    return [AliasFound(name, alias, "", 0, 0, "Database") for name, alias in pairs]


def after_a_batch(*documents: Heads, norms: frozenset[str] = frozenset({"userdb"})) -> list[dict[str, str]]:
    """The name for which each name of each document stands, once the aliases were applied to all of them."""
    apply_to_later_documents(documents, norms)
    return [{name: head for (name, _), ((head, _), _) in names.items()} for names in documents]


def says(name: Named = USERS) -> Heads:
    """A document that declares UserDB to be an alias of a name."""
    return {name: (name, ""), ("UserDB", None): (name, "said")}


def uses() -> Heads:
    """A document with the name UserDB."""
    return {("UserDB", None): (("UserDB", None), "")}


def test_an_alias_stands_for_the_name_that_its_name_stands_for() -> None:
    short: Named = ("UD", "Database")
    meanings = resolve_aliases(declared(("UD", "UserDB"), ("user database", "UserDB")), {short: USERS})
    assert meanings == {"userdb": ("UserDB", USERS)}


def test_an_alias_of_several_names_or_of_an_alias_or_of_itself_stands_for_none() -> None:
    several = declared((USERS[0], "DB"), (LOGINS[0], "DB"))
    chain = declared((USERS[0], "UserDB"), ("UserDB", "UDB"))
    itself = declared(("UserDB", "userdb"))
    assert resolve_aliases(several, {}) == resolve_aliases(itself, {}) == {}
    assert ambiguous_aliases(several, {}) == [("DB", USERS), ("DB", LOGINS)]
    assert ambiguous_aliases(chain, {}) == ambiguous_aliases(itself, {}) == []
    assert resolve_aliases(chain, {}) == {"userdb": ("UserDB", USERS)}


def test_only_aliases_that_a_text_declares_are_looked_up_each_form_once() -> None:
    acronym: Heads = {("UD", None): (USERS, "acronym"), ("USERDB", None): (USERS, "said")}
    assert alias_norms([says(), uses(), acronym]) == ["userdb"]


def test_an_alias_holds_in_later_documents_until_two_names_have_it() -> None:
    found = after_a_batch(uses(), says(), uses())
    assert [names["UserDB"] for names in found] == ["UserDB", "User Database", "UserDB"], "it was a name before"
    found = after_a_batch(says(), uses(), says(LOGINS), uses())
    assert [names["UserDB"] for names in found] == ["User Database", "User Database", "Login Database", "UserDB"]
    assert [names["UserDB"] for names in after_a_batch(says(), says(), uses())] == ["User Database"] * 3


def test_other_names_and_names_that_stand_for_others_stay_in_later_documents() -> None:
    acronym: Heads = {("UserDB", None): (LOGINS, "acronym")}
    assert [names["UserDB"] for names in after_a_batch(says(), acronym, uses())] == [
        "User Database",
        "Login Database",
        "User Database",
    ]
    assert after_a_batch(says(), uses(), norms=frozenset({"other"}))[1] == {"UserDB": "UserDB"}


def test_an_alias_that_an_earlier_document_declares_is_not_stored_again() -> None:
    later = uses()
    apply_to_later_documents([says(), later], {"userdb"})
    assert later == {("UserDB", None): (USERS, "")}
