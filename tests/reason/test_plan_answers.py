"""Questions over small graphs, with traps in which only a neighbouring relation or name is stored."""

from collections.abc import Callable
from datetime import datetime

import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.reason.plan_question import Plan, PlanQuery

PROPERTIES = (
    "father mother spouse child sibling director performer capital founder employer population nationality country"
)
LONGER = ("country of origin", "place of birth", "date of birth", "date of death", "publication date", "award received")
FAMILY = """
Bert | mother | Anna
Anna | father | Otto
Anna | spouse | Georg
Carl | father | Dirk
Dirk | father | Emil
Dirk | mother | Frida
Carl | mother | Ilse
Ilse | father | Kurt
Carl | date of birth | 12 May 1999
Bert | date of birth | 1999
Otto | date of birth | 3 March 1931
Emil | date of birth | April 1920
Emil | place of birth | Kiel
Emil | child | Hanna
Hanna | spouse | Ivo
Mia | sibling | Noah
Noah | spouse | Olga
Mia | nationality | Danish
Noah | nationality | Danish
Olga | nationality | Swedish
Ivo | nationality | Denmark
Paul Klee | father | Hans Klee
"""
FILMS = """
Blue Harbour | director | Lena Ross
Red Harbour | director | Milo Krantz
Blue Harbour | publication date | 4 June 1988
Red Harbour | publication date | 1991
Grey Harbour | publication date | 1988
Lena Ross | date of birth | 12 March 1950
Milo Krantz | date of birth | 1 January 1949
Lena Ross | award received | Golden Reel
Lena Ross | nationality | Norwegian
Milo Krantz | nationality | Swedish
Milo Krantz | date of death | 2001
Lena Ross | date of death | 5 May 2010
Blue Harbour | country of origin | Norway
Red Harbour | country of origin | Norway
Song of Salt | performer | Ida Blom
Ida Blom | spouse | Jan Blom
Jan Blom | place of birth | Turku
Noose | director | Ola Dahl
Ola Dahl | place of birth | Lund
Trap (1950 film) | director | Per Lie
Trap (1960 film) | director | Siv Moe
Mask | director | Tor Vik
Mask (1970 film) | director | Una Eng
Paris | country | France
"""
TOWNS = """
France | capital | Lyonville
Lyonville | population | 1,200,000
Nord | population | 300,000
Osten | population | 1.2 million
Kestrel Inc | founder | Rhea Stone
Rhea Stone | employer | Heron Ltd
Kestrel Inc | founded on | 1999
Heron Ltd | founded on | May 1954
Lyonville | located_in | France
Nord | located_in | France
"""
SERVICES = """
Auth Service | depends_on | User Database
Billing Service | depends_on | User Database
Gateway | depends_on | Auth Service
User Database | owned_by | Sea Team
Auth Service | owned_by | Hill Team
Billing Service | owned_by | Sea Team
Sea Team | owns | Cache
"""
TYPES = {
    "CEO of Buzzfeed": "Role",
    **dict.fromkeys(("Auth Service", "Billing Service", "Gateway"), "Service"),
    **dict.fromkeys(("User Database", "Cache"), "Database"),
    **dict.fromkeys(("Sea Team", "Hill Team"), "Team"),
}
ROLES = """
Karen Holt | has_role | release manager
Karen Holt | has_role_release_manager | Orion Project
Jon Pell | has_role | CEO of Buzzfeed
Sea Team | owns | Ada Byron
"""


def filled(triples: str) -> Callable[[Graph], None]:
    """What stores triples, one a line, with an ontology that has the predicates as properties of the subject."""

    def fill(graph: Graph) -> None:
        graph.add_ontology("properties", {"predicates": {name: {} for name in (*PROPERTIES.split(), *LONGER)}})
        rows = [line.split(" | ") for line in triples.strip().splitlines()]
        graph.add_triples([Candidate(a, b, c, TYPES.get(a), TYPES.get(c)) for a, b, c in rows])

    return fill


family, films, towns, services, roles = map(filled, (FAMILY, FILMS, TOWNS, SERVICES, ROLES))


