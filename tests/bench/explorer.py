"""How fast the explorer draws: script a frame with 5,000 nodes, and until a graph of 100,000 triples is open.

Usage, on Linux with Chromium installed: .venv/bin/python tests/bench/explorer.py [FILE]
FILE keeps the graph of 100,000 triples between runs. Processor time is that of the server's process and of the page's
main thread, so it says the same on a busy machine. Without a GPU the frames a second say little: the browser then draws
by the processor.
"""

import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from browser import Browser, browser
from explored import Explored, explored

from mcp_graphrag.graph import Graph, open_graph
from mcp_graphrag.model import Candidate

TRIPLES, GROUP, BATCH = 100_000, 40, 5_000
NODES, FRAMES = 5_000, 200
PREDICATES = ("depends_on", "calls", "owned_by", "runs_on", "uses")
MEASURE = f"""
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
  const stage = document.getElementById("picture");
  const area = stage.getBoundingClientRect();
  const [left, top] = [area.x + 6, area.y + 6]; // where no node is
  const mouse = (kind, at, target) => target.dispatchEvent(new MouseEvent(kind, {{
    bubbles: true, cancelable: true, view: window, clientX: left + at, clientY: top + at / 2, buttons: 1,
  }}));
  window.step = async (at) => {{
    if (at === 0) mouse("mousedown", 0, stage.querySelector("canvas"));
    else if (at < {FRAMES} / 2) mouse("mousemove", at, window);
    else if (at === {FRAMES} / 2) mouse("mouseup", at, window);
    else stage.querySelector("canvas").dispatchEvent(new WheelEvent("wheel", {{
      bubbles: true, cancelable: true, clientX: left, clientY: top, deltaY: -20,
    }}));
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
  }};
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


def opened(seen: Browser, running: Explored) -> str:
    """The seconds until the map is drawn: by the clock, and of processor time in the server and in the page."""
    seen.open("about:blank")  # from the page itself it were no new one
    seen.until("location.href === 'about:blank'")
    begun, served, drawn = time.perf_counter(), server_seconds(running.pid), metric(seen, "TaskDuration")
    seen.open(running.url)
    seen.until("explorer.drawing.cy.nodes().length > 0 && explorer.said")
    spent = time.perf_counter() - begun
    after = metric(seen, "TaskDuration")
    page = after - drawn if after >= drawn else after  # less, if it is another process
    server = server_seconds(running.pid) - served
    return f"{spent:.2f} s, processor time {server:.2f} s in the server, {page:.2f} s in the page"


def server_seconds(pid: int) -> float:
    """The processor time of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def frame_seconds(seen: Browser, at: int) -> float:
    """The processor time that scripts take from one step of the mouse until it is drawn."""
    before = metric(seen, "ScriptDuration")
    seen.run(f"step({at})")
    return metric(seen, "ScriptDuration") - before


def metric(seen: Browser, name: str) -> float:
    """Seconds of processor time that the page has taken for something."""
    metrics = seen.send("Performance.getMetrics")["metrics"]
    return next(each["value"] for each in metrics if each["name"] == name)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "graph.duckdb"
        if not path.exists():
            with open_graph(path, embedder="wordllama") as graph:
                fill(graph)
        with explored(path) as running, browser() as seen:
            seen.size(1280, 800)
            seen.send("Performance.enable", timeDomain="threadTicks")
            for when in ("at first", "again"):
                print(f"open {TRIPLES:,} triples {when}: {opened(seen, running)}", flush=True)
            print(seen.run("explorer.said"))
            seen.run(MEASURE)
            seen.until("Boolean(window.step)", 600)
            frames = [frame_seconds(seen, at) * 1000 for at in range(FRAMES)]
            for what, part in (("dragged", frames[: FRAMES // 2]), ("zoomed", frames[FRAMES // 2 :]), ("all", frames)):
                most = statistics.quantiles(part, n=20)[-1]
                print(f"{NODES:,} nodes, {len(part)} frames {what}: {statistics.median(part):.1f} ms of script", end="")
                print(f" in a frame (median, of processor time), {most:.1f} ms (95%)", flush=True)


if __name__ == "__main__":
    main()
