"""A workspace of TypeScript in a graph, read in parts: the questions of docs/source-code.md."""

import re
from pathlib import Path

from code_helpers import write_files

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery

SHARED = {
    "package.json": '{"private": true, "workspaces": ["packages/*", "apps/*"]}',
    "apps/web/package.json": '{"name": "@acme/web"}',
    "apps/web/tsconfig.json": '{"extends": "./tsconfig.base.json"}',
    "apps/web/tsconfig.base.json": '{"compilerOptions": {"paths": {"~/*": ["./src/*"]}}}',
    "apps/web/src/ui.tsx": "export const Button = memo((props) => <b>{props.label}</b>)\n",
    "apps/web/src/orders.ts": "export const orderService = { place: async () => 1 }\n",
    "packages/shared/package.json": '{"name": "@acme/shared", "main": "dist/index.js"}',
    "packages/shared/src/index.ts": 'export * from "./ids"\n',
    "packages/shared/src/ids.ts": "export function makeId() { return 1 }\n",
}
PAGE = """import { makeId } from "@acme/shared"
import { Button } from "~/ui"
import { orderService } from "~/orders"
export function page() { orderService.place(); return <Button label={makeId()} /> }
"""


def test_a_file_that_is_added_later_knows_the_configurations_that_are_stored(graph: Graph, tmp_path: Path) -> None:
    write_files(tmp_path / "shop", SHARED)
    graph.ingest_files([tmp_path / "shop"])
    page = tmp_path / "shop" / "apps" / "web" / "src" / "page.tsx"
    page.write_text(PAGE, encoding="utf-8")
    graph.ingest_files([page])

    documented = (Path(__file__).parents[2] / "docs" / "source-code.md").read_text(encoding="utf-8")
    entity, *objects = re.findall(r'^\w+\((?:entity|object)="(\w+|\w+\.\w+)".*\) +apps/web', documented, re.MULTILINE)

    assert "apps/web/src/page.page" in [each.entity.name for each in graph.trace_impact(entity).affected]
    assert objects == ["Button", "orderService.place"]
    for name in objects:
        found = graph.query_triples(TripleQuery(object=name, predicate="calls")).triples
        assert [each.subject for each in found] == ["apps/web/src/page.page"]