@pytest.mark.parametrize(
    ("setup", "question", "answer"),
    [
        (family, "Who is the mother of Bert?", "Anna"),
        (family, "Who is Bert's mother's father?", "Otto"),
        (family, "Who is the maternal grandfather of Bert?", "Otto"),
        (family, "Who is Carl's paternal grandfather?", "Emil"),
        (family, "Who is the grandmother of Carl?", "Frida"),
        (family, "Who is Emil's child-in-law?", "Ivo"),
        (family, "Who is Mia's sibling-in-law?", "Olga"),
        (family, "Who are the children of Anna?", "Bert"),
        (family, "Who is Georg's wife?", "Anna"),
        (family, "Where was Carl's paternal grandfather born?", "Kiel"),
        (family, "When was Otto born?", "3 March 1931"),
        (family, "Who is older, Otto or Emil?", "Emil"),
        (family, "Who was born first, Otto or Carl?", "Otto"),
        (family, "Is Otto older than Carl?", "yes"),
        (family, "Was Carl born before Otto?", "no"),
        (family, "Was Otto born before 1950?", "yes"),
        (family, "Was Otto born before 1931?", "no"),
        (family, "Was Otto born after 3 March 1931?", "no"),
        (films, "Was Blue Harbour released after May 1988?", "yes"),
        (films, "Was the director of Blue Harbour born before 1950?", "no"),
        (family, "Is Anna the mother of Bert?", "yes"),
        (family, "Is Bert's mother Anna?", "yes"),
        (family, "Do Mia and Noah share the same nationality?", "yes"),
        (family, "Do Noah and Olga have the same nationality?", "no"),
        (films, "Who is the director of film Blue Harbour?", "Lena Ross"),
        (films, "When was the director of Blue Harbour born?", "12 March 1950"),
        (films, "Which film was released earlier, Blue Harbour or Red Harbour?", "Blue Harbour"),
        (films, "Which film came out later, Blue Harbour or Red Harbour?", "Red Harbour"),
        (films, "Which film has the director who was born first, Blue Harbour or Red Harbour?", "Red Harbour"),
        (films, "Which film has the director who died later, Blue Harbour or Red Harbour?", "Blue Harbour"),
        (films, "Which film has the director who is younger, Red Harbour or Blue Harbour?", "Blue Harbour"),
        (films, "Who was born later, the director of Blue Harbour or the director of Red Harbour?", "Lena Ross"),
        (films, "Are the directors of Blue Harbour and Red Harbour from the same country?", "no"),
        (films, "Do the films Blue Harbour and Red Harbour originate from the same country?", "yes"),
        (films, "What is the award that the director of Blue Harbour earned?", "Golden Reel"),
        (films, "What nationality is the director of Blue Harbour?", "Norwegian"),
        (films, "Where was the husband of the performer of song Song of Salt born?", "Turku"),
        (films, "Who is the director of Trap (1950 film)?", "Per Lie"),
        (films, "When was Blue Harbour released?", "4 June 1988"),
        (towns, "What is the population of France's capital?", "1,200,000"),
        (towns, "Which city has the larger population, Lyonville or Nord?", "Lyonville"),
        (towns, "Who is the employer of the founder of Kestrel Inc?", "Heron Ltd"),
        (towns, "Where is Nord located?", "France"),
        (towns, "Which company is older, Kestrel Inc or Heron Ltd?", "Heron Ltd"),
        (services, "Which team owns the Auth Service?", "Hill Team"),
        (services, "Which services depend on the User Database?", "Auth Service, Billing Service"),
        (services, "Which teams own services that depend on the User Database?", "Hill Team, Sea Team"),
        (services, "Which team owns the database that the Auth Service depends on?", "Sea Team"),
        (services, "By which team is the Auth Service owned?", "Hill Team"),
        (services, "By whom is the Auth Service owned?", "Hill Team"),
        (services, "On which database does the Auth Service depend?", "User Database"),
        (services, "What does the Sea Team own?", "Billing Service, Cache, User Database"),
        (services, "Does the Gateway depend on the User Database?", "yes"),
        (services, "Is the Auth Service owned by the Sea Team?", "no"),
        (services, "Do both the Auth Service and the Billing Service depend on the User Database?", "yes"),
        (services, "Are both the Auth Service and the Billing Service owned by the Sea Team?", "no"),
        (services, "Are the Billing Service and the User Database owned by the same team?", "yes"),
        (services, "Do the Auth Service and the Billing Service depend on the same database?", "yes"),
        (films, "What is the award that Lena Ross received?", "Golden Reel"),
        (films, 'Who is the director of the film "Blue Harbour"?', "Lena Ross"),
        (services, "What is the database that the Auth Service depends on?", "User Database"),
        (roles, "Who is the release manager of the Orion Project?", "Karen Holt"),
        (roles, "Who's the release manager?", "Karen Holt"),
        (roles, "Who was the CEO of Buzzfeed?", "Jon Pell"),
        (roles, "Who is Ada Byron?", ""),
    ],
)
def test_what_is_stored_is_answered(
    after: Callable[[Callable[[Graph], None]], Graph], setup: Callable[[Graph], None], question: str, answer: str
) -> None:
    assert ", ".join(sorted(after(setup).plan_question(question).answer)) == answer


