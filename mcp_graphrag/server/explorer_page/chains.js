// Paths as chains: entity, predicate, entity, from left to right, each hop with the quote that says it.
import { counted, element, inWords } from "./elements.js";
import { entityName, notesOf, quotesOf, restrictions } from "./quotes.js";

/** The paths of an answer of find_paths. */
export function pathChains(answer) {
  const head = answer.found
    ? `${counted(answer.paths.length, "path")} from ${answer.source} to ${answer.target}, the shortest first`
    : `No path from ${answer.source} to ${answer.target}`;
  return [
    element("h2", {}, head),
    ...answer.paths.map((path, number) => chain(answer, path, number + 1)),
    notesOf(answer),
  ];
}

function chain(answer, path, number) {
  let at = answer.source;
  const links = [];
  for (const each of path.triples) {
    const triple = answer.triples[each - 1];
    // A path starts at one of the entities of that name, so the direction is told by what was reached.
    const forward = triple.subject === at || triple.object !== at;
    if (!links.length) links.push(end(triple, forward));
    links.push(hop(triple, forward), end(triple, !forward));
    at = forward ? triple.object : triple.subject;
  }
  return element(
    "section",
    { class: "chain" },
    element("h3", {}, `Path ${number}`, element("span", { class: "count" }, counted(path.hops, "hop"))),
    element("ol", { class: "links" }, links),
    element(
      "ul",
      { class: "evidence" },
      path.triples.map((each) => {
        const triple = answer.triples[each - 1];
        const said = `${triple.subject} ${inWords(triple.predicate)} ${triple.object}`;
        return element("li", {}, element("div", { class: "hop-said" }, said), quotesOf(triple, answer.evidence ?? []));
      }),
      (path.inferred ?? []).map((each) => element("li", { class: "follows" }, each)),
    ),
  );
}

const end = (triple, asSubject) =>
  element(
    "li",
    { class: "node" },
    asSubject ? entityName(triple.subject, triple.subject_type) : entityName(triple.object, triple.object_type),
  );

const hop = (triple, forward) =>
  element(
    "li",
    { class: forward ? "hop" : "hop back" },
    element("span", { class: "predicate" }, inWords(triple.predicate)),
    restrictions(triple),
  );
