// The details beside the picture: an entity, a community, what a search found, and a document at a quote.
import { ask } from "./api.js";
import { typeChip } from "./colours.js";
import { asking, counted, cut, element, inWords, placeOf } from "./elements.js";
import { entityName, notesOf, triplesAround } from "./quotes.js";

const TRIPLES = 200;
const AROUND_QUOTE = 40; // lines before and after
const ARMS = {
  keyword: "has the words", vector: "is near in meaning", triples: "supports triples that fit", graph: "is near by links",
  pagerank: "is near by a walk over links", second_pass: "has words of the first passages",
};

/** What is known of an entity: its types and names, its triples with their quotes. */
export async function entityPanel(name, asOf) {
  const [answer, found] = await Promise.all([
    ask("get_neighbourhood", { entity: name, hops: 1, limit: TRIPLES, as_of: asOf }),
    ask("find_entities", { query: name, limit: 5 }),
  ]);
  const named = found.entities.filter((each) => each.name === answer.entity);
  const to = encodeURIComponent(answer.entity);
  return [
    element("h1", {}, answer.entity),
    ...named.map((each) =>
      element("p", { class: "facts" }, typeChip(each.type), element("span", {}, counted(each.triples, "triple")),
        element("span", {}, counted(each.mentions ?? 0, "mention")),
        each.aliases?.length ? element("span", {}, `also ${each.aliases.join(", ")}`) : null),
    ),
    element(
      "div",
      { class: "actions" },
      asking("expand-entity", { name: answer.entity }, "Expand in picture", { class: "" }),
      asking("draw-entity", { name: answer.entity }, "Draw alone", { class: "" }),
      asking("go", `#/impact/${to}`, "Impact", { class: "" }),
      asking("go", `#/paths/${to}`, "Paths", { class: "" }),
    ),
    answer.description ? element("p", {}, answer.description) : null,
    answer.values?.length ? element("p", { class: "quiet" }, answer.values.map((each) => each.replace(/^\S+/, inWords)).join(" · ")) : null,
    asOf ? element("p", { class: "quiet" }, answer.triples.length ? `As of ${asOf}.` : `None of its triples holds on ${asOf}.`) : null,
    ...triplesAround(answer),
    notesOf({ notes: answer.notes, hint: answer.truncated ? `${TRIPLES} of ${answer.total} triples are listed.` : "" }),
    element("details", { ontoggle: (event) => event.target.open && history(event.target, answer.entity) },
      element("summary", {}, "History")),
  ].filter(Boolean);
}

async function history(details, name) {
  if (details.childElementCount > 1) return;
  const answer = await ask("history", { entity: name, limit: 50 }).catch((error) => ({ events: [{ what: error.message }] }));
  details.append(
    element("ul", { class: "notes" }, answer.events.map((each) =>
      element("li", {}, `${(each.at ?? "").slice(0, 16).replace("T", " ")} ${each.what}`,
        each.valid_from || each.valid_to ? ` [${each.valid_from || "…"} to ${each.valid_to || "…"}]` : "", each.undone ? " (undone)" : ""))),
  );
}

/** The communities of a map, or the one that is drawn, as a list. */
export function communityPanel(start, answer) {
  const inside = answer.inside;
  const head = inside
    ? [element("h1", {}, inside.title), element("p", { class: "facts" }, counted(inside.size, "entity")), element("p", {}, inside.summary ?? "")]
    : [
        element("h1", {}, "What is in the graph"),
        element("p", { class: "facts" }, counted(start.documents, "document"), " · ", counted(start.entities, "entity"), " · ", counted(start.triples, "triple")),
        start.best_known.length
          ? element("div", {}, element("h3", {}, "Best known"), element("p", { class: "said" }, start.best_known.map((each) => entityName(each.name, each.type))))
          : null,
      ];
  const list = (answer.communities ?? []).map((each) =>
    element(
      "li",
      {},
      element("a", { href: `#/community/${each.id}`, class: "title" }, each.title),
      element("span", { class: "count" }, counted(each.size, "entity")),
      element("p", { class: "quiet" }, cut(each.summary ?? "", 220)),
    ),
  );
  const entities = (answer.entities ?? []).map((each) =>
    element("li", { class: "triple" }, entityName(each.name, each.type), element("span", { class: "count" }, each.degree)));
  return [
    ...head,
    list.length ? element("h2", {}, inside ? "Inside it" : "Communities") : null,
    list.length ? element("ul", { class: "cards" }, list) : null,
    entities.length ? element("h2", {}, "Entities") : null,
    entities.length ? element("ul", {}, entities) : null,
    answer.unbuilt && !start.read_only
      ? asking("build-communities", {}, "Build the communities", { class: "primary" })
      : null,
    notesOf(answer),
  ].filter(Boolean);
}

/** Entities and passages for a query, each passage with why it is there, and the entity that is `named` so, if any. */
export async function searchPanel(query, mode, asOf) {
  const [found, names] = await Promise.all([
    ask("search", { query, mode, limit: 12, explain: true, as_of: asOf }),
    ask("find_entities", { query, limit: 6 }).catch(() => ({ entities: [] })),
  ]);
  const named = names.entities.filter((each) => each.score > 0.5 || each.matched !== "embedding");
  const children = [
    element("h1", {}, `“${cut(query, 80)}”`),
    named.length ? element("div", {}, element("h2", {}, "Entities"), element("ul", {}, named.map((each) =>
      element("li", { class: "triple said" }, entityName(each.name, each.type),
        element("span", { class: "quiet" }, `${each.type || "untyped"}, ${counted(each.triples, "triple")}`))))) : null,
    element("h2", {}, found.hits.length ? "Passages" : "No passage", element("span", { class: "count", title: "Chosen in the list beside the search box" }, `mode ${found.mode}`)),
    found.hits.length && !named.length && !found.hits.some((hit) => hit.terms?.length)
      ? element("p", { class: "notes" }, "No name and no passage has these words: these passages are the nearest by meaning.") : null,
    element("ol", { class: "cards" }, found.hits.map(hitItem)),
    notesOf(found),
  ].filter(Boolean);
  return { children, named: named.find((each) => ["exact", "alias"].includes(each.matched))?.name };
}

