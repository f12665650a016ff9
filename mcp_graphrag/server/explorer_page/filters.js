// What of the picture is seen: by type, predicate, confidence, source and time.
import { dot } from "./colours.js";
import { counted, element, inWords } from "./elements.js";

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
    this.offered = { types: [], predicates: [] };
    this.kinds = element("div", { class: "kinds" });
    // It stands beside them, and stays when these are made anew: so it keeps the focus.
    document.addEventListener("click", ({ target }) => {
      for (const list of container.querySelectorAll("details[open]")) if (!list.contains(target)) list.open = false;
    });
    container.replaceChildren(...[this.kinds, dates.length ? this.time() : null].filter(Boolean));
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
    const key = JSON.stringify([types, predicates]);
    if (key !== this.key) {
      this.key = key;
      const [typed, related] = [types.map(([type]) => type), predicates.map(([name]) => name)];
      this.offered = { types: typed, predicates: related };
      this.summary = element("summary", {});
      this.reset = element("button", { type: "button", class: "reset", onclick: () => this.clear() });
      this.kinds.replaceChildren(
        ...[
          types.length ? this.types(types) : null,
          predicates.length ? this.predicates(predicates) : null,
          predicates.length ? this.slider() : null,
          predicates.length ? this.sources() : null,
          this.reset,
        ].filter(Boolean),
      );
    }
    this.tell();
  }

  /** Say in the controls what is hidden. */
  tell() {
    for (const chip of this.kinds.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(!this.hiddenTypes.has(chip.value)));
    for (const box of this.kinds.querySelectorAll("[type=checkbox]")) box.checked = !this.hiddenPredicates.has(box.value);
    const types = this.offered.types.filter((each) => this.hiddenTypes.has(each)).length;
    const all = this.offered.predicates.length;
    const predicates = this.offered.predicates.filter((each) => this.hiddenPredicates.has(each)).length;
    this.summary.textContent = predicates ? `${all - predicates} of ${counted(all, "predicate")}` : counted(all, "predicate");
    const hides = [
      types ? counted(types, "type") : "", predicates ? counted(predicates, "predicate") : "",
      this.confidence ? `confidence below ${this.confidence.toFixed(2)}` : "", this.source ? "other sources" : "",
    ].filter(Boolean);
    this.reset.hidden = !hides.length;
    this.reset.textContent = `Hidden: ${hides.join(", ")} – show all`;
  }

  /** Hide these of what is offered, and show the others. */
  hide(set, offered, hidden, arranges = false) {
    for (const each of offered) set.delete(each);
    for (const each of hidden) set.add(each);
    this.tell();
    this.changed(arranges);
  }

  clear() {
    this.hiddenTypes.clear();
    this.hiddenPredicates.clear();
    [this.confidence, this.source] = [0, ""];
    for (const input of this.kinds.querySelectorAll("input:not([type=checkbox])")) input.value = input.type === "range" ? 0 : "";
    this.kinds.querySelectorAll("output").forEach((output) => (output.textContent = "0.00"));
    this.tell();
    this.changed();
  }

  /** Buttons that show all, or none, of what is offered. */
  allOrNone(set, offered) {
    const button = (text, hidden) => element("button", { type: "button", class: "link", onclick: () => this.hide(set, offered, hidden) }, text);
    return element("span", { class: "all" }, button("all", []), button("none", offered));
  }

  types(types) {
    const toggled = (type) => () => {
      toggle(this.hiddenTypes, type);
      this.tell();
      this.changed();
    };
    const chip = ([type, count]) =>
      element("button", { type: "button", class: "chip", value: type, title: "Show or hide", onclick: toggled(type) },
        dot(type), type || "untyped", element("span", { class: "quiet" }, count));
    const rest = types.slice(MAX_TYPES);
    return element("div", { class: "types" }, types.slice(0, MAX_TYPES).map(chip),
      rest.length ? element("details", {}, element("summary", {}, counted(rest.length, "more type")), element("div", {}, rest.map(chip))) : null,
      this.allOrNone(this.hiddenTypes, this.offered.types));
  }

  predicates(predicates) {
    const { hiddenPredicates } = this;
    const others = (name) => this.offered.predicates.filter((each) => each !== name);
    const row = ([name, count]) => {
      const changed = () => {
        toggle(hiddenPredicates, name);
        this.tell();
        this.changed();
      };
      return element("div", { class: "predicate-row" },
        element("label", {}, element("input", { type: "checkbox", value: name, onchange: changed }), `${inWords(name)} (${count})`),
        element("button", { type: "button", class: "link", onclick: () => this.hide(hiddenPredicates, this.offered.predicates, others(name), true) }, "only"));
    };
    return element("details", {}, this.summary,
      element("div", {}, this.allOrNone(hiddenPredicates, this.offered.predicates), predicates.map(row)));
  }

  slider() {
    const shown = element("output", {}, this.confidence.toFixed(2));
    const move = (event) => {
      this.confidence = Number(event.target.value);
      shown.textContent = this.confidence.toFixed(2);
      this.tell();
      this.changed();
    };
    const input = { type: "range", min: 0, max: 1, step: 0.05, value: this.confidence, oninput: move, "aria-label": "Least confidence" };
    return element("label", {}, "confidence", element("input", input), shown);
  }

  sources() {
    const type = (event) => {
      this.source = event.target.value.trim();
      this.tell();
      this.changed();
    };
    return element("label", {}, "source", element("input", { type: "text", placeholder: "part of a path", value: this.source, oninput: type }));
  }

  time() {
    const [first, last] = this.dates.map(dayOf);
    const written = (day) => new Date(day * DAY).toISOString().slice(0, 10);
    const today = Math.min(Math.max(Math.floor(Date.now() / DAY), first), last);
    const range = element("input", { type: "range", id: "time", min: first, max: last, step: 1, value: today, disabled: true, "aria-label": "As of the date" });
    const typed = element("input", { type: "date", id: "day", disabled: true, "aria-label": "The date" });
    const box = element("input", { type: "checkbox", id: "timed" });
    this.show = (asOf) => {
      this.asOf = asOf;
      box.checked = Boolean(asOf);
      range.disabled = typed.disabled = !asOf;
      typed.value = asOf ?? "";
      range.setAttribute("aria-valuetext", asOf ?? "any time");
      if (asOf) range.value = dayOf(asOf);
    };
    const choose = (asOf) => {
      this.show(asOf);
      this.timed(asOf);
    };
    box.addEventListener("change", () => choose(box.checked ? written(Number(range.value)) : null));
    range.addEventListener("input", () => this.show(written(Number(range.value))));
    range.addEventListener("change", () => this.timed(this.asOf));
    typed.addEventListener("change", () => typed.value && choose(typed.value));
    return element("div", { class: "time" }, element("label", {}, box, "as of"), range, typed);
  }

  /** Show what held at any time. */
  anyTime() {
    this.show(null);
    this.timed(null);
  }
}

const dayOf = (date) => Math.floor(Date.parse(date) / DAY);

function counts(values) {
  const found = new Map();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function toggle(set, value) {
  if (!set.delete(value)) set.add(value);
}
