// What is drawn on the stage: the map of communities, the neighbourhoods of entities, or the rows of a query.
import { ask, places } from "./api.js";
import { Drawing, MAX_NODES, keyOf, pictureOf, shortName } from "./drawing.js";
import { counted, cut, element } from "./elements.js";
import { Filters } from "./filters.js";

const AROUND = 60; // triples of a neighbourhood at first
const QUALIFIER = /\b(?:[a-z_]\w*\.)+(?=[a-z_])/gi; // of a name in code, for which a label has no room
const FEW_ALONE = 60; // nodes beside which those without a link are drawn too
const MOST = 500; // that the tool gives

/** The title of a community as a label: names that it cuts are whole again, and without what qualifies them. */
function titleOf({ title, members = [] }) {
  const whole = title.replace(/([\w.]+)…/g, (part, start) => members.find((each) => each.startsWith(start)) ?? part);
  return cut(whole.replace(QUALIFIER, ""), 60);
}

export class GraphView {
  constructor({ picture, filters, status, crumbs, dates, failed }) {
    Object.assign(this, { status, crumbs, failed });
    this.filters = new Filters(filters, { changed: (arranges) => this.refilter(arranges), timed: () => this.redraw(), dates });
    this.drawing = new Drawing(picture, {
      place: places,
      opened: (node, isCommunity) => {
        location.hash = isCommunity ? `#/community/${node.community}` : `#/entity/${encodeURIComponent(node.name)}`;
      },
      expanded: (node) =>
        node.community ? (location.hash = `#/community/${node.community}`) : this.expand(node.name).catch(failed),
      told: (text) => this.say(text),
    });
    this.drawn = { kind: "nothing" };
    this.triples = [];
    this.evidence = [];
  }

  get asOf() {
    return this.filters.asOf;
  }

  say(text, wrong = false) {
    this.status.textContent = text;
    this.status.classList.toggle("wrong", wrong);
  }

  /** Draw the communities of the graph, or what is inside one; the answer, which may have been `asked` for, says what. */
  async map(inside = null, asked = undefined) {
    const answer = await (asked ?? ask("explore_map", { inside, as_of: this.asOf }));
    const anew = this.drawn.kind !== "map" || this.drawn.inside !== inside; // else only the time is another
    const looks = { anew, fit: anew };
    this.drawn = { kind: "map", inside };
    this.trail([...(answer.above ?? []), ...(answer.inside ? [answer.inside] : [])]);
    const left = Object.entries(answer.left_out ?? {}).map(([what, count]) => `${count.toLocaleString("en")} ${what}`);
    const fewer = left.length ? ` · not drawn: ${left.join(", ")}` : "";
    if (answer.communities?.length) {
      const nodes = answer.communities.map((each) => ({
        id: `community ${each.id}`, community: each.id, label: each.title, shown: titleOf(each), members: each.size,
      }));
      const most = Math.max(1, ...(answer.links ?? []).map((link) => link[2]));
      const edges = (answer.links ?? []).map(([one, other, count]) => ({
        id: `${one}-${other}`, source: `community ${one}`, target: `community ${other}`, plain: true,
        width: 0.8 + 5 * Math.sqrt(count / most), label: counted(count, "triple"),
      }));
      await this.show({ nodes, edges }, { room: 1.5, ...looks });
      this.said = `${counted(nodes.length, "community")}: click one to look inside${fewer}`;
    } else {
      const drawn = pictureOf(answer.triples ?? [], answer.evidence);
      const known = new Set(drawn.nodes.map((node) => node.id));
      const alone = (answer.entities ?? []).filter(({ name, type }) => !known.has(keyOf(name, type)));
      const listed = drawn.nodes.length > FEW_ALONE ? ` · ${counted(alone.length, "entity")} without a link among these only listed` : "";
      for (const { name, type, degree } of listed ? [] : alone) {
        drawn.nodes.push({ id: keyOf(name, type), name, type: type ?? "", label: name, shown: shortName(name), degree });
      }
      this.triples = answer.triples ?? [];
      this.evidence = answer.evidence ?? [];
      await this.show(drawn, looks);
      this.said = `${this.counts()}${alone.length ? listed : ""}${fewer}`;
    }
    this.say(this.said);
    return answer;
  }

  /** Draw the neighbourhood of an entity alone. */
  async around(name, limit = AROUND, keeps = false) {
    const answer = await this.walk(name, 2, limit);
    Object.assign(this, { triples: answer.triples, evidence: answer.evidence ?? [] });
    this.drawn = { kind: "around", names: [answer.entity] };
    this.trail([]);
    const drawn = pictureOf(this.triples, this.evidence);
    const start = drawn.nodes.find((node) => node.name === answer.entity)?.id ?? null;
    if (!start) drawn.nodes.push({ id: keyOf(answer.entity, ""), name: answer.entity, type: "", label: answer.entity, shown: shortName(answer.entity) });
    await this.show(drawn, { start, anew: !keeps });
    this.tellCut(answer);
    return answer;
  }

