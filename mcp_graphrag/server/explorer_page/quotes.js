// Triples as lists: what is said, when it holds, and the quotes that say it.
import { dot } from "./colours.js";
import { asking, element, inWords, placeOf } from "./elements.js";

const NO_ENTITY = new Set(["Phrase", "Value"]);

/** The name of an entity as a button that opens it; of what is no entity, its words. */
export function entityName(name, type) {
  if (NO_ENTITY.has(type)) return element("span", { class: "words" }, name);
  return asking("open-entity", { name, type }, [dot(type), element("span", {}, name)], {
    class: "link entity", title: type ? `${name} (${type})` : name,
  });
}

/** Whether the same is also stated with dates, to which a triple without them gives way. */
const givesWay = (triple, others) => !triple.valid_from && !triple.valid_to && others.some((each) => (each.valid_from || each.valid_to)
  && each.subject === triple.subject && each.predicate === triple.predicate && each.object === triple.object);

/** What restricts a triple: confidence, the time it holds, and that it follows from others. */
export function restrictions(triple, others = []) {
  const found = [];
  if (triple.confidence < 0.995) found.push(`confidence ${triple.confidence.toFixed(2).replace(/0$/, "")}`);
  if (triple.valid_from || triple.valid_to) found.push(`${triple.valid_from || "…"} to ${triple.valid_to || "…"}`);
  if (givesWay(triple, others)) found.push("without dates: gives way to the dated one");
  if (triple.metadata?.past) found.push("said in the past tense");
  return found.length ? element("span", { class: "restrictions" }, found.join(" · ")) : null;
}

/** A quote with its place, which opens the document there. */
export function quoteOf(evidence) {
  const place = placeOf(evidence.source || "", evidence.line);
  const isCode = evidence.extractor.split(", ").includes("code");
  const where = evidence.source?.includes("#chunk:")
    ? asking("open-source", evidence, place.short, { class: "link place", title: `Read ${place.full}` })
    : element("span", { class: "place" }, evidence.source || "no source");
  return element(
    "div",
    { class: isCode ? "quote code" : "quote" },
    evidence.quote ? element("q", {}, evidence.quote) : null,
    where,
    element("span", { class: "extractor", title: "What read it" }, evidence.extractor),
  );
}

/** The quotes behind a triple: the first, and the others folded away. */
export function quotesOf(triple, table) {
  const found = (triple.evidence ?? []).map((number) => table[number - 1]).filter(Boolean);
  const follows = (triple.inferred_from ?? []).map((each) => element("div", { class: "follows" }, `follows from ${each}`));
  if (!found.length) return follows;
  const more = found.slice(1).map(quoteOf);
  return [
    ...follows,
    quoteOf(found[0]),
    more.length ? element("details", { class: "more" }, element("summary", {}, `${more.length} more`), more) : null,
  ];
}

/** A whole triple with its quotes. */
export function tripleItem(triple, table, properties = {}) {
  return element(
    "li",
    { class: "triple", ...properties },
    element(
      "div",
      { class: "said" },
      entityName(triple.subject, triple.subject_type),
      element("span", { class: "predicate" }, inWords(triple.predicate)),
      entityName(triple.object, triple.object_type),
      restrictions(triple),
    ),
    quotesOf(triple, table),
  );
}

/** The triples of one entity, grouped by predicate and direction, the entity itself left out. */
export function triplesAround(answer) {
  const groups = new Map();
  for (const triple of answer.triples) {
    const out = triple.subject === answer.entity;
    const key = out ? `${inWords(triple.predicate)} →` : `← ${inWords(triple.predicate)}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push([triple, out]);
  }
  return [...groups].map(([key, members]) =>
    element(
      "section",
      { class: "group" },
      element("h3", {}, key, members.length > 1 ? element("span", { class: "count" }, members.length) : null),
      element(
        "ul",
        {},
        members.map(([triple, out]) =>
          element(
            "li",
            { class: "triple" },
            element(
              "div",
              { class: "said" },
              out ? entityName(triple.object, triple.object_type) : entityName(triple.subject, triple.subject_type),
              restrictions(triple, answer.triples),
            ),
            quotesOf(triple, answer.evidence ?? []),
          ),
        ),
      ),
    ),
  );
}

/** Notes and the hint of an answer, if it has any; a hint that names a tool is for agents. */
export function notesOf(answer) {
  const said = [...(answer.notes ?? []), answer.hint?.includes("`") ? "" : answer.hint].filter(Boolean).map((each) => each.replaceAll("`", ""));
  return said.length ? element("ul", { class: "notes" }, said.map((each) => element("li", {}, each))) : null;
}
