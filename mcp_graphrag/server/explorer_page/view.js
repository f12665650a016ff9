// An answer as a picture beside the conversation: of a neighbourhood, paths, an impact or a brief.
import { pathChains } from "./chains.js";
import { chooseColours } from "./colours.js";
import { Drawing, pictureOf } from "./drawing.js";
import { counted, element, placeOf } from "./elements.js";
import { Host } from "./host.js";
import { impactTree } from "./impact_tree.js";
import { entityName, notesOf, tripleItem } from "./quotes.js";

const MAX_LISTED = 60;
const about = document.getElementById("about");
const picture = document.getElementById("picture");
const words = document.getElementById("words");
const drawing = new Drawing(picture, { opened: (node) => open(node.name), expanded: (node) => open(node.name), told: () => {} });
let triples = [];
let evidence = [];

const host = new Host({ received, themed });

function themed(context) {
  if (context.theme) document.documentElement.dataset.theme = context.theme;
  drawing.restyle();
}

/** Show the result of a tool; what has no structure has said all in its text. */
function received(result) {
  const answer = result?.structuredContent;
  if (!answer) return tell("The answer stands in the conversation.");
  try {
    if (answer.paths) whole(pathChains(answer));
    else if (answer.affected?.length !== undefined) whole(impactTree(answer));
    else if (answer.holds) whole(mapOf(answer.holds));
    else neighbourhood(answer);
  } catch (error) {
    tell(`It cannot be drawn: ${error.message}`);
  }
  return undefined;
}

const tell = (text) => about.replaceChildren(text);

function whole(children) {
  picture.hidden = true;
  about.replaceChildren();
  words.replaceChildren(...children.filter(Boolean));
}

/** Triples as a picture, and in words below it. */
function neighbourhood(answer) {
  triples = answer.triples ?? [];
  evidence = answer.evidence ?? [];
  const said = answer.answer?.length ? element("p", { class: "answer" }, answer.answer.join(", ")) : null;
  const hits = (answer.hits ?? []).slice(0, 8).map((hit) =>
    element("li", {}, element("div", { class: "quiet" }, placeOf(hit.citation, hit.line).short), element("div", { class: "passage" }, hit.text.slice(...(hit.excerpt ?? [0, 500])).trim())));
  words.replaceChildren(...[said, listed(), hits.length ? element("ul", { class: "cards" }, hits) : null, notesOf(answer)].filter(Boolean));
  draw(answer.entity ?? null, answer.total);
}

function listed() {
  const shown = triples.slice(0, MAX_LISTED).map((each) => tripleItem(each, evidence));
  return element("details", { open: shown.length <= 8 }, element("summary", {}, counted(triples.length, "triple"), " with quotes"), element("ul", {}, shown));
}

function draw(start, total) {
  const { nodes, edges } = pictureOf(triples, evidence);
  const types = new Map();
  for (const node of nodes) types.set(node.type, (types.get(node.type) ?? 0) + 1);
  chooseColours([...types.keys()].sort((one, other) => types.get(other) - types.get(one)));
  picture.hidden = !nodes.length;
  const first = nodes.find((node) => node.name === start);
  if (first) first.hop = 0;
  drawing.show(nodes, edges, { start: first?.id ?? null });
  const more = total > triples.length ? ` of ${total.toLocaleString("en")}` : "";
  const can = host.capabilities?.serverTools ? " Click a name to go on from it." : "";
  about.replaceChildren(...[start ? entityName(start, first?.type) : null, `${start ? ": " : ""}${counted(triples.length, "triple")}${more}.${can}`].filter(Boolean));
}

/** Add what is around an entity, if the host lets the page ask. */
async function open(name) {
  if (!host.capabilities?.serverTools) return;
  tell(`Looking around ${name} …`);
  try {
    const { structuredContent: found } = await host.call("get_neighbourhood", { entity: name, hops: 1 });
    const offset = evidence.length;
    triples = [...triples, ...found.triples.map((each) => ({ ...each, evidence: (each.evidence ?? []).map((at) => at + offset) }))];
    evidence = [...evidence, ...(found.evidence ?? [])];
    words.replaceChildren(listed());
    draw(found.entity, 0);
  } catch (error) {
    tell(error.message);
  }
}

/** What a graph holds, as `brief` without a question tells. */
function mapOf(holds) {
  const bars = (title, counts) => {
    const pairs = Object.entries(counts ?? {}).slice(0, 12);
    return pairs.length ? element("section", {}, element("h3", {}, title), element("p", { class: "facts" }, pairs.map(([name, count]) => element("span", {}, `${name} ${count}`)))) : null;
  };
  return [
    element("h2", {}, `${counted(holds.documents, "document")}, ${counted(holds.entities, "entity")}, ${counted(holds.triples, "triple")}`),
    bars("Types", holds.types),
    bars("Predicates", holds.predicates),
    bars("Best known", holds.best_known),
  ].filter(Boolean);
}

/** Show the passage that a quote is of, below it. */
async function read({ target, detail }) {
  if (!host.capabilities?.serverTools) return;
  const quote = target.closest(".quote");
  if (quote.querySelector(".passage")) return;
  const text = await host.call("get_source", { what: [detail.source] }).then((result) => result.content.map((part) => part.text ?? "").join("\n"), (error) => error.message);
  quote.append(element("div", { class: "passage" }, text));
}

document.addEventListener("open-source", read);
document.addEventListener("open-entity", ({ detail }) => open(detail.name));
host.begin("mcp-graphrag", "1").catch((error) => tell(error.message));