  /** Add the neighbours of an entity to what is drawn. */
  async expand(name, limit = AROUND) {
    const before = this.drawing.cy.nodes().length;
    const answer = await this.walk(name, 1, limit);
    const fromMap = this.drawn.kind === "map" && !this.triples.length;
    if (fromMap || this.drawn.kind === "nothing") return this.around(name, limit);
    const offset = this.evidence.length;
    const added = answer.triples.map((each) => ({ ...each, evidence: (each.evidence ?? []).map((at) => at + offset) }));
    const all = [...this.triples, ...added];
    if (pictureOf(all).nodes.length > MAX_NODES) {
      this.say(`More than ${MAX_NODES.toLocaleString("en")} would be drawn. Draw ${name} alone, or hide what you do not need.`, true);
      return answer;
    }
    this.triples = all;
    this.evidence = [...this.evidence, ...(answer.evidence ?? [])];
    this.drawn = { kind: "around", names: [...new Set([...(this.drawn.names ?? []), answer.entity])] };
    const drawn = pictureOf(this.triples, this.evidence);
    const id = drawn.nodes.find((node) => node.name === answer.entity)?.id;
    await this.show(drawn, { start: id });
    this.tellCut(answer, this.drawing.cy.nodes().length - before);
    return answer;
  }

  /** Draw the triples and entities in rows of a query, and `pairs` that only stand in one row; `none` says why nothing is. */
  async rows({ triples = [], entities = [], pairs = [], none = "" }) {
    Object.assign(this, { triples, evidence: [], drawn: { kind: "rows" } });
    this.trail([]);
    const { nodes, edges } = pictureOf(triples);
    const known = new Map(nodes.map((node) => [node.id, node]));
    for (const { name, type = "" } of entities) {
      const id = keyOf(name, type);
      if (!known.has(id)) known.set(id, { id, name, type, label: name, shown: shortName(name), degree: 1 });
    }
    const drawn = [...known.values()].slice(0, MAX_NODES);
    const beside = pairs.map((pair) => pair.map((each) => keyOf(each.name, each.type)))
      .map(([source, target]) => ({ id: `${source}\n\n${target}`, source, target, plain: true, width: 1.2, label: "" }));
    await this.show({ nodes: drawn, edges: [...edges, ...new Map(beside.map((each) => [each.id, each])).values()] }, { anew: true });
    const plain = beside.length ? " · lines without a name join what stands in one row" : "";
    this.say(drawn.length ? `${this.counts()}${plain}` : none);
  }

  /** Whether an entity is drawn; if so it is marked. */
  has(name) {
    const node = this.drawing.cy.nodes().filter((each) => each.data("name") === name && !each.hasClass("hidden"))[0];
    if (node) this.drawing.choose(node.id(), { centres: true });
    return Boolean(node);
  }

  walk(entity, hops, limit) {
    return ask("get_neighbourhood", { entity, hops, limit: Math.min(limit, MOST), as_of: this.asOf });
  }

  async show(drawn, options = {}) {
    this.filters.offer(drawn.nodes, drawn.edges);
    await this.drawing.show(drawn.nodes, drawn.edges, options);
    this.drawing.filter(this.filters.wantsNode, this.filters.wantsEdge);
  }

  /** Ask for the same again, after the time was changed. */
  async redraw() {
    try {
      const { kind, inside, names } = this.drawn;
      if (kind === "map") await this.map(inside);
      else if (kind === "around") {
        await this.around(names[0], AROUND, true);
        for (const name of names.slice(1)) await this.expand(name);
      }
      dispatchEvent(new CustomEvent("time-changed"));
    } catch (error) {
      this.failed(error);
    }
  }

  async refilter(arranges = false) {
    this.drawing.filter(this.filters.wantsNode, this.filters.wantsEdge);
    if (arranges) await this.drawing.arrange().catch(this.failed);
    this.say(this.counts());
  }

  counts() {
    const [nodes, edges] = this.drawing.shown;
    const all = this.drawing.cy.nodes().length;
    const when = this.asOf ? ` as of ${this.asOf}` : "";
    return `${nodes < all ? `${nodes.toLocaleString("en")} of ` : ""}${counted(all, "node")} and ${counted(edges, "link")} drawn${when}`;
  }

  tellCut(answer, added = null) {
    const shown = answer.triples.length;
    const new_ = added === null ? "" : ` · ${counted(added, "node")} added`;
    this.say(`${this.counts()}${new_}`);
    if (shown >= answer.total || shown >= MOST) return;
    this.status.append(
      ` · ${shown} of ${counted(answer.total, "triple")} around ${answer.entity} `,
      element("button", { type: "button", class: "link", onclick: () => this.more(answer, added) }, "draw more"),
    );
  }

  more(answer, added) {
    const limit = Math.min(answer.triples.length * 3, MOST);
    (added === null ? this.around(answer.entity, limit) : this.expand(answer.entity, limit)).catch(this.failed);
  }

  /** The way from the whole graph down to the community that is drawn. */
  trail(communities) {
    const here = communities.at(-1);
    this.crumbs.replaceChildren(
      ...(here
        ? [
            element("a", { href: "#/" }, "Map"),
            ...communities.slice(0, -1).flatMap((each) => ["›", element("a", { href: `#/community/${each.id}` }, cut(each.title, 40))]),
            "›",
            element("span", { class: "here" }, here.title),
          ]
        : []),
    );
  }
}