function hitItem(hit) {
  const isCode = /^text\/x-|javascript|typescript/.test(hit.document.media_type ?? "") || /\.(py|js|ts|go|rs|java)$/.test(hit.document.uri);
  const [start, end] = hit.excerpt ?? [0, hit.text.length];
  const text = hit.text.slice(start, end).trim();
  const reasons = (hit.arms ?? []).map((arm) => element("span", { title: `${ARMS[arm.arm] ?? arm.arm}; its score is ${arm.score.toPrecision(3)}` }, `${arm.arm.replaceAll("_", " ")} #${arm.rank}`));
  return element(
    "li",
    {},
    asking("open-source", { source: hit.citation, quote: text, line: hit.line }, hit.headings?.at(-1) ?? hit.document.title, { class: "link title" }),
    element("div", { class: "quiet" }, placeOf(hit.citation, hit.line).short),
    element("div", { class: isCode ? "passage code" : "passage" }, withTerms(cut(text, 600), hit.terms ?? [])),
    element("div", { class: "arms" }, reasons.length ? "found by" : null, reasons),
    hit.why?.length ? element("details", { class: "arms" }, element("summary", {}, "why"), element("ul", {}, hit.why.map((each) => element("li", {}, each)))) : null,
  );
}

/** A text with the words marked that begin with a term. */
function withTerms(text, terms) {
  const sorted = terms.filter((each) => each.length > 1).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).sort((a, b) => b.length - a.length);
  if (!sorted.length) return [text];
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])((?:${sorted.join("|")})[\\p{L}\\p{N}]*)`, "giu"));
  return parts.map((part, at) => (at % 2 ? element("mark", {}, part) : part));
}

/** A document at a quote, which is marked in it. */
export async function documentPanel(evidence) {
  const { whole } = evidence;
  const { uri } = placeOf(evidence.source);
  let source = await ask("get_source", { what: [uri] }).catch(() => null);
  let at = source ? positionOf(source, evidence) : null;
  if (!at) {
    source = await ask("get_source", { what: [evidence.source] });
    at = positionOf(source, evidence) ?? [0, 0];
  }
  const isCode = /x-|javascript|typescript|json|sql/.test(source.document?.media_type ?? "") && !/markdown/.test(source.document?.media_type ?? "");
  const first = source.lines?.[0] ?? 1;
  const lines = source.text.split("\n");
  const hit = source.text.slice(0, at[0]).split("\n").length - 1;
  const last = source.text.slice(0, Math.max(at[1] - 1, at[0])).split("\n").length - 1;
  const [from, to] = whole ? [0, lines.length] : [Math.max(0, hit - AROUND_QUOTE), Math.min(lines.length, last + AROUND_QUOTE + 1)];
  let offset = lines.slice(0, from).reduce((sum, line) => sum + line.length + 1, 0);
  const rows = lines.slice(from, to).flatMap((line, index) => {
    const [start, end] = [at[0] - offset, at[1] - offset];
    offset += line.length + 1;
    const number = from + index;
    const isHit = number >= hit && number <= last && at[1] > at[0];
    const text = isHit
      ? [line.slice(0, Math.max(start, 0)), element("mark", {}, line.slice(Math.max(start, 0), Math.max(end, 0))), line.slice(Math.max(end, 0))]
      : [line];
    return [element("span", { class: "number", "aria-hidden": "true" }, number + first), element("span", { class: isHit ? "hit" : "" }, text.filter((each) => each !== ""), "\n")];
  });
  const part = to - from < lines.length;
  return [
    element("h1", {}, source.document?.title || source.path),
    element("p", { class: "quiet" }, source.path, at[1] > at[0] ? `, line ${hit + first}` : ""),
    evidence.extractor ? element("p", { class: "quiet" }, `Read by ${evidence.extractor}, confidence ${evidence.confidence}.`) : null,
    element("div", { class: `document lines${isCode ? " code" : ""}` }, rows),
    part ? element("p", {}, asking("open-source", { ...evidence, whole: true }, `Show all ${lines.length} lines`)) : null,
    notesOf(source),
  ].filter(Boolean);
}

/** Where in a text the quote of an evidence is: by its span, or else by its words. */
function positionOf(source, evidence) {
  const [from] = source.span ?? [0];
  const quote = evidence.quote ?? "";
  if (evidence.span?.length) {
    const at = evidence.span.map((each) => each - from);
    if (at[0] >= 0 && at[1] <= source.text.length && similar(source.text.slice(...at), quote)) return at;
  }
  const start = quote ? source.text.indexOf(quote) : -1;
  if (start >= 0) return [start, start + quote.length];
  const words = quote.split(/\s*…\s*/)[0].trim();
  const begin = words ? source.text.indexOf(words) : -1;
  return begin >= 0 ? [begin, begin + words.length] : null;
}

const similar = (text, quote) => !quote || plain(text).startsWith(plain(quote).slice(0, 12));
const plain = (text) => text.replace(/[\s*_`#>|]+/g, " ").trim().toLowerCase();

