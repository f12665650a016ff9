"""How far what the tools assert can be believed: python tests/bench/trust.py DIR [PART …]

DIR holds labelled sets, as ../shared/data/trust does:

- near_names.jsonl, {"stored", "asked", "why"}: two different things with close names
- claims_2wiki_triples.jsonl, {"subject", "predicate", "object"}, and claims_2wiki.jsonl, {"kind", "form", "gold", "s",
  "p", "o", "text"}: claims about them, as triples and as sentences; gold is supported, contradicted or unknown
- claims_fever_symmetric.jsonl, {"claim", "evidence", "gold", "graph"}: the evidence of one graph number is ingested
  together and its claims checked there; nothing is ingested for number -1
- plan.jsonl, {"question_type", "question", "answer", "evidence"}: the evidence of all is stored, each question planned

PART is one of near, labels, claims, fever and plans; all by default. Each failure is printed, up to --failures a part.
"""

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import measure_parts, scratch_graph

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.reason.find_paths import PathQuery

Row = Mapping[str, Any]
VERDICTS = ("supported", "contradicted", "unknown")
# The types and the words of the predicates of 2WikiMultihopQA, as a user would declare them for such a graph.
ONTOLOGY = """
description = "Films, people and places"
[types.Person]
[types.Work]
[types.Place]
[predicates.director]
domain = "Work"
range = "Person"
functional = true
lexicon = ["was directed by", "directed by"]
swapped_lexicon = ["directed", "direct"]
[predicates.composer]
domain = "Work"
range = "Person"
lexicon = ["was composed by", "composed by"]
swapped_lexicon = ["composed", "composed the music of", "compose"]
[predicates.performer]
domain = "Work"
range = "Person"
lexicon = ["was performed by", "performed by"]
swapped_lexicon = ["performed", "perform"]
[predicates.father]
domain = "Person"
range = "Person"
functional = true
lexicon = ["was fathered by"]
swapped_lexicon = ["fathered"]
[predicates.mother]
domain = "Person"
range = "Person"
functional = true
lexicon = ["was born to"]
swapped_lexicon = ["gave birth to"]
[predicates.spouse]
domain = "Person"
range = "Person"
symmetric = true
lexicon = ["married", "was married to", "marry"]
[predicates."place of birth"]
domain = "Person"
range = "Place"
functional = true
lexicon = ["was born in", "comes from"]
swapped_lexicon = ["is the birthplace of"]
[predicates."place of death"]
domain = "Person"
range = "Place"
functional = true
lexicon = ["died in", "passed away in"]
[predicates."date of birth"]
domain = "Person"
functional = true
lexicon = ["was born on", "came into the world on"]
[predicates."date of death"]
domain = "Person"
functional = true
lexicon = ["died on", "passed away on"]
[predicates."publication date"]
domain = "Work"
lexicon = ["was released in", "came out in"]
[predicates.country]
range = "Place"
functional = true
lexicon = ["is located in", "lies in"]
"""


