"""How fast the explorer draws: script time a frame with 5,000 nodes, and until a graph of 100,000 triples is open.

Usage, with Chromium installed: .venv/bin/python tests/bench/explorer.py [FILE]
FILE keeps the graph of 100,000 triples between runs. Without a GPU the frames a second say little: the browser then
draws by the processor.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "explorer")]

from browser import Browser, browser  # noqa: E402  (found there)
from explored import explored  # noqa: E402

from mcp_graphrag.graph import Graph, open_graph  # noqa: E402
from mcp_graphrag.model import Candidate  # noqa: E402

TRIPLES, GROUP, BATCH = 100_000, 40, 5_000
NODES, FRAMES = 5_000, 200
PREDICATES = ("depends_on", "calls", "owned_by", "runs_on", "uses")
# Measures what runs in callbacks of animation frames; the library takes hold of the function as it is loaded.
TIMED = """
window.spent = 0;
window.native = requestAnimationFrame.bind(window);
window.requestAnimationFrame = (work) => native((at) => {
  const from = performance.now();
  try { work(at); } finally { spent += performance.now() - from; }
});
"""
MEASURE = f"""
window.figures = null;
(async () => {{
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const any = () => `n${{Math.floor(random() * {NODES})}}`;
  const nodes = Array.from({{length: {NODES}}}, (_, at) => {{
    const name = `Entity ${{at}}`;
    return {{ id: `n${{at}}`, name, label: name, shown: name, type: `T${{at % 8}}`, degree: at % 12 }};
  }});
  const edges = Array.from({{length: {2 * NODES}}}, (_, at) => (
    {{ id: `e${{at}}`, source: any(), target: any(), predicate: "p", label: "p", confidence: 1, sources: [], width: 1 }}
  ));
  const drawing = explorer.drawing;
  drawing.place = async () => nodes.map(() => [random() * 6000, random() * 4500]);
  await drawing.show(nodes, edges);
  await new Promise((done) => setTimeout(done, 3000));
  const frames = [], gaps = [];
  let last = performance.now();
  for (let at = 0; at <= {FRAMES}; at += 1) {{
    await new Promise(native);
    const now = performance.now();
    if (at) {{ frames.push(spent); gaps.push(now - last); }}
    [last, spent] = [now, 0];
    if (at < {FRAMES} / 2) drawing.cy.panBy({{ x: 4, y: 2 }});
    else drawing.zoomBy(1.01);
    spent += performance.now() - now;
  }}
  const sorted = (values) => values.sort((a, b) => a - b);
  const [s, g] = [sorted(frames), sorted(gaps)];
  window.figures = [s[{FRAMES} / 2], s[Math.floor({FRAMES} * 0.95)], 1000 / g[{FRAMES} / 2]];
}})();
1
"""


def fill(graph: Graph) -> None:
    """Write the triples: most of them inside groups of entities."""
    chance = random.Random(7)  # noqa: S311  (guards nothing)
    entities = TRIPLES // 5
    for start in range(0, TRIPLES, BATCH):
        batch: list[Candidate] = []
        for _ in range(start, start + BATCH):
            one = chance.randrange(entities)
            group = one // GROUP * GROUP
            other = chance.randrange(entities) if chance.random() < 0.04 else group + chance.randrange(GROUP)
            batch.append(
                Candidate(f"Service {one}", chance.choice(PREDICATES), f"Service {other}", "Service", "Service")
            )
        graph.add_triples([each for each in batch if each.subject != each.object])
    graph.build_communities()


def opened(seen: Browser, url: str) -> float:
    """Seconds until the map is drawn."""
    begun = time.perf_counter()
    seen.open(url)
    seen.until("explorer.drawing.cy.nodes().length > 0 && explorer.said", 60)
    return time.perf_counter() - begun


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "graph.duckdb"
        if not path.exists():
            with open_graph(path, embedder="wordllama") as graph:
                fill(graph)
        with explored(path) as running, browser() as seen:
            seen.size(1280, 800)
            seen.send("Page.addScriptToEvaluateOnNewDocument", source=TIMED)
            print(f"open {TRIPLES:,} triples: {opened(seen, running.url):.2f} s at first, ", end="")
            print(f"{opened(seen, running.url):.2f} s again: {seen.run('explorer.said')}")
            seen.run(MEASURE)
            median, most, rate = seen.until("window.figures", 600)
            print(f"{NODES:,} nodes, {FRAMES} frames: script {median:.1f} ms (median), {most:.1f} ms (95%)", end="")
            print(f"; {rate:.1f} frames a second")


if __name__ == "__main__":
    main()
