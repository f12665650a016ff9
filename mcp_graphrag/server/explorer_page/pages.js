// The pages that take the place of the picture: paths, impact, and what needs a decision.
import { ask } from "./api.js";
import { pathChains } from "./chains.js";
import { counted, element } from "./elements.js";
import { impactTree } from "./impact_tree.js";
import { entityName, quotesOf, restrictions } from "./quotes.js";

const input = (label, name, value) =>
  element("label", {}, label, element("input", { type: "text", name, value: value ?? "", required: true, autocomplete: "off" }));

/** A form that goes to an address made of its fields. */
function asker(fields, button, address) {
  const go = (event) => {
    event.preventDefault();
    location.hash = address(new FormData(event.target));
  };
  return element("form", { class: "ask", onsubmit: go }, fields, element("button", { class: "primary" }, button));
}

/** How two entities are connected. */
export async function pathsPage([source, target], asOf) {
  const form = asker([input("From", "source", source), input("To", "target", target)], "Find paths", (data) =>
    `#/paths/${encodeURIComponent(data.get("source"))}/${encodeURIComponent(data.get("target"))}`);
  const head = element("h1", {}, "How are two things connected?");
  if (!source || !target) return [head, form, element("p", { class: "quiet" }, "The shortest chains of triples between them, each hop with the quote that says it.")];
  return [head, form, ...pathChains(await ask("find_paths", { source, target, k: 5, as_of: asOf }))];
}

/** What depends on an entity. */
export async function impactPage([entity], asOf) {
  const form = asker([input("Entity", "entity", entity)], "Trace", (data) => `#/impact/${encodeURIComponent(data.get("entity"))}`);
  const head = element("h1", {}, "What breaks if this fails or changes?");
  if (!entity) return [head, form, element("p", { class: "quiet" }, "All that depends on it, level by level, each with the quote that says so.")];
  return [head, form, ...impactTree(await ask("trace_impact", { entity, limit: 200, as_of: asOf }))];
}

/** Conflicts and suggested merges, with buttons that decide them where writing is allowed. */
export async function reviewPage(writable, decided) {
  const answer = await ask("review", { limit: 20 });
  const list = element("div", {});
  const more = element("p", {});
  const add = (page) => {
    list.append(...page.review.map((item) => decision(item, page.evidence ?? [], writable, decided)));
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
  const open = `${counted(answer.conflicts ?? 0, "open conflict")} and ${counted(answer.merges ?? 0, "suggested merge")}`;
  return [
    element("h1", {}, "What needs a decision?"),
    element("p", { class: "quiet" }, answer.review.length ? open : "Nothing needs a decision."),
    writable ? null : element("p", { class: "notes" }, "The graph is open read-only: start the explorer without --read-only to decide."),
    list,
    more,
  ].filter(Boolean);
}

function decision(item, evidence, writable, decided) {
  const reason = element("input", { type: "text", "aria-label": "Reason", placeholder: "reason (kept in the history)" });
  const outcome = element("p", { class: "decided", role: "status" });
  const buttons = element("div", { class: "actions" });
  const why = () => reason.value.trim() || "decided in the explorer";
  const button = (text, tool, given, told) =>
    element("button", { type: "button", onclick: async () => {
      for (const each of buttons.querySelectorAll("button")) each.disabled = true;
      try {
        const answer = await ask(tool, { ...given, reason: why() });
        outcome.textContent = told(answer);
        buttons.remove();
        decided(answer.open);
      } catch (error) {
        outcome.textContent = error.message;
        for (const each of buttons.querySelectorAll("button")) each.disabled = false;
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
      : element("p", { class: "said" }, entityName(item.keep, ""), element("span", { class: "predicate" }, "and"), entityName(item.merge, "")),
    item.reasons?.length ? element("p", { class: "quiet" }, `Because: ${item.reasons.join("; ")}${item.score ? ` (score ${item.score.toFixed(2)})` : ""}`) : null,
    buttons,
    outcome,
  );
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
  );
}

function conflictButtons(item, button) {
  const told = (answer) => `Decided: kept ${answer.kept}. ${counted(answer.open ?? 0, "open conflict")} left.`;
  const keep = (text, side) => button(text, "resolve", { conflict: item.conflict, keep: side }, told);
  return item.triples?.length > 1
    ? [keep("Keep the first", "first"), keep("Keep the second", "second"), keep("Both hold", "both")]
    : [keep("It holds", "first"), keep("It does not", "second")];
}

function mergeButtons(item, button) {
  const both = { keep: item.keep, merge: item.merge };
  return [
    button(`One thing: call it ${item.keep}`, "merge", both, (answer) => `'${answer.other}' is '${answer.kept}' from now on; ${counted(answer.triples ?? 0, "triple")} moved. The command split undoes it.`),
    button("Two things", "merge", { ...both, distinct: true }, () => "They are two things: this will not be suggested again."),
  ];
}

