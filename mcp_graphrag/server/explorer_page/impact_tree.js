// Impact as a tree: below each entity what depends on it, level by level.
import { counted, element, inWords } from "./elements.js";
import { entityName, notesOf, quotesOf } from "./quotes.js";

const OPEN_LEVELS = 3;

/** The tree of an answer of trace_impact. */
export function impactTree(answer) {
  const below = new Map();
  for (const each of answer.affected) {
    const key = each.level === 1 ? "" : branchKey(each.via, each.via_type, each.level - 1);
    if (!below.has(key)) below.set(key, []);
    below.get(key).push(each);
  }
  const type = answer.affected.find((each) => each.level === 1 && each.via === answer.entity)?.via_type;
  const levels = (answer.levels ?? []).map((count, at) => `${count} at level ${at + 1}`).join(", ");
  const cut = answer.affected.length < answer.total ? `, ${answer.affected.length} of them shown` : "";
  return [
    element("h2", {}, answer.total ? `If ${answer.entity} fails: ${counted(answer.total, "entity")} affected${cut}`
      : `Nothing stored depends on ${answer.entity}`),
    levels ? element("p", { class: "quiet" }, `${levels}, by ${(answer.predicates ?? []).map(inWords).join(", ")}`) : null,
    element(
      "ul",
      { class: "tree" },
      element(
        "li",
        { class: "root" },
        element("div", { class: "said" }, entityName(answer.entity, type)),
        branches(answer, below, ""),
      ),
    ),
    notesOf(answer),
  ];
}

const branchKey = (name, type, level) => `${level}\n${type ?? ""}\n${name}`;

function branches(answer, below, key) {
  const found = below.get(key) ?? [];
  return found.length ? element("ul", {}, found.map((each) => branch(answer, below, each))) : null;
}

function branch(answer, below, each) {
  const under = branches(answer, below, branchKey(each.entity, each.type, each.level));
  const said = element(
    "div",
    { class: "said" },
    entityName(each.entity, each.type),
    element("span", { class: "predicate" }, inWords(each.predicate)),
    element("details", { class: "why" }, element("summary", {}, "why"), quotesOf(each, answer.evidence ?? []),
      (each.inferred ?? []).map((why) => element("div", { class: "follows" }, why))),
  );
  if (!under) return element("li", {}, said);
  const count = under.querySelectorAll("li").length;
  return element(
    "li",
    {},
    said,
    element("details", { class: "below", open: each.level < OPEN_LEVELS },
      element("summary", {}, `${count} below`), under),
  );
}
