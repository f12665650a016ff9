"""Extraction with Claude against a stand-in on loopback: python tests/bench/model_extraction.py [CHUNKS]

A tenth of the chunks get a fault each: 429, 529, a truncated answer, a refusal, no JSON, a wrong type, a slow answer.
Prints how often chunks were read, the seconds, and the input tokens that a dry run estimates beside those of the
request bodies by the tokenizer of the static embedder, which stands for that of the model.
"""

import json
import sys
import time
from collections import Counter
from itertools import cycle
from pathlib import Path

from measure import scratch_graph

sys.path.insert(0, str(Path(__file__).parents[1]))

from claude_server import run_claude_server
from model_answers import FAULTS, FaultyModel, chunks_of, note

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.embed.wordllama import load_wordllama
from mcp_graphrag.jobs.job import Work
from mcp_graphrag.model import Origin

FILLER = "It was written down by the people who keep the lights on at night and it is read by nobody else at all. " * 12


def main() -> None:
    """Ingest documents of ten chunks each."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    kinds = cycle(FAULTS)
    faults = {f"Alpha{number} ": next(kinds) for number in range(0, count, 10)}
    with run_claude_server() as api, scratch_graph(embedder="wordllama", **api.settings) as graph:
        model = FaultyModel(api, faults)
        documents = [
            text_document(
                TextInput(
                    "\n\n".join(f"{note(number)} {FILLER}" for number in range(start, start + 10)), uri=f"m:{start}"
                ),
                max_bytes=graph.max_bytes,
            )
            for start in range(0, count, 10)
        ]
        plan = graph.plan_ingest(Work(documents, len(documents), graph.chosen_extractors("claude")))
        began = time.monotonic()
        job = graph.run_ingest(Work(documents, len(documents), graph.chosen_extractors("claude")), Origin("bench"))
        seconds = time.monotonic() - began
        times = Counter(Counter(model.read).values())
        print(f"job {job.state}, {seconds:.1f} s, {len(api.requests)} requests; chunks by times read: {dict(times)}")
        print(f"triples {job.report['triples']}, faults left {len(model.faults)}, dropped {job.report['dropped']}")
        planned = plan.report.as_json()["model"]
        tokenizer, _ = load_wordllama()
        whole = [json.dumps(body, ensure_ascii=False) for body in api.requests if len(chunks_of(body)) == 5]
        tokens = sum(len(tokenizer.encode(text).ids) for text in whole) * planned["requests"] / len(whole)
        print(f"dry run: {planned}, input tokens by the tokenizer {tokens:,.0f}")


if __name__ == "__main__":
    main()
