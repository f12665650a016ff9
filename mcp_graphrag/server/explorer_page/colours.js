// A colour for each type: the most frequent ones of a picture have their own.
import { element } from "./elements.js";

// Each has a contrast of 3 : 1 or more with the light and the dark ground.
const HUES = [
  "#3f7fd6", "#d07a25", "#2f9a62", "#c5524a", "#8a69cc", "#1f97a3", "#c65c96", "#8b8a2c", "#a4694c", "#5d7795",
  "#6f8f3a", "#a0527a", "#7a6fb8", "#2d8f86", "#9a7a1f", "#d0564a",
];
const OTHER = "#868c97";
const chosen = new Map();

/** Give these types, the most frequent first, colours that differ; those that have one keep it. */
export function chooseColours(types) {
  const named = types.filter(hasColour);
  const free = HUES.filter((hue) => !named.slice(0, HUES.length).some((type) => chosen.get(type) === hue));
  for (const type of named.slice(0, HUES.length)) {
    if (chosen.has(type)) continue;
    const hue = free.shift();
    for (const [other, taken] of chosen) if (taken === hue) chosen.delete(other);
    chosen.set(type, hue);
  }
}

const hasColour = (type) => Boolean(type) && type !== "Phrase" && type !== "Value";

/** The colour of a type; grey for none, and when all are taken. */
export function colourOf(type) {
  if (!hasColour(type)) return OTHER;
  const taken = new Set(chosen.values());
  if (!chosen.has(type) && taken.size < HUES.length) chosen.set(type, HUES.find((hue) => !taken.has(hue)));
  return chosen.get(type) ?? OTHER;
}

/** A dot in the colour of a type, drawn so that no style of the page has to be changed. */
export function dot(type) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 10 10");
  svg.setAttribute("class", "dot");
  svg.setAttribute("aria-hidden", "true");
  const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [name, value] of Object.entries({ cx: 5, cy: 5, r: 4.5, fill: colourOf(type) })) {
    circle.setAttribute(name, value);
  }
  svg.append(circle);
  return svg;
}

/** The name of a type with its dot. */
export const typeChip = (type) => element("span", { class: "type" }, dot(type), type || "untyped");
