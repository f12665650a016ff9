// What of the picture is seen: by type, predicate, confidence, source and time.
import { chooseColours, dot } from "./colours.js";
import { element, inWords } from "./elements.js";

const MAX_TYPES = 12;
const DAY = 86_400_000;

export class Filters {
  /** `changed` is called when less or more is to be seen, `timed` with a date, or null for any time. */
  constructor(container, { changed, timed, dates }) {
    Object.assign(this, { container, changed, timed, dates });
    this.hiddenTypes = new Set();
    this.hiddenPredicates = new Set();
    this.confidence = 0;
    this.source = "";
    this.asOf = null;
    this.key = "";
  }

  wantsNode = (node) => Boolean(node.community) || !this.hiddenTypes.has(node.type);

  wantsEdge = (edge) =>
    Boolean(edge.plain) ||
    (!this.hiddenPredicates.has(edge.predicate) &&
      edge.confidence >= this.confidence - 1e-9 &&
      (!this.source || edge.sources.some((each) => each.toLowerCase().includes(this.source.toLowerCase()))));

  /** Offer what the picture has. */
  offer(nodes, edges) {
    const types = counts(nodes.filter((node) => !node.community).map((node) => node.type));
    const predicates = counts(edges.filter((edge) => !edge.plain).map((edge) => edge.predicate));
    chooseColours(types.map(([type]) => type));
    const key = JSON.stringify([types, predicates]);
    if (key === this.key) return;
    this.key = key;
    this.container.replaceChildren(
      ...[
        types.length ? this.types(types) : null,
        predicates.length ? this.predicates(predicates) : null,
        predicates.length ? this.slider() : null,
        predicates.length ? this.sources() : null,
        this.dates.length ? this.time() : null,
      ].filter(Boolean),
    );
  }

  types(types) {
    const chip = ([type, count]) =>
      element(
        "button",
        {
          type: "button", class: "chip", "aria-pressed": String(!this.hiddenTypes.has(type)), title: "Show or hide",
          onclick: (event) => {
            toggle(this.hiddenTypes, type);
            event.currentTarget.setAttribute("aria-pressed", String(!this.hiddenTypes.has(type)));
            this.changed();
          },
        },
        dot(type), type || "untyped", element("span", { class: "quiet" }, count),
      );
    const rest = types.slice(MAX_TYPES);
    return element("div", { class: "types" }, types.slice(0, MAX_TYPES).map(chip),
      rest.length ? element("details", {}, element("summary", {}, `${rest.length} more types`), element("div", {}, rest.map(chip))) : null);
  }

  predicates(predicates) {
    return element(
      "details",
      {},
      element("summary", {}, `${predicates.length} predicates`),
      element(
        "div",
        {},
        predicates.map(([name, count]) =>
          element(
            "label",
            {},
            element("input", {
              type: "checkbox", checked: !this.hiddenPredicates.has(name),
              onchange: () => {
                toggle(this.hiddenPredicates, name);
                this.changed();
              },
            }),
            `${inWords(name)} (${count})`,
          ),
        ),
      ),
    );
  }

  slider() {
    const shown = element("output", {}, this.confidence.toFixed(2));
    const move = (event) => {
      this.confidence = Number(event.target.value);
      shown.textContent = this.confidence.toFixed(2);
      this.changed();
    };
    const input = { type: "range", min: 0, max: 1, step: 0.05, value: this.confidence, oninput: move, "aria-label": "Least confidence" };
    return element("label", {}, "confidence", element("input", input), shown);
  }

  sources() {
    const type = (event) => {
      this.source = event.target.value.trim();
      this.changed();
    };
    return element("label", {}, "source", element("input", { type: "text", placeholder: "part of a path", value: this.source, oninput: type }));
  }

  time() {
    const [first, last] = this.dates.map((date) => Math.floor(Date.parse(date) / DAY));
    const written = (day) => new Date(day * DAY).toISOString().slice(0, 10);
    const at = this.asOf ? Math.floor(Date.parse(this.asOf) / DAY) : last;
    const range = element("input", { type: "range", id: "time", min: first, max: last, step: 1, value: at, disabled: !this.asOf, "aria-label": "As of the date" });
    const shown = element("output", {}, this.asOf ?? "any time");
    const box = element("input", { type: "checkbox", id: "timed", checked: Boolean(this.asOf) });
    const tell = () => {
      range.disabled = !box.checked;
      this.asOf = box.checked ? written(Number(range.value)) : null;
      shown.textContent = this.asOf ?? "any time";
      range.setAttribute("aria-valuetext", shown.textContent);
    };
    box.addEventListener("change", () => {
      tell();
      this.timed(this.asOf);
    });
    range.addEventListener("input", tell);
    range.addEventListener("change", () => this.timed(this.asOf));
    return element("label", {}, box, "as of", range, shown);
  }
}

function counts(values) {
  const found = new Map();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function toggle(set, value) {
  if (!set.delete(value)) set.add(value);
}
