// Elements of the page. Texts of the graph are always text nodes: none is ever read as HTML.

/** An element with properties, listeners (`onclick`) and children; null children are left out. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((each) => each !== null && each !== undefined && each !== false));
  return made;
}

/** A button that asks for something by an event that bubbles, as `open-entity`. */
export function asking(kind, detail, text, properties = {}) {
  const ask = (event) => {
    event.currentTarget.dispatchEvent(new CustomEvent(kind, { bubbles: true, detail }));
    event.stopPropagation();
  };
  return element("button", { type: "button", class: "link", ...properties, onclick: ask }, text);
}

/** "1 triple", "12,000 triples". */
export function counted(number, noun) {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** A predicate as words: `depends_on` is "depends on". */
export const inWords = (predicate) => predicate.replaceAll("_", " ");

/** A text cut to a length. */
export const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1).trimEnd()}…` : text);

/** The address of a view with its arguments. */
export const addressOf = (view, ...given) => `#/${[view, ...given.map(encodeURIComponent)].join("/")}`;

/** Of a citation, the document's uri, and as people read it, with the line if there is one. */
export function placeOf(source, line) {
  const uri = source.split("#chunk:")[0];
  const path = uri.replace(/^[a-z]+:\/\//, "");
  let name = path;
  try {
    name = decodeURIComponent(path);
  } catch {
    // not encoded
  }
  const short = name.split("/").filter(Boolean).slice(-2).join("/") || name;
  return { uri, short: line ? `${short}:${line}` : short, full: line ? `${name}:${line}` : name };
}
