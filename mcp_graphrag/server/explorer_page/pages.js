// The pages that take the place of the picture: paths, impact, and what needs a decision.
import { ask } from "./api.js";
import { pathChains } from "./chains.js";
import { typeChip } from "./colours.js";
import { addressOf, asking, counted, element } from "./elements.js";
import { impactTree } from "./impact_tree.js";
import { entityName, quoteOf, quotesOf, restrictions, tripleItem } from "./quotes.js";

const MAX_OFFERED = 8;
const FACTS = 3; // triples of each name of a suggested merge

/** A field for a name, which offers those that fit what is typed. */
function input(label, name, value) {
  const list = element("datalist", { id: `names-${name}` });
  const offer = async (event) => {
    const found = await namesLike(event.target.value).catch(() => []);
    list.replaceChildren(...found.map((each) => element("option", { value: each.name }, each.type)));
  };
  return element("label", {}, label, list,
    element("input", { type: "text", name, value: value ?? "", required: true, autocomplete: "off", list: list.id, oninput: offer }));
}

/** The entities whose names are like a text, those that begin so first. */
async function namesLike(text) {
  if (!text.trim()) return [];
  const { entities } = await ask("find_entities", { query: text, limit: MAX_OFFERED });
  const begins = (each) => each.name.toLowerCase().startsWith(text.trim().toLowerCase());
  return entities.filter((each) => each.matched !== "embedding").sort((one, other) => begins(other) - begins(one));
}

/** A form that goes to an address made of its fields. */
function asker(fields, button, address) {
  const go = (event) => {
    event.preventDefault();
    location.hash = address(new FormData(event.target));
  };
  return element("form", { class: "ask", onsubmit: go }, fields, element("button", { class: "primary" }, button));
}

/** What `make` answers; if it is refused, why, and the names that one of those `given` may have meant, as links. */
async function answered(view, given, make) {
  try {
    return await make();
  } catch (error) {
    const offers = await Promise.all(given.map(async (name, at) => {
      const found = await namesLike(name).catch(() => []);
      if (!found.length || found.some((each) => each.matched === "exact" || each.matched === "alias")) return null;
      const link = (each) => element("li", { class: "said" }, typeChip(each.type), element("a", { href: addressOf(view, ...given.with(at, each.name)) }, each.name));
      return element("div", {}, element("h2", {}, `Did you mean, for “${name}”`), element("ul", { class: "offers" }, found.map(link)));
    }));
    const offered = offers.filter(Boolean);
    return [element("p", { class: "notes", role: "alert" }, offered.length ? (error.fact ?? error.message) : error.message), ...offered];
  }
}

const onDay = (asOf) => (asOf ? element("p", { class: "quiet" }, `Only what held on ${asOf}; the header leads back to any time.`) : null);

/** How two entities are connected. */
export async function pathsPage([source, target], asOf) {
  const form = asker([input("From", "source", source), input("To", "target", target)], "Find paths", (data) =>
    addressOf("paths", data.get("source"), data.get("target")));
  const head = element("h1", {}, "How are two things connected?");
  if (!source || !target) return [head, form, element("p", { class: "quiet" }, "The shortest chains of triples between them, each hop with the quote that says it.")];
  const found = () => ask("find_paths", { source, target, k: 5, as_of: asOf }).then(pathChains);
  return [head, form, onDay(asOf), ...(await answered("paths", [source, target], found))];
}

/** What depends on an entity. */
export async function impactPage([entity], asOf) {
  const form = asker([input("Entity", "entity", entity)], "Trace", (data) => addressOf("impact", data.get("entity")));
  const head = element("h1", {}, "What breaks if this fails or changes?");
  if (!entity) return [head, form, element("p", { class: "quiet" }, "All that depends on it, level by level, each with the quote that says so.")];
  return [head, form, onDay(asOf), ...(await answered("impact", [entity], () => ask("trace_impact", { entity, limit: 200, as_of: asOf }).then(impactTree)))];
}

/** How many decisions wait, by an answer of review. */
export const waiting = (answer) => (answer.conflicts ?? 0) + (answer.merges ?? 0);

/** Conflicts and suggested merges, with buttons that decide them where writing is allowed. */
export async function reviewPage(writable, decided) {
  const answer = await ask("review", { limit: 20 });
  const list = element("div", {});
  const head = element("p", { class: "quiet" });
  const tell = (now) => (head.textContent = waiting(now)
    ? `${counted(now.conflicts ?? 0, "open conflict")} and ${counted(now.merges ?? 0, "suggested merge")}` : "Nothing needs a decision.");
  const changed = async () => {
    tell(await ask("review", { limit: 1 }));
    await decided();
  };
  const more = element("p", {});
  const add = (page) => {
    list.append(...page.review.map((item) => decision(item, page.evidence ?? [], writable, changed)));
    more.replaceChildren(
      ...(page.next_cursor
        ? [element("button", { type: "button", onclick: async (event) => {
            event.target.disabled = true;
            add(await ask("review", { limit: 20, cursor: page.next_cursor }));
          } }, "Show more")]
        : []),
    );
  };
  add(answer);
  tell(answer);
  return [
    element("h1", {}, "What needs a decision?"),
    head,
    writable ? null : element("p", { class: "notes" }, "The graph is open read-only: start the explorer without --read-only to decide."),
    list,
    more,
  ].filter(Boolean);
}