@pytest.mark.parametrize(
    ("setup", "question", "missing"),
    [
        (family, "Who is Bert's father?", "No stored triple gives the father of Bert. Stored about it: "),
        (
            family,
            "Who is the paternal grandfather of Bert?",
            "No stored triple gives the paternal grandfather of",
        ),
        (family, "Who is the godfather of Bert?", "Not read: godfather. No stored predicate or type has these words."),
        (family, "Who is the stepmother of Carl?", "Stored about Carl: mother, father, date_of_birth."),
        (family, "Who is Emil's daughter?", "Not read: daughter."),
        (family, "Who is Emil's son-in-law?", "Not read: son-in-law."),
        (family, "Who is Mia's brother?", "Stored about Mia: sibling, nationality."),
        (family, "Where was Otto born?", "No stored triple says 'born' of Otto."),
        (family, "When did Otto die?", "No stored triple says 'died' of Otto."),
        (family, "Who is older, Bert or Carl?", "The stored values do not decide"),
        (
            family,
            "Do Mia and Ivo share the same nationality?",
            "Nothing stored says whether these values are the same.",
        ),
        (
            services,
            "Are the Billing Service and the Auth Service owned by the same team?",
            "Nothing stored says whether these values are the same.",
        ),
        (family, "Is Anna the father of Bert?", "No stored triple decides: Bert -[father]-> Anna."),
        (family, "Who is the father of Paul?", "No entity named 'Paul'. Nearest: Paul Klee."),
        (family, "Who is the father of Paul Klee Junior?", "No entity named 'Paul Klee Junior'."),
        (family, "How many children does Emil have?", "Not read: many."),
        (family, "Who is not the father of Carl?", "Its words were read, but not how"),
        (family, "Who did Bert murder?", "Not read: murder."),
        (films, "Which film was released first, Grey Harbour or Blue Harbour?", "The stored values do not decide"),
        (
            films,
            "Which film was not released earlier, Blue Harbour or Red Harbour?",
            "Its words were read, but not how",
        ),
        (
            films,
            "Which film has the composer who is older, Blue Harbour or Red Harbour?",
            "Not read: composer.",
        ),
        (films, "Where was the director of Blue Harbour born?", "No stored triple says 'born' of Lena Ross."),
        (films, "Who is the composer of song Song of Salt?", "Stored about Song of Salt: performer."),
        (films, "Who is the director of Trap?", "No entity named 'Trap'. Nearest: Trap (1950 film), Trap (1960 film)."),
        (
            films,
            "Who is the director of Mask (1980 film)?",
            "'Mask (1980 film)' is not stored, but Mask (1970 film) is.",
        ),
        (films, "Who is the director of Blue Harbor Nights?", "No entity named 'Blue Harbor Nights'."),
        (films, "What country is Paris Hilton from?", "No entity named 'Paris Hilton'. Nearest: Paris."),
        (towns, "Which has more population, Osten or Lyonville?", ""),
        (
            services,
            "Do both the Auth Service and the Cache depend on the User Database?",
            "No stored triple decides: Cache -[depends_on]-> User Database.",
        ),
        (
            services,
            "Do the Auth Service and the Billing Service depend on the same library?",
            "Nothing stored says that User Database is a library.",
        ),
        (
            towns,
            "Who is the employer of the boss of Kestrel Inc?",
            "No stored triple gives the boss of Kestrel Inc.",
        ),
        (services, "What does the User Database depend on?", "No stored triple says 'depend on' of User Database."),
        (services, "Who owns the Gateway?", "No stored triple says 'owns' of Gateway."),
        (services, "Which databases depend on the User Database?", "Nothing stored says that"),
        (services, "Who formerly owned the Auth Service?", "Its words were read, but not how"),
        (services, "Who manages the Hill Team?", "Stored about Hill Team: owned_by."),
    ],
)
def test_what_is_not_stored_is_named_and_not_answered(
    after: Callable[[Callable[[Graph], None]], Graph], setup: Callable[[Graph], None], question: str, missing: str
) -> None:
    found = after(setup).plan_question(question)
    assert (list(found.answer), list(found.walks)) == ([], [])
    assert missing in " ".join(found.missing)


