"""Names that more words than those of a mention make: "the libvirt API", "Python 3.9 or later"."""

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import is_demonym, is_software
from mcp_graphrag.extract.relations.exclusions import is_negated_noun
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER

# In "the Envoy service" the name and the noun are of one thing, in "the Envoy proposal" of two.
_SAME_THING = frozenset(
    {"Service", "Database", "Framework", "Library", "Module", "Component", "Organization", "Team", "Location"}
)
_MACHINES = frozenset({"cluster", "host", "node", "server"})
# What a thing is beside its name: "the Ledger project" and "the `foo-utils` package" are Ledger and foo-utils.
_PRODUCTS = frozenset(
    {"project", "package", "utility", "daemon", "program", "command", "tool", "toolkit", "plugin", "plug-in", "crate"}
)
# Behind "the" and a name: "the Kessel group" is Kessel.
THINGS = frozenset(
    {"organisation", "organization", "group", "foundation", "platform", "mechanism", "algorithm", "standard"}
    | {"specification", "language", "consortium", "initiative", "programme", "charity", "brand"}
)
# Behind an identifier: "the `RoomID` property".
CODE_THINGS = frozenset(
    {"property", "option", "setting", "parameter", "variable", "command", "function", "method", "class", "interface"}
    | {"attribute", "field", "directive", "flag", "switch", "argument", "script", "file", "table", "queue", "topic"}
    | {"macro", "keyword", "key", "element", "event", "signal", "hook", "type", "struct", "trait", "enum", "constant"}
)
_IDENTIFIERS = frozenset({"code", "camel", "snake", "dotted", "call", "hyphenated", "hyphenated name", "path"})
REGIONS = frozenset(
    {"state", "city", "town", "village", "canton", "province", "district", "county", "municipality", "prefecture"}
    | {"borough", "governorate", "commune"}
)
# Behind a name: "the libvirt API" is not libvirt, but one looks it up by that name.
_INTERFACES = frozenset(
    """
    api apis interface interfaces protocol protocols format formats file files binding bindings driver drivers server
    servers client clients functionality database databases library libraries framework engine kernel shell messages
    headers header sessions syntax standard specification schema language bus socket sockets certificates plugin plugins
    package packages module modules objects extension extensions authentication encryption compression support
    """.split()  # noqa: SIM905
)
_SYSTEMS = frozenset(
    """
    database service cluster gateway queue pipeline portal warehouse dashboard website app api scheduler worker team
    """.split()  # noqa: SIM905
)
_OF_SYSTEMS = frozenset({"own", "run", "move", "migrate", "maintain", "operate", "host", "use", "call", "depend"})
_WHICH_KIND = WORDS.kind_prefixes | frozenset(
    """
    standby backup source target test staging production background root host parent child master slave window system
    operating running existing following underlying remaining corresponding relational database service cluster
    development sample example container
    """.split()  # noqa: SIM905
)
_FUNCTIONS = frozenset({"authentication", "encryption", "compression", "functionality"})
_PARTS_OF_SOFTWARE = frozenset({"bindings", "kernel", "api", "sdk"})
# Behind a version: it is not this one alone.
_AND_OTHERS = frozenset(
    f"{joined} {which}"
    for joined in ("or", "and")
    for which in ("later", "higher", "newer", "above", "greater", "up", "earlier", "older", "lower", "below")
)


def with_others(tree: SentenceTree, token: int, mention: DraftMention) -> DraftMention:
    """The name of a version together with the words that say that it is not this one alone: "Python 3.9 or later"."""
    behind = " ".join(tree.words[token + 1 : token + 3])
    if behind not in _AND_OTHERS or tree.mentions.get(token) is None or not mention.name[-1].isdigit():
        return mention
    return mention._replace(name=f"{mention.name} {behind}", end=tree.token(token + 2).end)


def named_kind(tree: SentenceTree, noun: int) -> DraftMention | None:
    """What a name and nouns behind it name together: "the libvirt API", "SSH functionality", "HTTP request headers"."""
    if tree.words[noun] not in _INTERFACES or noun in tree.mentions or is_negated_noun(tree, noun):
        return None
    is_limited = bool(tree.children(noun, "prep", "relcl", "acl"))
    if is_limited or not {"the"}.issuperset(tree.child_words(noun, "det", "poss", "nummod")):
        return None
    first = noun - 1
    while first > 0 and first not in tree.mentions and tree.parse.fine_tags[first] in {"NN", "NNS", "JJ"}:
        first -= 1
    name = tree.mentions.get(first)
    if name is None or name.kind not in {"name", "code"} or name.type in {"Person", "Location", "Date", "Role"}:
        return None
    if (
        tree.heads[first] not in range(first + 1, noun + 1)
        or is_demonym(name.name)
        or tree.words[first - 1] in {"and", "/", ","}
    ):
        return None
    words = [name.name, *(tree.token(at).text for at in range(first + 1, noun + 1))]
    return DraftMention(name.start, tree.token(noun).end, " ".join(words), None, "kind", 0.5)


