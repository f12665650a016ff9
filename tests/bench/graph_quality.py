"""How right a graph is that was read without a model, by kind of document, as a reader judges samples of it.

    python tests/bench/graph_quality.py sample DIR OUT [--facts DIR] [--judged FILE ...] [--triples N] [--entities N]
    python tests/bench/graph_quality.py keep OUT JUDGED [--second]

`sample` ingests each folder DIR/KIND into a graph of its own, takes triples and entities at random (the same ones again
while they are stored, see `graph_sample.sample`), prints the figures of those that have been judged, and writes those
that have not to OUT, each with the text it comes from. Fill in `verdict` (right, useless, wrong) and `reason` (see
`judgements.REASONS`) there, and `keep` adds them to JUDGED without the text. `--facts` has KIND.jsonl with the facts
that a reader listed before any extraction: {document, subject [wordings], predicate, object [wordings], when, form,
quote}; a fact is found where a triple that links its ends is judged right.

Without `--judged`, the judgements in `tests/bench/judged` count.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graph_sample import Fact, Held, fact_of, held_entities, held_triples, sample, stating
from judgements import Judgement, Key, keep_judgements, read_judgements, rows_of, write_rows
from measure import machine_speed, scratch_graph, spending

JUDGED = Path(__file__).parent / "judged"
MOST_PER_FACT = 4  # triples that a reader looks at for one fact


@dataclass
class Kind:
    """What was found in the documents of one kind: samples, how many there are, and the triples for each fact."""

    triples: list[Held] = field(default_factory=list[Held])
    entities: list[Held] = field(default_factory=list[Held])
    stored: int = 0
    typed: int = 0
    known: int = 0
    facts: list[tuple[Fact, list[Held]]] = field(default_factory=list[tuple[Fact, list[Held]]])

    @property
    def held(self) -> list[Held]:
        """All that is to be judged."""
        return [*self.triples, *self.entities, *(held for _, candidates in self.facts for held in candidates)]


@dataclass
class Tally:
    """Verdicts counted."""

    verdicts: Counter[str] = field(default_factory=Counter[str])

    def add(self, verdict: str) -> None:
        """Count one more."""
        self.verdicts[verdict] += 1

    def share(self, *verdicts: str) -> float:
        """The share of the verdicts in all."""
        return sum(self.verdicts[verdict] for verdict in verdicts) / max(self.verdicts.total(), 1)

    def __str__(self) -> str:
        if not self.verdicts:
            return "  0      -        -      -"
        shares = (self.share("right"), self.share("useless"), self.share("wrong"))
        return f"{self.verdicts.total():3}  " + "  ".join(
            f"{share:.2f} {name}" for share, name in zip(shares, ("right", "useless", "wrong"), strict=True)
        )


def read_kind(folder: Path, arguments: argparse.Namespace) -> Kind:
    """Ingest one kind and take its samples."""
    facts = [fact_of(row, folder.name) for row in rows_of(arguments.facts / f"{folder.name}.jsonl")]
    with scratch_graph() as graph:
        graph.ingest_files([folder], extract=arguments.extract)
        triples = held_triples(graph, folder)
        entities = held_entities(graph, folder, triples)
        return Kind(
            sample(triples, size=arguments.triples, seed=arguments.seed),
            sample(entities, size=arguments.entities, seed=arguments.seed),
            len(triples),
            sum(bool(held.item.object) for held in entities),
            len(entities),
            [(fact, stating(fact, triples, most=MOST_PER_FACT)) for fact in facts],
        )


def print_speed(folders: Sequence[Path], extract: str) -> None:
    """Ingest everything into one file; chunks per CPU-second and megabytes per 1,000 chunks."""
    with scratch_graph() as graph:
        graph.embedders.static.embed(["loaded before the clock starts"])
        with spending() as spent:
            counts = graph.ingest_files(folders, extract=extract).counts
        graph.store.checkpoint()
        size = graph.store.path.stat().st_size / 1e6
    print(
        f"machine speed {machine_speed():.2f} s; {counts.documents} documents, {counts.chunks} chunks,"
        f" {counts.chunks / spent.cpu:.0f} chunks per CPU-second, {counts.entities} entities, {counts.triples} triples,"
        f" {size / counts.chunks * 1000:.1f} MB of file per 1,000 chunks"
    )


def tally(held: Iterable[Held], judged: Mapping[Key, Judgement]) -> Tally:
    """The first verdicts on those that were judged."""
    counted = Tally()
    for one in held:
        if one.item.key in judged:
            counted.add(judged[one.item.key].verdict)
    return counted


def is_found(candidates: Sequence[Held], judged: Mapping[Key, Judgement]) -> bool:
    """Whether one of the triples was judged to state the fact."""
    return any(one.item.key in judged and judged[one.item.key].verdict == "right" for one in candidates)


def print_kinds(kinds: Mapping[str, Kind], judged: Mapping[Key, Judgement]) -> None:
    """A line a kind for triples, for entities and for facts, and one for all."""
    everything = {**kinds, "all": _together(kinds.values())}
    print("\ntriples        stored  judged")
    for name, kind in everything.items():
        print(f"{name:15}{kind.stored:6}  {tally(kind.triples, judged)}")
    print("\nentities       stored  judged                                    typed  typed and not wrong")
    for name, kind in everything.items():
        typed = tally((one for one in kind.entities if one.item.object), judged)
        precision = f"{typed.share('right', 'useless'):.2f} of {typed.verdicts.total()}"
        share = kind.typed / max(kind.known, 1)
        print(f"{name:15}{kind.known:6}  {tally(kind.entities, judged)!s:40}  {share:.2f}   {precision}")
    print("\nfacts           found")
    for name, kind in everything.items():
        found = sum(is_found(candidates, judged) for _, candidates in kind.facts)
        print(f"{name:15}{found / max(len(kind.facts), 1):6.2f}  {found} of {len(kind.facts)}")


def _together(kinds: Iterable[Kind]) -> Kind:
    every = Kind()
    for kind in kinds:
        every.triples += kind.triples
        every.entities += kind.entities
        every.facts += kind.facts
        every.stored += kind.stored
        every.typed += kind.typed
        every.known += kind.known
    return every


def print_groups(
    title: str, held: Iterable[Held], judged: Mapping[Key, Judgement], group: Callable[[Held], str]
) -> None:
    """The verdicts of each group, the largest first."""
    groups: dict[str, Tally] = defaultdict(Tally)
    for one in held:
        if one.item.key in judged:
            groups[group(one)].add(judged[one.item.key].verdict)
    print(f"\n{title}")
    for name, counted in sorted(groups.items(), key=lambda pair: -pair[1].verdicts.total()):
        print(f"  {name:32}{counted}")


def bucket(held: Held) -> str:
    """The tenth that the confidence lies in; 1 belongs to the last."""
    tenth = min(int(held.confidence * 10 + 1e-9), 9)
    return f"{tenth / 10:.1f} to {(tenth + 1) / 10:.1f}"


def print_reasons(held: Iterable[Held], judged: Mapping[Key, Judgement]) -> None:
    """How often each reason was given, triples and entities apart."""
    reasons: Counter[str] = Counter()
    for one in held:
        found = judged.get(one.item.key)
        if found and one.item.what != "fact" and found.verdict != "right":
            reasons[f"{one.item.what}: {found.verdict}, {found.reason or 'no reason'}"] += 1
    print("\nreasons")
    for reason, count in reasons.most_common():
        print(f"  {count:4}  {reason}")


def print_forms(facts: Iterable[tuple[Fact, list[Held]]], judged: Mapping[Key, Judgement]) -> None:
    """By form of sentence: how many facts there are, and how many were found."""
    listed: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for fact, candidates in facts:
        listed[fact.form] += 1
        found[fact.form] += is_found(candidates, judged)
    print("\nfacts by the form of the sentence that states them")
    for form, count in listed.most_common():
        print(f"  {form:45}{found[form]:4} of {count}")


def print_agreement(held: Iterable[Held], judged: Mapping[Key, Judgement]) -> None:
    """How often two readings gave the same verdict, and Cohen's kappa, for triples and for entities."""
    for what in ("triple", "entity"):
        pairs = [
            (judged[one.item.key].verdict, judged[one.item.key].second)
            for one in held
            if one.item.what == what and one.item.key in judged and judged[one.item.key].second
        ]
        if not pairs:
            continue
        same = sum(first == second for first, second in pairs) / len(pairs)
        firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
        chance = sum(firsts[verdict] * seconds[verdict] for verdict in firsts) / len(pairs) ** 2
        kappa = (same - chance) / (1 - chance) if chance < 1 else 1.0
        print(
            f"\ntwo readings of {len(pairs)} {what} verdicts agree in {same:.2f}, kappa {kappa:.2f}; right by the"
            f" second reading {seconds['right'] / len(pairs):.2f}"
        )


