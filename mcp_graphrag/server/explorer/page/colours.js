// A colour for each type, the same in every picture and list: the most frequent types have their own.
import { element } from "./elements.js";

// Each has a contrast of 3 : 1 or more with the light and the dark ground.
const HUES = [
  "#3f7fd6", "#d07a25", "#2f9a62", "#c5524a", "#8a69cc", "#1f97a3", "#c65c96", "#8b8a2c", "#a4694c", "#5d7795",
];
const OTHER = "#868c97";
const chosen = new Map();

/** Give the types their colours, the most frequent first. */
export function chooseColours(types) {
  for (const type of types) colourOf(type);
}

/** The colour of a type; grey for none, and when all are taken. */
export function colourOf(type) {
  if (!type || type === "Phrase" || type === "Value") return OTHER;
  if (!chosen.has(type)) chosen.set(type, HUES[chosen.size] ?? OTHER);
  return chosen.get(type);
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