def system_of_words(tree: SentenceTree, noun: int) -> DraftMention | None:
    """A system named by two ordinary words, where a verb says who owns it or what it uses: "the billing database"."""
    verb, before = tree.heads[noun], noun - 1
    if tree.words[noun] not in _SYSTEMS or tree.labels[noun] not in {"nsubj", "nsubjpass"} or before < 1:
        return None
    is_said = tree.lemma(verb) in _OF_SYSTEMS and tree.child_words(noun, "det") in (["the"], ["our"])
    word = tree.words[before]
    is_which = tree.words[before - 1] in {"the", "our"} and tree.heads[before] == noun and word.isalpha()
    is_noun = tree.parse.fine_tags[before] == "NN" or word.endswith("ing")
    if not (is_said and is_which and is_noun) or word in _WHICH_KIND or tree.children(noun, "prep", "relcl", "acl"):
        return None
    name = f"{word} {tree.words[noun]}"
    return DraftMention(
        tree.token(before).start, tree.token(noun).end, name, WORDS.last_word.get(tree.words[noun]), "kind", 0.5
    )


def person_behind_description(tree: SentenceTree, noun: int) -> DraftMention | None:
    """The person of "by American country music singer Ann Lee", where the tree has "music" behind the preposition."""
    title, name = noun + 1, tree.mentions.get(noun + 2)
    if name is None or name.type != "Person" or name.kind != "name" or tree.labels[noun] != "pobj":
        return None
    return name if WORDS.is_of_person(tree.words[title]) and title not in tree.mentions else None


def part_of_software(tree: SentenceTree, noun: int) -> DraftMention | None:
    """The bindings of software, or a function, as the subject: "the C# bindings are", "HTTP authentication is"."""
    determiners, word = tree.child_words(noun, "det"), tree.words[noun]
    is_subject = tree.labels[noun] in {"nsubj", "nsubjpass"}
    is_known = (word in _PARTS_OF_SOFTWARE and determiners == ["the"]) or (word in _FUNCTIONS and not determiners)
    return named_kind(tree, noun) if is_subject and is_known else None


def is_seat(tree: SentenceTree, token: int) -> bool:
    """Whether a name says where the one behind it is based: "Dedham, Mass.,-based Moss Inc"."""
    words = tree.words[token + 1 : token + 7]
    at = words.index("based") if "based" in words else 0
    return at > 0 and words[at - 1] == "-" and words[0] in {",", "-"}


def is_kind_of(noun: str, mention: DraftMention) -> bool:
    """Whether the noun behind a name says what the name is: "the Envoy service", but not "the Auth Service team"."""
    kind = WORDS.last_word.get(noun)
    is_thing = mention.type is None and noun in (CODE_THINGS if mention.kind in _IDENTIFIERS else THINGS)
    if is_thing or _is_product(noun, mention):
        return True
    if mention.type is None and mention.name.isupper() and kind not in {"Organization", "Team"}:
        return False  # "the AIS gateway" need not be AIS
    if mention.type is None and " " in mention.name and mention.name.rpartition(" ")[2].isupper():
        return False  # "the Postfix SMTP server" is not the protocol
    if mention.name in GAZETTEER.places and noun not in REGIONS:
        return False  # "Gaza airport"
    if mention.type is None and noun in _MACHINES:
        return True
    fits = mention.type in {None, kind} or (is_software(mention) and kind not in {"Organization", "Team"})
    return kind in _SAME_THING and fits


def _is_product(noun: str, mention: DraftMention) -> bool:
    """Whether a name in front of a noun for a product is that of the product: not "the Python package"."""
    if mention.kind == "page":
        return noun in _PRODUCTS | {"table", "file", "server", "client", "agent", "page", "manual"}
    if noun in {"project", "protocol"}:
        is_person = mention.type in {"Person", "Location", "Team", "Role"}
        return not is_person and " " not in mention.name
    return (
        noun in _PRODUCTS and mention.type in {None, "Module", "Library", "Service"} and not mention.name[0].isupper()
    )
