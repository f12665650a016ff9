// The picture of nodes and links: drawn by cytoscape, moved and read by mouse, touch and keyboard.
import cytoscape from "./vendor/cytoscape.esm.min.js";
import { colourOf } from "./colours.js";
import { cut } from "./elements.js";

export const MAX_NODES = 2000;
const LABEL_PIXELS = 12;
const WRAPPED = 116; // pixels of a line of a community's title
const MAX_LABELS = 160;
const FEW_EDGES = 24; // that are all labelled
const MANY = 600; // nodes of a picture that is moved as an image, and drawn anew when it rests
const MANY_EDGES = 1500; // that are drawn without arrows
const WHEELED = 0.0018; // of the logarithm of the zoom for a pixel that is wheeled
const LINE = 33; // pixels of a wheel that tells lines
const MOST_WHEELED = 120;
const REST = 400; // milliseconds
const REST_FRAMES = 12;
const UNMOVED = { scale: 1, across: 0, down: 0 }; // of the image of the picture against the picture
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Where nodes stand without a server: around the start by distance, or else by forces. */
export const placedHere = (cy, start) =>
  cy.layout(
    start
      ? { name: "concentric", fit: false, minNodeSpacing: 90, concentric: (node) => -node.data("hop"), levelWidth: () => 1 }
      : { name: "cose", fit: false, animate: false, randomize: false, idealEdgeLength: () => 90, nodeRepulsion: () => 9e4 },
  ).run();

export class Drawing {
  /** `place` gives places for (count, edges, placed, room); `told` is called with what a screen reader shall say. */
  constructor(container, { place = null, opened, expanded, told = () => {} }) {
    this.container = container;
    this.place = place;
    this.opened = opened;
    this.expanded = expanded;
    this.told = told;
    this.moved = { ...UNMOVED };
    // Before cytoscape listens, which would zoom too.
    container.addEventListener("wheel", (event) => this.wheel(event), { capture: true, passive: false });
    this.cy = cytoscape({ container, style: [], minZoom: 0.05, maxZoom: 4, boxSelectionEnabled: false });
    this.cy.on("tap", "node", (event) => this.choose(event.target.id(), { opens: true }));
    this.cy.on("dbltap", "node", (event) => this.expanded(event.target.data()));
    this.cy.on("tap", (event) => event.target === this.cy && this.choose(null));
    this.cy.on("mouseover", "node, edge", (event) => this.near(event.target));
    this.cy.on("mouseout", "node, edge", () => this.near(null));
    this.cy.on("viewport", () => this.later());
    container.addEventListener("pointerdown", () => this.settle(), { capture: true });
    container.addEventListener("mouseleave", () => this.near(null));
    this.cy.on("dragfree", "node", () => this.later());
    container.tabIndex = 0;
    container.addEventListener("keydown", (event) => this.key(event));
    this.places = new Map(); // of this picture, also of nodes that it does not have now
    this.pen = document.createElement("canvas").getContext("2d");
    new ResizeObserver(() => this.resized()).observe(container);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    this.restyle();
  }