def test_a_comparison_gives_the_values_that_it_compares(
    after: Callable[[Callable[[Graph], None]], Graph],
) -> None:
    found = after(films).plan_question("Which film has the director born later, Blue Harbour or Red Harbour?")
    assert values(found) == ["12 March 1950", "1 January 1949"]
    assert found.notes == ["Blue Harbour: 12 March 1950.", "Red Harbour: 1 January 1949."]


def test_a_qualifier_that_could_not_be_checked_is_said(after: Callable[[Callable[[Graph], None]], Graph]) -> None:
    found = after(films).plan_question("Where was the director of film Noose (1958 Film) born?")
    assert (found.answer, found.notes) == (["Lund"], ["'(1958 Film)' could not be checked for Noose."])


def test_a_no_by_names_alone_is_marked(after: Callable[[Callable[[Graph], None]], Graph]) -> None:
    found = after(family).plan_question("Do Noah and Olga have the same nationality?")
    assert found.notes[-1] == "'No' is as far as the names differ."


def test_a_step_by_an_inverse_or_a_definition_is_marked_inferred(
    after: Callable[[Callable[[Graph], None]], Graph],
) -> None:
    (walk,) = after(family).plan_question("Who are the children of Anna?").walks
    assert [(step.predicate, step.forward, step.inferred) for step in walk.steps] == [("mother", False, True)]


def test_same_as_is_followed(after: Callable[[Callable[[Graph], None]], Graph]) -> None:
    graph = after(family)
    graph.add_triples([Candidate("Berti", "same_as", "Bert"), Candidate("Danish", "same_as", "Denmark")])
    assert graph.plan_question("Who is the mother of Berti?").answer == ["Anna"]
    assert graph.plan_question("Do Mia and Ivo share the same nationality?").answer == ["yes"]


def test_a_noun_in_front_of_a_name_must_fit_its_type(after: Callable[[Callable[[Graph], None]], Graph]) -> None:
    graph = after(services)
    assert graph.plan_question("What does service Gateway depend on?").answer == ["Auth Service"]
    found = graph.plan_question("What does database Gateway depend on?")
    assert (found.answer, found.missing) == ([], ["Gateway is stored as a Service, not as a Database."])


def values(found: Plan) -> list[str]:
    """The ends of the walks."""
    return [each.entity.name for walk in found.walks for each in walk.answers]


def test_what_something_uses_is_no_answer_to_what_its_database_is(graph: Graph) -> None:
    graph.add_triples([Candidate("Shop", "uses", "Kotlin"), Candidate("Till", "database", "Vault")])
    assert graph.plan_question("What is the database of Shop?").answer == []
    assert graph.plan_question("What is the database of Till?").answer == ["Vault"]
    assert graph.plan_question("What does the Till use?").answer == ["Vault"]


def test_answers_that_only_further_predicates_lead_to_are_counted(graph: Graph) -> None:
    """A thing that seven others need, each by another predicate."""
    names = ("depends on", "hosted on", "requires", "runs on", "built on", "needs", "powered by")
    graph.add_triples([Candidate(f"P{at}", name, "Core X") for at, name in enumerate(names)], origin=Origin("test"))
    found = graph.plan_question("What depends on Core X?")
    assert len(found.answer) + found.left == len(names)
    assert found.left > 0