def rows(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Part:
    """One part of the benchmark: counts by name, and the failures."""

    def __init__(self, name: str, failures: int) -> None:
        self.name, self.most = name, failures
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []

    def add(self, kind: str, *, right: bool, words: str = "") -> None:
        """Count one answer of a kind; `words` tell of a wrong one."""
        self.counts[f"{kind} asked"] += 1
        self.counts[f"{kind} right"] += right
        if words and not right:
            self.failures.append(f"{kind}: {words}")

    def report(self) -> None:
        """Print the share of right answers by kind, and the failures."""
        print(f"== {self.name}")
        for kind in sorted({key.removesuffix(" asked").removesuffix(" right") for key in self.counts}):
            right, asked = self.counts[f"{kind} right"], self.counts[f"{kind} asked"]
            print(f"{kind:32} {right:5} of {asked:5}  {right / asked:.3f}")
        for failure in self.failures[: self.most]:
            print(f"  {failure}")


def answer(ask: Callable[[], Any]) -> Any:
    """What a call answers, None where it refuses."""
    try:
        return ask()
    except GraphragError:
        return None


def near_names(folder: Path, failures: int) -> None:
    """No tool may take a name for another thing's."""
    part = Part("near names: answers that are not about another thing", failures)
    pairs = rows(folder / "near_names.jsonl")
    for stored, asked in [(each["stored"], each["asked"]) for each in pairs] + [
        (each["asked"], each["stored"]) for each in pairs
    ]:
        with scratch_graph() as graph:
            graph.add_triples([Candidate(stored, "uses", "Mains"), Candidate("Kiosk", "depends_on", stored)])
            for kind, wrong in wrong_names(graph, stored, asked):
                part.add(kind, right=not wrong, words=f"{asked} taken for {stored}: {wrong}")
    part.report()


def wrong_names(graph: Graph, stored: str, asked: str) -> Iterator[tuple[str, str]]:
    """(tool, what it answered about `stored` when asked for `asked`), "" where it answered nothing."""
    claim = answer(lambda: graph.check_claim(Claim(asked, "uses", "Mains")))
    yield "claim", claim.verdict if claim and claim.verdict != "unknown" else ""
    sentence = answer(lambda: graph.check_claim(f"{asked} uses Mains."))
    yield "claim as a sentence", sentence.verdict if sentence and sentence.verdict != "unknown" else ""
    impact = answer(lambda: graph.trace_impact(asked))
    yield "impact", str([each.entity.name for each in impact.affected]) if impact and impact.affected else ""
    paths = answer(lambda: graph.find_paths(PathQuery(asked, "Mains")))
    yield "paths", f"{len(paths.paths)} paths" if paths and paths.paths else ""
    plan = answer(lambda: graph.plan_question(f"What does {asked} use?"))
    yield "plan", str(plan.answer) if plan and plan.answer else ""
    found = answer(lambda: graph.query_triples(TripleQuery(subject=asked)))
    yield "triples by name", str(found.triples[0].subject) if found and found.triples else ""
    answer(lambda: graph.add_triples([Candidate(asked, "sells", "Tickets")]))
    after = answer(lambda: graph.query_triples(TripleQuery(subject=stored, predicate="sells")))
    yield "write", f"{stored} sells Tickets" if after and after.triples else ""


def labels(folder: Path, failures: int) -> None:
    """A triple is stored in the direction in which it was given, whatever its predicate becomes."""
    part = Part("labels: triples in the direction given", failures)
    given = rows(folder / "claims_2wiki_triples.jsonl")
    with filled(given) as graph:
        stored = {(triple.subject.casefold(), triple.object.casefold()) for triple in all_triples(graph)}
        for each in given:
            ends = (each["subject"].casefold(), each["object"].casefold())
            turned = ends not in stored and ends[::-1] in stored
            part.add(each["predicate"], right=not turned, words=" | ".join(each.values()))
    part.report()


def all_triples(graph: Graph) -> Iterator[Any]:
    """Every stored triple, page by page."""
    after = 0
    while True:
        page = graph.query_triples(TripleQuery(limit=500, after=after, infer=False))
        yield from page.triples
        if not page.next_after:
            return
        after = page.next_after


def filled(given: Sequence[Row], *, ontology: str = "") -> Any:
    """A graph with triples, and an ontology that declares their types and words."""
    return _Filled(given, ontology)


class _Filled:
    def __init__(self, given: Sequence[Row], ontology: str) -> None:
        self.given, self.ontology, self.scratch = given, ontology, scratch_graph()

    def __enter__(self) -> Graph:
        graph = self.scratch.__enter__()
        if self.ontology:
            graph.add_ontology("wiki", tomllib.loads(self.ontology))
        rules = tomllib.loads(self.ontology).get("predicates", {})
        candidates = [
            Candidate(
                *(each["subject"], each["predicate"], each["object"]),
                subject_type=rules.get(each["predicate"], {}).get("domain"),
                object_type=rules.get(each["predicate"], {}).get("range"),
            )
            for each in self.given
        ]
        for start in range(0, len(candidates), 500):
            graph.add_triples(candidates[start : start + 500])
        return graph

    def __exit__(self, *error: Any) -> None:
        self.scratch.__exit__(*error)


def claims(folder: Path, failures: int) -> None:
    """Verdicts on claims about stored triples, with an ontology of the domain and without."""
    given, asked = rows(folder / "claims_2wiki_triples.jsonl"), rows(folder / "claims_2wiki.jsonl")
    for name, ontology in (("with types and lexicon", ONTOLOGY), ("without an ontology", "")):
        with filled(given, ontology=ontology) as graph:
            verdicts(f"claims, {name}", asked, lambda each, graph=graph: verdict(graph, each), failures)


def verdict(graph: Graph, claim: Row) -> str:
    """The verdict on a claim, a triple where it has no text."""
    checked = answer(lambda: graph.check_claim(claim.get("text") or Claim(claim["s"], claim["p"], claim["o"])))
    return checked.verdict if checked else "unknown"


def verdicts(name: str, asked: Sequence[Row], check: Callable[[Row], str], failures: int) -> None:
    """Print how verdicts compare with gold: accuracy, and the shares of all claims that are wrongly decided."""
    part = Part(name, failures)
    wrong: Counter[str] = Counter()
    decided: Counter[str] = Counter()
    for each in asked:
        found = check(each)
        form = "triple" if each.get("form") == "triple" else "sentence"
        words = (
            f"{found} is {each['gold']}: {each.get('text') or each.get('claim') or (each['s'], each['p'], each['o'])}"
        )
        part.add(form, right=found == each["gold"], words=words)
        part.add(f"gold {each['gold']}", right=found == each["gold"], words=words)
        if found != "unknown":
            decided[found] += 1
            if found != each["gold"]:
                wrong[found] += 1
                part.failures.insert(0, f"WRONG {words}")
    part.report()
    right = 1 - wrong.total() / max(decided.total(), 1)
    print(f"decided {decided.total() / len(asked):.3f}, of these right {right:.3f}; ", end="")
    print(", ".join(f"false {name} {wrong[name] / len(asked):.4f}" for name in VERDICTS[:2]))


def fever(folder: Path, failures: int) -> None:
    """Verdicts on claims about sentences that have to be read."""
    asked = rows(folder / "claims_fever_symmetric.jsonl")
    by_graph: dict[int, list[Row]] = defaultdict(list)
    for each in asked:
        by_graph[each["graph"]].append(each)
    found: dict[tuple[int, str], str] = {}  # by graph too: claims come back with the opposite evidence
    for number, claimed in by_graph.items():
        with scratch_graph() as graph:
            texts = dict.fromkeys(each["evidence"] for each in claimed) if number >= 0 else {}
            for at, text in enumerate(texts):
                graph.ingest_text(TextInput(text, uri=f"evidence:{at}"))
            found |= {(number, each["claim"]): verdict(graph, {"text": each["claim"]}) for each in claimed}
    verdicts("claims of FEVER", asked, lambda each: found[each["graph"], each["claim"]], failures)


def plans(folder: Path, failures: int) -> None:
    """Questions of several hops over the evidence of all; right if the answer is among the first three.

    What is only offered as possible is no answer; a line of its own counts it too.
    """
    part = Part("plans: right in the first three", failures)
    asked = rows(folder / "plan.jsonl")
    evidence = [
        {"subject": a, "predicate": b, "object": c}
        for a, b, c in dict.fromkeys(tuple(t) for e in asked for t in e["evidence"])
    ]
    with filled(evidence) as graph:
        for each in asked:
            plan = answer(lambda each=each: graph.plan_question(each["question"]))
            first = list(plan.answer if plan else ())[:3]
            offered = [one.entity.name for walk in (plan.possible if plan else ()) for one in walk.answers]
            right = plain(each["answer"]) in {plain(name) for name in first}
            part.add(each["question_type"], right=right, words=f"{each['question']} {each['answer']}: {first}")
            possible = right or plain(each["answer"]) in {plain(name) for name in [*first, *offered][:3]}
            part.add(f"{each['question_type']}, or possible", right=possible)
    part.report()


def plain(text: str) -> str:
    """A text without case and signs."""
    return " ".join(re.findall(r"\w+", text.casefold()))


PARTS = {"near": near_names, "labels": labels, "claims": claims, "fever": fever, "plans": plans}


if __name__ == "__main__":
    measure_parts(__doc__, PARTS)
