"""Claims against a million triples: python tests/bench/claims.py [TRIPLES]

Stores TRIPLES (default 1,000,000): a tenth of them components in eight layers that depend on two of the next layer each
and have an owner, 100,000 that depend on one hub, the rest random. Then it asks for claims that are stored, that follow
through others, that follow from nothing, that a functional predicate contradicts, that are written as a sentence, and
that are about the hub: whole answers with names and evidence, beside recursive SQL from ids to ids, in the same run.
"""

import random
import sys
from typing import Any

from measure import machine_speed, quantiles, scratch_graph, spending, statement, tokens_of, tools

from mcp_graphrag.graph import Graph
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.reason.parse_claims import CheckedText

QUESTIONS = 100
LAYERS = 8
HUB = 100_000
TEAMS = 1_000
DIRECT = """SELECT id FROM triple WHERE retired_change IS NULL AND subject_id = $a AND object_id = $b
  AND predicate_id = (SELECT id FROM predicate WHERE name = 'depends_on')"""
FOLLOWS = """WITH RECURSIVE needed(node) AS (
  SELECT $a::BIGINT
  UNION SELECT t.object_id FROM needed JOIN triple t ON t.subject_id = needed.node
  WHERE t.retired_change IS NULL AND t.predicate_id = (SELECT id FROM predicate WHERE name = 'depends_on'))
SELECT count(*) FROM needed WHERE node = $b"""
RIVALS = """SELECT object_id FROM triple WHERE retired_change IS NULL AND subject_id = $a AND object_id <> $b
  AND predicate_id = (SELECT id FROM predicate WHERE name = 'owned_by')"""


def main() -> None:
    """Print the latencies."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    chance = random.Random(7)  # noqa: S311
    width = size // 10 // LAYERS // 3
    with scratch_graph() as graph:
        print(f"machine speed {machine_speed():.2f} s")
        known = layered(chance, width) + owned(chance, width)
        hub = [Candidate(f"leaf {number}", "depends_on", "Core Hub") for number in range(min(HUB, size // 10))]
        rest = [
            Candidate(
                f"entity {chance.randrange(size // 4)}",
                f"predicate {chance.randrange(50)}",
                f"entity {int(size // 4 * chance.random() ** 2)}",
            )
            for _ in range(max(size - len(known) - len(hub), 0))
        ]
        with spending() as spent:
            stored = graph.add_triples([*known, *hub, *rest], origin=Origin("bench"))
        graph.store.checkpoint()
        print(f"{stored.added} triples in {spent.cpu:.1f} s CPU")
        with spending() as spent:
            check(graph, Claim("component 0.0", "depends_on", "component 1.0"))
        print(f"first answer (projections built) {spent.wall:.2f} s")
        ask(graph, chance, known, width)


def layered(chance: random.Random, width: int) -> list[Candidate]:
    """Components that depend on two of the layer below, so that each needs a few hundred in all."""
    return [
        Candidate(f"component {layer}.{number}", "depends_on", f"component {layer + 1}.{chance.randrange(width)}")
        for layer in range(LAYERS - 1)
        for number in range(width)
        for _ in range(2)
    ]


def owned(chance: random.Random, width: int) -> list[Candidate]:
    """Each component with its owner."""
    return [
        Candidate(f"component {layer}.{number}", "owned_by", f"team {chance.randrange(TEAMS)}")
        for layer in range(LAYERS)
        for number in range(width)
    ]


def check(graph: Graph, claim: Claim) -> CheckedText:
    """The whole answer."""
    return graph.check_claim(claim)


def ask(graph: Graph, chance: random.Random, known: list[Candidate], width: int) -> None:
    """Each kind of claim and the SQL that comes next to it."""
    needs: dict[str, list[str]] = {}
    owner: dict[str, str] = {}
    for candidate in known:
        if candidate.predicate == "depends_on":
            needs.setdefault(candidate.subject, []).append(candidate.object)
        else:
            owner[candidate.subject] = candidate.object
    tops = [f"component 0.{chance.randrange(width)}" for _ in range(QUESTIONS)]
    direct = [Claim(top, "depends_on", needs[top][0]) for top in tops]
    deep = [Claim(top, "depends_on", descend(needs, top, 5)) for top in tops]
    never = [Claim(top, "depends_on", f"leaf {number}") for number, top in enumerate(tops)]
    teams = sorted(set(owner.values()))
    wrong = [Claim(top, "owned_by", teams[teams.index(owner[top]) - 1]) for top in tops]
    turned = [Claim(claim.object, "owns", claim.subject) for claim in wrong]
    compare(graph, "direct", direct, DIRECT)
    compare(graph, "follows through five", deep, FOLLOWS)
    compare(graph, "follows from nothing", never, FOLLOWS)
    compare(graph, "functional, another object", wrong, RIVALS)
    compare(graph, "the same by its inverse", turned, "")
    hub = [Claim(f"leaf {number}", "depends_on", "Core Hub") for number in range(QUESTIONS)]
    compare(graph, "about the hub", [*hub[:50], *(Claim(b.object, b.predicate, b.subject) for b in hub[:50])], DIRECT)
    said = [f"{claim.subject} depends on {claim.object}." for claim in deep]
    sentences = quantiles(graph.check_claim, said)
    print(f"{'as a sentence':<28} {sentences}")
    with tools(graph) as call:
        answer = call("check_claim", subject="Core Hub", predicate="owned_by", object=teams[0])
    print(f"hub by the tool: {answer['verdict']}, {tokens_of(answer)} tokens")


def descend(needs: dict[str, list[str]], name: str, layers: int) -> str:
    """What a component needs some layers below."""
    for _ in range(layers):
        name = needs[name][-1]
    return name


def compare(graph: Graph, label: str, claims: list[Claim], sql: str) -> None:
    """The verdicts, their latencies, and those of SQL that knows the ids."""
    verdicts = [check(graph, claim).verdict for claim in claims[:20]]
    counts = ", ".join(f"{verdicts.count(fromkey)} {fromkey}" for fromkey in dict.fromkeys(verdicts))
    print(f"{label:<28} {quantiles(lambda claim: check(graph, claim), claims)}   {counts} of {len(verdicts)}")
    if not sql:
        return
    with graph.reading() as snapshot:
        ends = [[normal_form(name) for name in (claim.subject, claim.object)] for claim in claims[:20]]
        named = snapshot.entities_named([norm for pair in ends for norm in pair])
        asked: list[dict[str, Any]] = [{"a": named[a][0][0], "b": named[b][0][0]} for a, b in ends]
        print(f"{'  in SQL, from ids':<28} {quantiles(statement(snapshot.tx, sql), asked)}")


if __name__ == "__main__":
    main()