def test_a_verb_that_is_not_read_is_no_part_of_a_name(graph: Graph) -> None:
    graph.add_triples([Candidate("Payments", "owns", "Till")])
    found = graph.plan_question("Who bakes the payments team?")
    assert found.missing[0] == "Not read: bakes. No stored predicate or type has these words."
    assert found.read.unknown == ()


def test_a_question_that_is_not_read_is_answered_with_the_relations_around_its_names(graph: Graph) -> None:
    graph.add_triples([Candidate("Payments", "owns", "Till"), Candidate("Till", "uses", "Rack 4")])
    missing = graph.plan_question("Why does Payments bake Till at night, and Rack 9?").missing
    assert missing[-2:] == ["Stored about Payments: owns.", "Stored about Till: uses, owns."]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who owns the company that bought Pawtrack?", ["Corran Capital"]),
        ("Who is the owner of the company which bought Pawtrack?", ["Corran Capital"]),
        ("Which woman founded Acme?", ["Anna Lee"]),
        # A person is no company and no city.
        ("Which company founded Acme?", []),
        ("Which city founded Acme?", []),
        ("Who is the spouse of the company that founded Acme?", []),
    ],
)
def test_a_noun_that_is_no_type_says_what_is_asked_for(graph: Graph, question: str, answer: list[str]) -> None:
    text = "Pawtrack was bought by VetLoop. VetLoop is owned by Corran Capital. Anna Lee founded Acme."
    graph.ingest_text(TextInput(f"{text} Anna Lee is married to Otto Lee."))

    assert graph.plan_question(question).answer == answer


STORES = [
    Candidate("Auth", "depends_on", "Core Library"),
    Candidate("Billing", "depends_on", "Core Library"),
    Candidate("VM 1", "depends_on", "Disk A", "VM"),
    Candidate("Cron", "depends_on", "Disk A", "Job"),
    Candidate("Gate", "owned_by", "Jane Smith", "Service", "Person"),
    Candidate("Gate", "ceo", "Ann Lee"),
    Candidate("Ann Lee", "born_on", "May 1962"),
    Candidate("Bob Day", "born_on", "May 1962"),
    Candidate("Cid Ray", "born_on", "1990-05-14"),
    Candidate("Dan Fox", "born_on", "14 May 1990"),
    Candidate("Anna", "works_for", "Acme", valid_to=datetime(2015, 1, 1)),  # noqa: DTZ001  as stored
    Candidate("Anna", "works_for", "Zeta"),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do Auth and Billing depend on the same database?", ""),  # nothing says that the library is one
        ("Which VMs depend on Disk A?", "VM 1"),
        ("Which companies own Gate?", ""),
        ("Which organisation owns Gate?", ""),
        ("Do services depend on Disk A?", ""),
        ("Were Ann Lee and Bob Day born on the same day?", ""),
        ("Were Cid Ray and Dan Fox born on the same day?", "yes"),
        ("Was the service Gate owned by Jane Smith?", "yes"),
        ("In 2014, did Anna work for Acme?", "yes"),
    ],
)
def test_what_the_words_do_not_say_exactly_is_not_asserted(graph: Graph, question: str, answer: str) -> None:
    graph.add_triples(STORES)
    assert ", ".join(graph.plan_question(question).answer) == answer


def test_yes_or_no_comes_with_what_was_read_and_what_stands_beside_it(graph: Graph) -> None:
    graph.add_ontology("leaders", {"predicates": {"ceo": {"functional": True}}})
    graph.add_triples(STORES)
    yes = graph.plan_question("Does Anna work for Zeta?")
    assert (yes.answer, yes.notes) == (["yes"], ["Read as Anna -[works_for]-> Zeta."])
    planned = graph.plan_question(PlanQuery("Does Anna work for Zeta?", execute=False))
    assert (planned.answer, planned.evidence) == ((), ())
    ended = graph.plan_question("Does Anna work for Acme?").missing
    assert "Besides, held until 2015-01-01: Anna -[works_for]-> Acme." in ended
    graph.add_triples([Candidate("Gate", "ceo", "Bob Day")])
    disputed = graph.plan_question("Is Ann Lee the CEO of Gate?")
    assert not disputed.answer
    assert any(each.startswith("Disputed: ") for each in disputed.missing)
