// The query box: openCypher, its rows as a table, and the triples in them as a picture.
import { ask } from "./api.js";
import { counted, element } from "./elements.js";
import { entityName, notesOf } from "./quotes.js";

const EXAMPLES = [
  ["The best connected", "MATCH (a)-[r]->(b) WITH a, count(*) AS triples ORDER BY triples DESC LIMIT 10 MATCH (a)-[s]->(c) RETURN a, triples, s, c"],
  ["Some triples", "MATCH (a)-[r]->(b) RETURN a, r, b LIMIT 50"],
  ["Least certain", "MATCH (a)-[r]->(b) WHERE r.confidence < 0.7 RETURN a, r, b ORDER BY r.confidence LIMIT 40"],
  ["With dates", "MATCH (a)-[r]->(b) WHERE r.valid_from IS NOT NULL RETURN a, r, b, r.valid_from ORDER BY r.valid_from LIMIT 50"],
];

/** The box with a query, and its rows where there is one; `drawn` is called with the triples in them. */
export async function queryPanel(query, asOf, drawn) {
  const box = element("textarea", { name: "query", "aria-label": "Query", spellcheck: "false" });
  box.value = query ?? EXAMPLES[1][1];
  const run = (event) => {
    event?.preventDefault();
    const to = `#/query/${encodeURIComponent(box.value)}`;
    if (location.hash === to) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = to;
  };
  box.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && run(event));
  const form = element(
    "form",
    { onsubmit: run },
    box,
    element("div", { class: "actions" }, element("button", { class: "primary" }, "Run"),
      EXAMPLES.map(([name, text]) => element("button", { type: "button", onclick: () => {
        box.value = text;
        run();
      } }, name))),
  );
  const head = [element("h1", {}, "Query in openCypher"), form];
  if (!query) return [...head, element("p", { class: "quiet" }, "Labels are types, relationships are predicates. A relationship finds the narrower predicates too. Ctrl-Enter runs it; nothing can be written.")];
  let answer;
  try {
    answer = await ask("query_graph", { query, limit: 500, as_of: asOf });
  } catch (error) {
    await drawn({});
    return [...head, element("p", { class: "notes", role: "alert" }, error.message)];
  }
  await drawn(pictureIn(answer.rows));
  return [
    ...head,
    element("h2", {}, counted(answer.rows.length, "row"), answer.truncated ? element("span", { class: "count" }, "there are more") : null),
    element(
      "div",
      { class: "scroll", tabindex: "0" },
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, answer.columns.map((each) => element("th", { scope: "col" }, each)))),
        element("tbody", {}, answer.rows.map((row) => element("tr", {}, row.map((each) => element("td", {}, cell(each)))))),
      ),
    ),
    notesOf(answer),
  ].filter(Boolean);
}

const isNode = (value) => value !== null && typeof value === "object" && "name" in value && !("confidence" in value);
const isLink = (value) => value !== null && typeof value === "object" && "confidence" in value && "type" in value && !("name" in value);
const isPath = (value) => value !== null && typeof value === "object" && "nodes" in value && "relationships" in value;

function cell(value) {
  if (isNode(value)) return entityName(value.name, value.type);
  if (isLink(value)) return element("span", { class: "predicate", title: (value.quotes ?? []).join("\n") }, value.type.replaceAll("_", " "));
  if (isPath(value)) {
    return value.nodes.flatMap((node, at) => [at ? element("span", { class: "predicate" }, ` ${value.relationships[at - 1].type.replaceAll("_", " ")} `) : null, entityName(node.name, node.type)]);
  }
  if (Array.isArray(value)) return value.flatMap((each, at) => [at ? ", " : null, cell(each)]);
  if (value === null) return element("span", { class: "quiet" }, "none");
  return typeof value === "object" ? JSON.stringify(value) : String(value).replace(/^(\d{4}-\d\d-\d\d)T00:00:00Z$/, "$1");
}

/** What can be drawn of rows: the triples of paths and of relationships that stand beside their nodes, all nodes, and
 * pairs of nodes that stand in a row without a relationship. */
function pictureIn(rows) {
  const [triples, entities, pairs] = [[], [], []];
  const add = (one, link, other) =>
    triples.push({ subject: one.name, subject_type: one.type, predicate: link.type, object: other.name, object_type: other.type, confidence: link.confidence ?? 1, evidence: [], undirected: true });
  for (const row of rows) {
    const nodes = row.filter(isNode);
    const links = row.filter(isLink);
    entities.push(...nodes);
    for (const path of row.filter(isPath)) path.relationships.forEach((link, step) => add(path.nodes[step], link, path.nodes[step + 1]));
    // In the order of the row, as it was matched: node, relationship, node. Which end is the subject no row tells.
    if (links.length && links.length === nodes.length - 1) links.forEach((link, at) => add(nodes[at], link, nodes[at + 1]));
    else if (!links.length) nodes.slice(1).forEach((node, at) => pairs.push([nodes[at], node]));
  }
  const none = rows.length ? "The rows have no entity to draw: return nodes, and what is between them." : "The query has no rows.";
  return { triples, entities, pairs, none };
}