def take_sample(arguments: argparse.Namespace) -> None:
    """Print the figures of what was judged, and write out what was not."""
    folders = sorted(path for path in arguments.dir.iterdir() if path.is_dir() and path.name[0] != ".")
    if not folders:
        raise SystemExit(f"There is no folder in {arguments.dir}; give a folder with one folder for each kind.")
    print_speed(folders, arguments.extract)
    kinds = {folder.name: read_kind(folder, arguments) for folder in folders}
    judged = read_judgements(arguments.judged or sorted(JUDGED.glob("*.jsonl")))
    every = _together(kinds.values())
    print_kinds(kinds, judged)
    print_groups("triples by extractor", every.triples, judged, lambda one: one.extractor)
    print_groups("triples by rule", every.triples, judged, lambda one: f"{one.extractor} {one.rule}")
    print_groups("triples by confidence", every.triples, judged, bucket)
    print_groups("entities by type", every.entities, judged, lambda one: one.item.object or "(none)")
    print_reasons(every.triples + every.entities, judged)
    print_forms(every.facts, judged)
    print_agreement(every.held, judged)
    unjudged = [
        one.row | {"verdict": "", "reason": ""}
        for kind in kinds.values()
        for one in kind.held
        if one.item.key not in judged
    ]
    chance = random.Random(arguments.seed)  # noqa: S311
    chance.shuffle(unjudged)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_rows(arguments.out, unjudged)
    print(f"\n{len(unjudged)} not judged yet, written to {arguments.out}")


def keep(arguments: argparse.Namespace) -> None:
    """Add the verdicts that a reader filled in."""
    print(keep_judgements(arguments.out, arguments.judged, second=arguments.second), "kept")


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    sampling = commands.add_parser("sample")
    sampling.add_argument("dir", type=Path)
    sampling.add_argument("out", type=Path)
    sampling.add_argument("--facts", type=Path, default=Path("absent"))
    sampling.add_argument("--judged", type=Path, nargs="*")
    sampling.add_argument("--triples", type=int, default=40)
    sampling.add_argument("--entities", type=int, default=40)
    sampling.add_argument("--seed", type=int, default=1)
    sampling.add_argument("--extract", default="auto")
    sampling.set_defaults(run=take_sample)
    keeping = commands.add_parser("keep")
    keeping.add_argument("out", type=Path)
    keeping.add_argument("judged", type=Path)
    keeping.add_argument("--second", action="store_true")
    keeping.set_defaults(run=keep)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