  /** Draw these nodes and edges; unless `anew`, those that are drawn keep their places. Resolves when they stand. */
  async show(nodes, edges, { fit = true, start = null, room = 1, anew = false } = {}) {
    const ids = new Set(nodes.map((node) => node.id));
    const drawn = edges.filter((edge) => ids.has(edge.source) && ids.has(edge.target));
    if (anew) this.places.clear();
    else this.cy.nodes().forEach((node) => this.places.set(node.id(), { ...node.position() }));
    const placed = nodes.map((node) => this.places.get(node.id));
    let places = [];
    if (this.place && placed.some((each) => !each)) {
      const at = new Map(nodes.map((node, index) => [node.id, index]));
      const pairs = drawn.map((edge) => [at.get(edge.source), at.get(edge.target)]);
      places = await this.place(nodes.length, pairs, placed.map((each) => (each ? [each.x, each.y] : null)), room);
    }
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add(
        nodes.map((node, index) => ({
          group: "nodes",
          data: { hop: 0, ...node, size: sizeOf(node), colour: node.community ? null : colourOf(node.type) },
          classes: [node.community ? "community" : "entity", node.id === start ? "start" : ""].join(" "),
          position: placed[index] ?? (places[index] ? { x: places[index][0], y: places[index][1] } : undefined),
        })),
      );
      const bare = drawn.length > MANY_EDGES;
      this.cy.add(drawn.map((edge) => ({ group: "edges", data: { ...edge, bare } })));
    });
    const renderer = this.cy.renderer();
    renderer.textureOnViewport = nodes.length > MANY;
    renderer.hideEdgesOnViewport = drawn.length > MANY_EDGES;
    if (!this.place) placedHere(this.cy, start);
    if (fit) this.fit();
    this.choose(start);
    this.label();
  }

  /** Show what is wanted of the drawn nodes and edges, by their data. */
  filter(wantsNode, wantsEdge) {
    const wants = (node) => node.hasClass("start") || wantsNode(node.data());
    this.cy.batch(() => {
      this.cy.edges().forEach((edge) => {
        const ends = wants(edge.source()) && wants(edge.target());
        edge.toggleClass("hidden", !(ends && wantsEdge(edge.data())));
      });
      this.cy.nodes().forEach((node) => {
        const linked = node.connectedEdges();
        const alone = linked.length && linked.every((edge) => edge.hasClass("hidden")) && !node.hasClass("start");
        node.toggleClass("hidden", !wants(node) || Boolean(alone));
      });
    });
    this.label();
  }

  /** Give what is seen places of its own. */
  async arrange() {
    const [nodes, edges] = [this.cy.nodes().not(".hidden"), this.cy.edges().not(".hidden")];
    const at = new Map(nodes.map((node, index) => [node.id(), index]));
    const places = await this.place(nodes.length, edges.map((edge) => [at.get(edge.source().id()), at.get(edge.target().id())]), [], 1);
    nodes.forEach((node, index) => node.position({ x: places[index][0], y: places[index][1] }));
    this.fit();
  }

  /** How many nodes and edges are seen. */
  get shown() {
    return [this.cy.nodes().not(".hidden").length, this.cy.edges().not(".hidden").length];
  }

  /** Bring all of it into view. */
  fit() {
    if (!this.container.clientWidth) this.room = null; // hidden: when it is seen again
    if (!this.cy.nodes().length || !this.container.clientWidth) return;
    this.cy.resize();
    this.cy.fit(this.cy.elements().not(".hidden"), 48);
    if (this.cy.zoom() > 1.4) {
      this.cy.zoom(1.4);
      this.cy.center(this.cy.elements().not(".hidden"));
    }
    this.label();
  }

  /** Mark a node, with what it is linked to; with `opens` have what it is shown, with `centres` bring it into view. */
  choose(id, { opens = false, centres = false } = {}) {
    this.cy.elements().removeClass("chosen linked faded");
    const node = id ? this.cy.getElementById(id) : this.cy.collection();
    if (node.length) {
      const around = node.closedNeighborhood();
      node.addClass("chosen");
      around.addClass("linked");
      if (this.cy.nodes().length > 2 * around.nodes().length) this.cy.elements().not(around).addClass("faded");
    }
    if (centres && node.length) {
      this.resized(); // if it was hidden until now
      const around = node.closedNeighborhood().not(".hidden");
      this.cy.fit(around, 110);
      if (this.cy.zoom() > 1) this.cy.zoom(1).center(around);
    }
    this.label();
    if (!node.length) return;
    const { label, type, community } = node.data();
    this.told(`${label}${type ? `, ${type}` : ""}, ${node.connectedEdges().not(".hidden").length} links`);
    if (opens) this.opened(node.data(), Boolean(community));
  }

  /** Zoom at the pointer: a large picture as an image, drawn anew when it rests, as that takes long. */
  wheel(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
    const delta = Math.max(-MOST_WHEELED, Math.min(MOST_WHEELED, event.deltaY * (event.deltaMode ? LINE : 1)));
    const { left, top } = this.container.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const [from, { scale, across, down }] = [this.cy.zoom(), this.moved];
    const to = Math.max(this.cy.minZoom(), Math.min(this.cy.maxZoom(), from * scale * Math.exp(-delta * WHEELED)));
    const more = to / from / scale;
    this.moved = { scale: scale * more, across: x + (across - x) * more, down: y + (down - y) * more };
    cancelAnimationFrame(this.rest);
    if (this.cy.nodes().length <= MANY) return this.settle();
    this.container.firstElementChild.style.transform = `matrix(${this.moved.scale}, 0, 0, ${this.moved.scale}, ${this.moved.across}, ${this.moved.down})`;
    this.settleAtRest(performance.now(), 0);
  }

  /** Settle after a while without a wheel: of time, and of frames where these take long. */
  settleAtRest(since, frames) {
    const rested = () => frames >= REST_FRAMES && performance.now() - since >= REST;
    this.rest = requestAnimationFrame(() => (rested() ? this.settle() : this.settleAtRest(since, frames + 1)));
  }

  /** Draw anew what was zoomed as an image. */
  settle() {
    const { scale, across, down } = this.moved;
    if (scale === 1) return;
    this.moved = { ...UNMOVED };
    cancelAnimationFrame(this.rest);
    const { x, y } = this.cy.pan();
    this.cy.viewport({ zoom: this.cy.zoom() * scale, pan: { x: x * scale + across, y: y * scale + down } });
    this.container.firstElementChild.style.transform = "";
  }

  near(target) {
    if (this.moved.scale !== 1) return;
    this.cy.elements().removeClass("near");
    if (target) (target.isNode() ? target.closedNeighborhood() : target.union(target.connectedNodes())).addClass("near");
    this.container.classList.toggle("pointing", Boolean(target?.isNode()));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const now = this.cy.nodes(".chosen")[0];
    if (step) this.move(step, now);
    else if (event.key === "Enter" && now) this.opened(now.data(), Boolean(now.data("community")));
    else if (event.key.toLowerCase() === "e" && now) this.expanded(now.data());
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.3);
    else if (event.key === "-") this.zoomBy(1 / 1.3);
    else if (event.key === "0") this.fit();
    else if (event.key === "Escape") this.choose(null);
    else return;
    event.preventDefault();
  }

  /** Show all again where the room has changed much. */
  resized() {
    const { width, height } = this.container.getBoundingClientRect();
    const [before, above] = this.room ?? [0, 0];
    this.cy.resize();
    if (!width || (Math.abs(width - before) < 60 && Math.abs(height - above) < 120)) return;
    this.room = [width, height];
    this.fit();
  }

  zoomBy(factor) {
    this.settle();
    const { width, height } = this.container.getBoundingClientRect();
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: { x: width / 2, y: height / 2 } });
  }

  /** Go from the chosen node to the nearest one in a direction. */
  move([right, down], from) {
    const seen = this.cy.nodes().not(".hidden");
    if (!from) return seen.length ? this.choose(seen[0].id()) : null;
    const here = from.position();
    let best = null;
    let least = Infinity;
    seen.forEach((node) => {
      const [x, y] = [node.position("x") - here.x, node.position("y") - here.y];
      const along = x * right + y * down;
      const aside = Math.abs(x * down + y * right);
      if (along > 1 && along + 2 * aside < least) [best, least] = [node, along + 2 * aside];
    });
    if (!best) return null;
    this.choose(best.id());
    const place = best.renderedPosition();
    const { width, height } = this.container.getBoundingClientRect();
    if (place.x < 40 || place.y < 40 || place.x > width - 40 || place.y > height - 40) this.cy.center(best);
    return null;
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.label(), this.cy.nodes().length > MANY ? 600 : 90);
  }

  /** Label as many nodes as there is room for, what is chosen and best connected first, in letters of one size. */
  label() {
    const zoom = this.cy.zoom();
    const least = this.cy.nodes().length > MANY ? 0.4 : 0.02; // as all of it is drawn anew then
    if (Math.abs(zoom - (this.zoom ?? 0)) > zoom * least) this.restyle();
    const taken = [];
    const isFree = (box) => !taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]);
    const view = this.cy.extent();
    const seen = this.cy.nodes().not(".hidden").filter((node) => {
      const { x, y } = node.position();
      return x > view.x1 && x < view.x2 && y > view.y1 && y < view.y2;
    });
    const rank = (node) => (node.hasClass("chosen") ? 3 : node.hasClass("start") ? 2 : node.hasClass("linked") ? 1 : 0);
    const order = seen.toArray().sort((a, b) => rank(b) - rank(a) || b.data("size") - a.data("size"));
    for (const node of order.filter(rank)) { // no label covers them
      const [{ x, y }, inside] = [node.renderedPosition(), (node.data("size") * zoom) / 2 - 2];
      taken.push([x - inside, y - inside, x + inside, y + inside]);
    }
    this.cy.batch(() => {
      this.cy.nodes().removeClass("labelled below above right left");
      let labels = 0;
      for (const node of order) {
        if (labels >= MAX_LABELS) break;
        const { x, y } = node.renderedPosition();
        const radius = (node.data("size") * zoom) / 2;
        const [width, height] = this.sizeOfLabel(node);
        const boxAt = (middle, top) => [middle - width / 2 - 3, top, middle + width / 2 + 3, top + height + 6];
        const away = radius + width / 2 + 4;
        const boxes = {
          below: boxAt(x, y + radius), above: boxAt(x, y - radius - height - 6),
          right: boxAt(x + away, y - height / 2 - 3), left: boxAt(x - away, y - height / 2 - 3),
        };
        const isSeen = (box) => box === boxes.below || (box[0] > 0 && box[2] < this.cy.width());
        const place = Object.keys(boxes).find((each) => isFree(boxes[each]) && isSeen(boxes[each]));
        if (!place) continue;
        taken.push(boxes[place]);
        labels += 1;
        node.addClass(`labelled ${place}`);
      }
      const edges = this.cy.edges().not(".hidden");
      edges.removeClass("told");
      const telling = edges.length <= FEW_EDGES ? edges : edges.filter(".linked").slice(0, FEW_EDGES);
      this.pen.font = "10.5px system-ui, sans-serif";
      telling.forEach((edge) => {
        const [from, to] = [edge.source().renderedPosition(), edge.target().renderedPosition()];
        const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
        const [wide, long] = [this.pen.measureText(edge.data("label")).width, Math.hypot(to.x - from.x, to.y - from.y)];
        const [across, down] = [((to.x - from.x) * wide) / long / 2, ((to.y - from.y) * wide) / long / 2]; // it lies along the edge
        const boxes = [-1, -0.5, 0, 0.5, 1].map((at) => [x + at * across - 5, y + at * down - 5, x + at * across + 5, y + at * down + 5]);
        if (wide + 20 > long || !boxes.every(isFree)) return;
        taken.push(...boxes);
        edge.addClass("told");
      });
    });
  }

  /** The width and height of a label in pixels. */
  sizeOfLabel(node) {
    const community = node.hasClass("community");
    this.pen.font = `${community ? "600 " : ""}${LABEL_PIXELS}px system-ui, sans-serif`;
    const width = this.pen.measureText(node.data("shown")).width;
    return community ? [Math.min(width, WRAPPED), LABEL_PIXELS * 1.3 * Math.ceil(width / (WRAPPED - 20))] : [width, LABEL_PIXELS];
  }

  restyle() {
    const read = getComputedStyle(this.container);
    const of = (name) => read.getPropertyValue(`--${name}`).trim();
    this.zoom = this.cy.zoom();
    const px = 1 / this.zoom;
    const text = {
      "font-family": "system-ui, sans-serif", "font-size": LABEL_PIXELS * px, color: of("ink"),
      "text-outline-color": of("stage"), "text-outline-width": 2.5 * px, "text-outline-opacity": 1,
    };
    this.cy.style([
      {
        selector: "node",
        style: {
          ...text, width: "data(size)", height: "data(size)", "border-width": 1.5 * px, "border-color": of("stage"),
          "text-valign": "bottom", "text-margin-y": 4 * px, "overlay-opacity": 0,
        },
      },
      { selector: "node.entity", style: { "background-color": "data(colour)" } },
      {
        selector: "node.community",
        style: {
          "background-color": of("accent"), "background-opacity": 0.16, "border-color": of("accent"),
          "border-width": 1.5 * px, "font-weight": 600, "text-wrap": "wrap", "text-max-width": WRAPPED * px,
          "line-height": 1.15,
        },
      },
      { selector: "node.labelled, node.near", style: { label: "data(shown)", "z-index": 10 } },
      { selector: "node.above", style: { "text-valign": "top", "text-margin-y": -4 * px } },
      { selector: "node.right", style: { "text-valign": "center", "text-halign": "right", "text-margin-x": 4 * px, "text-margin-y": 0 } },
      { selector: "node.left", style: { "text-valign": "center", "text-halign": "left", "text-margin-x": -4 * px, "text-margin-y": 0 } },
      {
        selector: "edge",
        style: {
          ...text, "font-size": 10.5 * px, color: of("quiet"), width: "data(width)", "line-color": of("edge"),
          "curve-style": "bezier", "target-arrow-shape": "triangle", "target-arrow-color": of("edge"),
          "arrow-scale": 0.8, "text-rotation": "autorotate", "overlay-opacity": 0,
        },
      },
      { selector: "edge[?plain]", style: { "target-arrow-shape": "none", "curve-style": "straight" } },
      { selector: "edge[?undirected]", style: { "target-arrow-shape": "none" } },
      { selector: "edge[?bare]", style: { "curve-style": "haystack" } },
      { selector: "edge[?denied]", style: { "line-style": "dashed" } },
      { selector: "edge.told[!plain], edge.near[!plain]", style: { label: "data(label)" } },
      {
        selector: "edge.linked, edge.near",
        style: { "line-color": of("accent"), "target-arrow-color": of("accent"), "z-index": 9 },
      },
      { selector: "node.start", style: { "border-color": of("ink"), "border-width": 2 * px } },
      { selector: "node.chosen", style: { "border-color": of("accent"), "border-width": 4 * px, "font-weight": 700 } },
      { selector: ".faded", style: { opacity: 0.28 } },
      { selector: ".near", style: { opacity: 1 } },
      { selector: ".hidden", style: { display: "none" } },
    ]);
  }
}

