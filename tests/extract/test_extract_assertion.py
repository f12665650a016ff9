"""What a sentence, the text around it or its heading does not assert gives no triple, however near the names are."""

import pytest
from extract_helpers import extract, stated, triples

USES = ("Billing Service", "uses", "Redis")


@pytest.mark.parametrize(
    "text",
    [
        # Questions, conditions, modals, plans and negations.
        "Should the Billing Service depend on Redis? We decided against it.",
        "Can the Billing Service use Redis",
        "If the Billing Service uses Redis, the Mail Service calls Kafka.",
        "The Billing Service uses Redis if the cache is on.",
        "Unless the Billing Service uses Redis, the Mail Service calls Kafka.",
        "The Billing Service may use Redis.",
        "The Billing Service has to use Redis.",
        "The Billing Service will use Redis.",
        "The Billing Service plans to use Redis.",
        "Ann Lee to write the Harbour Handbook by October.",
        "Action: Ann Lee to approve the Harbour Handbook.",
        "From next year, the Ledger Service depends on Kafka.",
        "Make sure the Portal Service depends on Redis.",
        "The Billing Service does not use Redis.",
        "The Billing Service doesn’t use Redis.",
        "The Auth Service doesn't use Redis or Kafka.",
        "The Auth Service no longer uses Redis.",
        "The Auth Service never calls the Mail Service.",
        "Neither the Auth Service nor the Mail Service uses Redis.",
        "No service of Acme depends on Redis.",
        "Nobody owns the Mail Service.",
        "Ada Brook is not a teacher.",
        "Zenit nearly acquired Hale Works.",
        "The Billing Service is partly owned by the Platform Team.",
        "Tern Bank is half owned by Orbis Foods.",
        "The Billing Service uses, perhaps, Redis.",
        # No longer.
        "The Billing Service used to depend on Redis.",
        "The Billing Service was formerly owned by the Platform Team.",
        "Before that, the Billing Service read from Redis.",
        "Until then, the Billing Service used Redis.",
        "Until the move to the cloud, the Billing Service used Redis.",
        "Ann Lee is a former member of the Platform Team.",
        "Ada Brook is a former teacher.",
        # Said or thought by somebody.
        "We decided against the Billing Service using Redis.",
        "The proposal that the Billing Service use Redis was rejected.",
        "It is not true that the Billing Service uses Redis.",
        "Ann Lee said the outage was caused by Redis.",
        "Bob Stone claims the Billing Service uses Redis.",
        "Acme denied that it acquired Initech.",
        'Ann Lee said, "The Billing Service uses Redis."',
        "The Billing Service uses Redis, I think.",
        "Acme bought Initech, according to an anonymous blog.",
        "Acme bought Initech, a tabloid wrote.",
        "Anna Pike founded Tern Bank, some say.",
        "True or false: Orbis Foods owns Tern Bank.",
        # Of another world or time, or an example.
        "For example, the Billing Service uses Redis.",
        "Example: the Billing Service uses Redis.",
        "Let's say the Billing Service uses Redis.",
        "In the novel, Anna Pike founded Tern Bank.",
        "In season two, Ann Lee owns Initech.",
        "For version 7, the Billing Service uses Redis.",
        "When idle, the Billing Service calls Redis.",
        "When Bob Stone retires, Ann Lee leads Acme.",
        "After the migration, the Auth Service depends on Redis.",
        "By 2030 Acme owns Initech.",
        "Within two years Acme owns Initech.",
        "Pending approval, the Billing Service uses Redis.",
        "The Billing Service depends on Redis not being used.",
        "NATS replaces RabbitMQ in 2027.",
        "The Amber Tern would then replace the Cape Lark.",
        # Taken back by the text around it.
        "~~The Auth Service depends on Redis.~~",
        "- [ ] The Auth Service depends on Redis",
        "The Auth Service depends on Redis (outdated).",
        "The Auth Service depends on Redis ❌",
        "The Auth Service depends on Redis. That is no longer true.",
        "> The Auth Service depends on Redis.\n\nThis is wrong. It never did.",
        "# ADR\n\nStatus: Superseded by ADR-19\n\nThe Auth Service depends on Redis.",
        "Otto: The Auth Service depends on Redis.\nAna: wrong, we removed Redis last week.",
        "| Service | Depends on | Valid |\n|---|---|---|\n| Auth | Redis | until 2021 |\n| Till | Kafka | no |",
    ],
)
def test_what_is_not_asserted_gives_no_triple(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    "text",
    [
        # The subject or object is a longer noun phrase, not the name in it.
        "The son of John Hale was born in Leeds.",
        "A subsidiary of Orbis Foods was acquired by Tern Bank.",
        "Part of Orbis Foods was sold to Tern Bank.",
        "A third of Acme Corp is owned by Globex Inc.",
        "The predecessor of Orbis Foods was founded by John Hale in 1880.",
        "The tests of the Ledger Service use Kafka.",
        "Logs from the Billing Service are stored in Kafka.",
        "Contrary to legend, Bitter Tea was written by John Hale's wife.",
        "The wife of Arvid Holm joined Acme.",
        "Ana Petrova reports to Marcus Webb's successor.",
        "Ann Lee owns Bob Stone's share in Acme Corp.",
        "The service that replaced the Auth Service depends on Redis.",
        "The company that John Hale founded acquired Tern Bank.",
        "Ann Lee wrote the Marble Box proposal.",
        "The Marble Box proposal was written by Ann Lee.",
        "The Platform Team owns the Redis cluster.",
        "SEC-14 is a change of a few lines in `GatewayFilter`.",
        "The last run of the Mail Service took place on 3 May 2024.",
        # Other nouns and verbs than those of the predicate.
        "Anna Pike is the deputy chairman of Tern Bank.",
        "Anna Pike is the foster mother of Karl Voss.",
        "Ana Petrova is a candidate for the lead of the Core Team.",
        "Ida Brandt is vice president of Lumen Works.",
        "Edith Sorn is Norway's first director.",
        "Incumbent Vice President Ann Lee was re-elected.",
        "Kafka is a good choice.",
        "Ada Brook is a mother of three.",
        "Cranks and Shadow Lines is a novel.",
        "The Tamsey bridge was built in 1902.",
        "Otto Brand founded the dynasty in 1402.",
        "Ann Lee laughed at Acme Corp.",
        "Ann Lee enjoyed the years at Acme Corp.",
        "Ann Lee visited every office in Oslo.",
        "Ann Lee was awarded the medal by Acme Corp.",
        "Acme Corp was closed, delighting Ann Lee.",
        "`nimbus-cli` enables `mail_hub` to use the cache.",
        "The hyphenated payment-worker goes to Risk Team.",
        "The Event Bus was upgraded to a Kafka release without ZooKeeper.",
        # Which of two nouns the clause is about is open.
        "Anna Pike knows a school in Leeds founded by Karl Voss.",
        "We saw the mill in Leeds, which Ann Lee had bought.",
        "We saw a clerk from Graz, who served as the mayor of Leeds.",
        "The film is based on the novel by Thomas Wray, which was published in 1949.",
        "The flat in Bonn, which Karl Voss had bought from a cousin in 1911, burned down.",
        "Reporting, which the Data team used to own, now belongs to the Finance Systems team.",
        "Redis and Kafka failed. It calls the Rate Limiter.",
        "In the night Redis failed. The cluster uses Kafka.",
        # Lists that say less, or something else.
        "Bitter Tea was written by Anna Pike or Karl Voss.",
        "Orbis Foods owns everything except Tern Bank.",
        "It was Anna Pike, not John Hale, who founded Orbis Foods.",
        # No sentence, or one that relates no names.
        "GitHub prompting tutorial, Sheets and Docs.",
        "We saw Redis with Kafka.",
        "The Auth Service in Oregon.",
        "Redis failed, but Kafka depends on nothing.",
        "The Mail Service used caching from 2018 to 2021.",
        "The Mail Service (2019) is slow.",
        "Ann Lee won a prize in 2019.",
        "Finance publishes the list in January.",
        "R2 and R4 were accepted in the review meeting on 16 January 2025.",
    ],
)
def test_what_the_grammar_does_not_state_gives_no_triple(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "# Character sets\n\n| Name | Language |\n|---|---|\n| `LATIN3` | South European |\n| `ASCII_8` | any |\n",
        "# RFC 405: Virtual hosts\n\nRFC written by Ann Lee; implementation by Ann Lee and Bob Stone.",
        "Both RFCs were written and implemented by Ann Lee.",
        "# `OrderedMap` objects\n\nA map.\n\nmove_to_end(key)\n\nMoves the key.\n\nNew in version 3.2.\n",
        "# TextStream\n\nTextStream reads text.\n\nclass `io.TextIOBase`\n\nIt inherits `IOBase`.",
        "Fix a deadlock when replaying WAL generated by an older minor version (Ann Lee).",
        "`auth` makes it easier to implement methods not (or not yet) supported by `smtplib`.",
        "The `distutils` module can be enabled by passing `xztar` as an argument.",
        "Changed in version 3.4: In earlier versions the `TestSuite` held references to each `TestCase`.",
        "`PY_SSIZE_T_MAX` is the largest positive value of type `Py_ssize_t`.",
        "git-server uses one database per Git head (i.e. CVS module) to store information.",
        "`exec()`: spawns a shell, passing the `stdout` and `stderr` to `callback()` when complete.",
        "`Operators.__gt__()` is the Python operator for more.",
        "`after_flush_postexec()` is called soon after `after_flush()`, but later.",
        "You can have a certificate for `www-proxy` signed by Acme Ltd.",
        "`client` works out of the box with Pydantic Logfire.",
        "The address fulfills rules in Article II, Section 3 of the Harbour Constitution.",
        "Old PC/AT-Compatible driver: /dev/rtc",
        "The film received nominations for Outstanding Director (Luis Mandoki).",
        "The AIS gateway uses Redis.",
        "Ann Lee asked Acme Ltd to lead Umbra Inc.",
        "# In Struct Definitions\n\nFilename: src/main.rs\n",
        "Sun NIS+ uses `/var/nis`.",
        "Le serveur Apache est dans la configuration de la machine et le module Solaris appelle Kafka pour les files.",
        "Orbit 1.0.1 is a recommended upgrade for any site currently using or targeting Orbit 1.0.",
        "Login using PostgreSQL",
        "Fixed a crash after `load_orbit()` returned an object ([#26153](https://tracker.example/26153)).",
        "When using `load_orbit()`, PostgreSQL opens a cursor.",
        "Orbit 1.0 renamed `old_lanes` to plain `new_lanes`.",
        "`orbit.contrib.lanes`, for example, becomes an `app_label` of lanes.",
        "If PostgreSQL is built with `LANE_DEBUG`, an alternative allocation wrapper is used.",
        "The lanes have offices in Norway, Spain.",
        "/* Free `idx_str` using lane_free() if true */",
        "A PostgreSQL database is a file format in widespread use.",
        "The before-filter Moss SMTP server accepts connections from the Fern Network.",
        "With one exception, Moss 1.1 maintains compatibility with Moss 1.0.",
        "By default, Mossmail's REST API accepts `application/json`.",
        "This CommonJS module exports a single function: `fernWheel`.",
        "Use the Moss Transaction assistant (Fern → Find) to select them.",
        "Moss-To-Fern breaks compatibility with Express <= `4.x` in the following ways:",
        "Heinkel convinced publisher Moss-Verlag to purchase a third aircraft from his firm.",
        "It was about the trade, to which the United States was a signatory party.",
        "Yay is known from Rocket Monkeys, Duck on Almost Naked Animals, and Paddy.",
        "Ann: Good. Sundays work perfectly for Wolfgang Moss! We said Sundays are fine.",
        "The OpenMoss client SSH is used.",
        "Moss is still supported when it runs on NFS.",
        "Norway's Foreign Ministry announced sanctions against India.",
        "Moss Rescue is a system.",
    ],
)
def test_what_is_only_a_part_of_a_statement_or_about_something_else_is_not_asserted(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Billing Service uses Redis, but may move to Kafka.", [USES]),
        ("The Billing Service uses Redis instead of Kafka.", [USES]),
        ("The Billing Service (which may call Kafka) uses Redis.", [USES]),
        ("The Billing Service uses Redis because Kafka could not store it.", [USES]),
        ("At first, Ann Lee founded Initech.", [("Initech", "founded_by", "Ann Lee")]),
        ("Ann Lee founded Initech, and she never left Acme.", [("Initech", "founded_by", "Ann Lee")]),
        ("Despite never winning the Red Cup, Ann Lee joined Acme.", [("Ann Lee", "joined", "Acme")]),
        ("Ann Lee is married to former bartender Roxy Blanc.", [("Ann Lee", "spouse", "Roxy Blanc")]),
        ("In the 1998 season Ann Lee joined Acme.", [("Ann Lee", "joined", "Acme")]),
        ("By 1990 Acme owned Initech.", [("Acme", "owns", "Initech")]),
        (
            "The Auth Service depends on Redis. This keeps sessions short. It is owned by the Core Team.",
            [("Auth Service", "depends_on", "Redis"), ("Auth Service", "owned_by", "Core Team")],
        ),
    ],
)
def test_what_another_clause_or_sentence_asserts_is_read(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    "heading",
    ["Common misconceptions", "Rejected options", "Target state (2028)", "Out of scope", "Example 2: a cache"],
)
def test_under_a_heading_for_what_is_not_so_nothing_is_asserted(heading: str) -> None:
    for text in ("The Auth Service depends on Redis.", "| Service | Owner |\n|---|---|\n| Auth Service | Team Fox |"):
        assert triples(text, headings=("Notes", heading)) == []
        assert triples(text, headings=("Notes", "Design")) != []


def test_of_a_chunk_with_several_sections_each_counts_for_itself() -> None:
    text = (
        "# Design\n\nNotes.\n\n## Rejected options\n\nThe Auth Service depends on Redis.\n\n"
        "## Choice\n\nThe Auth Service depends on Kafka.\n"
    )
    assert stated(text) == [("Auth Service", "depends_on", "Kafka")]


def test_a_name_between_angle_brackets_is_without_them() -> None:
    text = "# `pair.privateKey`\n\n- Type: [<CryptoKey>](webcrypto.html)\n\n# `pair.name`\n\n- Type: {string|Object}\n"
    found = {(triple.subject, triple.predicate, triple.object) for triple in extract(text).triples}
    assert found <= {("pair.privateKey", "is_a", "CryptoKey")}