function decision(item, evidence, writable, changed) {
  const reason = element("input", { type: "text", "aria-label": "Reason", placeholder: "reason (kept in the history)" });
  const outcome = element("p", { class: "decided", role: "status" });
  const buttons = element("div", { class: "actions" });
  const enable = (yes) => buttons.querySelectorAll("button").forEach((each) => (each.disabled = !yes));
  const undo = (operation) => async () => {
    try {
      await ask("explore_undo", { operation });
      outcome.replaceChildren("Undone.");
      buttons.hidden = false;
      enable(true);
      await changed();
    } catch (error) {
      outcome.append(` ${error.message}`);
    }
  };
  const button = (text, tool, given, told) =>
    element("button", { type: "button", onclick: async () => {
      enable(false);
      try {
        const before = await ask("explore_undo");
        const answer = await ask(tool, { ...given, reason: reason.value.trim() || "decided in the explorer" });
        buttons.hidden = true;
        const after = await ask("explore_undo").catch(() => before);
        // A decision that changed nothing is no operation, and the last one may be somebody else's.
        const own = after.operation > before.operation && after.tool === tool;
        outcome.replaceChildren(told(answer), " ", own ? element("button", { type: "button", class: "link", onclick: undo(after.operation) }, "Undo") : "");
        await changed();
      } catch (error) {
        outcome.textContent = error.message;
        enable(true);
      }
    } }, text);
  if (writable) buttons.append(...(item.kind === "conflict" ? conflictButtons(item, button) : mergeButtons(item, button)), reason);
  return element(
    "section",
    { class: "decision", "aria-label": item.detail },
    element("h2", {}, item.kind === "conflict" ? "Two triples that disagree" : "Two names, maybe one thing"),
    element("p", { class: "quiet" }, item.detail),
    item.kind === "conflict"
      ? element("div", { class: "sides" }, (item.triples ?? []).map((triple, at) => side(item, triple, at, evidence)))
      : element("div", { class: "sides" }, known(item.keep), known(item.merge)),
    item.reasons?.length ? element("p", { class: "quiet" }, `Because: ${item.reasons.join("; ")}${item.score ? ` (score ${item.score.toFixed(2)})` : ""}`) : null,
    buttons,
    outcome,
  );
}

/** What is known of a name, filled in when it has come: it is what decides whether two are one. */
function known(name) {
  const facts = element("ul", {});
  const box = element("div", { class: "side" }, element("div", { class: "said" }, asking("open-entity", { name }, name, { class: "link entity" })), facts);
  ask("get_neighbourhood", { entity: name, hops: 1, limit: FACTS }).then(async (found) => {
    const listed = found.triples.map((each) => tripleItem(each, found.evidence ?? []));
    const { hits } = listed.length ? { hits: [] } : await ask("search", { query: name, mode: "keyword", limit: 2 });
    const passages = hits.map((hit) => element("li", { class: "triple" }, quoteOf({ source: hit.citation, quote: hit.text.slice(...(hit.excerpt ?? [0, 300])).trim(), line: hit.line, extractor: "" })));
    facts.append(...listed, ...(listed.length ? [] : [element("li", { class: "quiet" }, "No triple; it is named in:"), ...passages]));
    if (found.total > listed.length) facts.append(element("li", { class: "quiet" }, `and ${found.total - listed.length} more`));
  }, (error) => facts.append(element("li", { class: "quiet" }, error.message)));
  return box;
}

function side(item, triple, at, evidence) {
  const name = at ? "second" : "first";
  return element(
    "div",
    { class: "side" },
    element("h3", {}, name === "first" ? "First" : "Second", item.preferred === name ? element("span", { class: "trusted" }, " · from a more trusted source") : null),
    element("div", { class: "said" }, entityName(triple.subject, triple.subject_type), element("span", { class: "predicate" }, triple.predicate.replaceAll("_", " ")),
      entityName(triple.object, triple.object_type), restrictions(triple)),
    quotesOf(triple, evidence),
    item.drops?.[at] ? element("p", { class: "quiet" }, `If not kept, it ${item.drops[at]}.`) : null,
  );
}

function conflictButtons(item, button) {
  const gone = ({ dropped, ended }) => `${counted(dropped.length, "triple")} ${ended ? `now ${dropped.length > 1 ? "end" : "ends"} ${ended}` : "retired"}`;
  const told = (answer) => `Decided: kept ${answer.kept}${answer.dropped?.length ? `, ${gone(answer)}` : ""}. The history of ${item.triples[0].subject} has it, with the reason.`;
  const keep = (text, side) => button(text, "resolve", { conflict: item.conflict, keep: side }, told);
  return item.triples?.length > 1
    ? [keep("Keep the first", "first"), keep("Keep the second", "second"), keep("Both hold", "both")]
    : [keep("It holds", "first"), keep("It does not", "second")];
}

function mergeButtons(item, button) {
  const both = { keep: item.keep, merge: item.merge };
  return [
    button(`One thing: call it ${item.keep}`, "merge", both, (answer) => `'${answer.other}' is '${answer.kept}' from now on; ${counted(answer.triples ?? 0, "triple")} moved.`),
    button("Two things", "merge", { ...both, distinct: true }, () => "They are two things: this will not be suggested again."),
  ];
}