function sizeOf(node) {
  if (node.community) return Math.min(28 + 3.2 * Math.sqrt(node.members ?? 1), 96);
  return Math.min(13 + 4.5 * Math.log2(1 + (node.degree ?? 1)), 42);
}

/** The key of an entity in a picture. */
export const keyOf = (name, type) => `${name}\n${type ?? ""}`;

/** Nodes and edges of triples; `hops` of the nodes are those of a walk from a start. */
export function pictureOf(triples, evidence = []) {
  const nodes = new Map();
  const edges = new Map();
  const add = (name, type, hop) => {
    const id = keyOf(name, type);
    const known = nodes.get(id);
    if (known) {
      known.degree += 1;
      known.hop = Math.min(known.hop, hop);
    } else nodes.set(id, { id, name, type: type ?? "", label: name, shown: shortName(name), degree: 1, hop });
    return id;
  };
  for (const triple of triples) {
    const hop = triple.hop ?? 1;
    const [source, target] = [add(triple.subject, triple.subject_type, hop), add(triple.object, triple.object_type, hop)];
    const id = `${source}\n${triple.predicate}\n${target}`;
    const sources = (triple.evidence ?? []).map((number) => evidence[number - 1]?.source ?? "");
    const known = edges.get(id);
    if (known) {
      known.confidence = Math.max(known.confidence, triple.confidence);
      known.sources.push(...sources);
      continue;
    }
    edges.set(id, {
      id, source, target, undirected: Boolean(triple.undirected), predicate: triple.predicate, label: triple.predicate.replaceAll("_", " "),
      confidence: triple.confidence, sources, width: 1.4, denied: triple.predicate.startsWith("not_"),
    });
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** A name as a label: of a long qualified one the last parts, which tell it from others. */
export function shortName(name) {
  if (name.length <= 28 || !/^[\w.]+\.\w+$/.test(name)) return cut(name, 32);
  const parts = name.split(".");
  const two = parts.slice(-2).join(".");
  return cut(two.length <= 32 ? two : parts.at(-1), 40);
}
