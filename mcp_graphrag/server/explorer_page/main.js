// The explorer: which view an address shows, and what clicks in it lead to.
import { ask } from "./api.js";
import { chooseColours } from "./colours.js";
import { addressOf, element } from "./elements.js";
import { GraphView } from "./graph_view.js";
import { impactPage, pathsPage, reviewPage, waiting } from "./pages.js";
import { communityPanel, documentPanel, entityPanel, searchPanel } from "./panels.js";
import { queryPanel } from "./query_panel.js";

const $ = (id) => document.getElementById(id);
const DOCUMENT = "?document=";
const THEME = "mcp-graphrag-theme";
let start = null;
let graph = null;
let base = null; // the address that is shown, but for a document over it
let former = null; // what the panel had before that document
let cameHere = false; // whether the document was opened in this page, so that going back leads to what it hid
let shown = 0; // counts addresses, so that a late answer does not replace a newer one

async function begin() {
  document.documentElement.dataset.theme = localStorage.getItem(THEME) ?? "";
  const [view] = address();
  const map = view ? undefined : ask("explore_map"); // at once: it takes as long as the rest together
  map?.catch(() => {});
  try {
    start = await ask("explore_start");
  } catch (error) {
    $("panel").replaceChildren(element("h1", {}, "The graph cannot be shown"), element("p", { role: "alert" }, error.message));
    return;
  }
  $("graph").textContent = start.graph.split(/[\\/]/).slice(-2).join("/");
  $("graph").title = start.graph;
  chooseColours(Object.keys(start.types)); // of the graph, whatever of it is drawn first
  graph = new GraphView({
    picture: $("picture"), filters: $("filters"), status: $("status"), crumbs: $("crumbs"), dates: start.dates ?? [], failed,
  });
  window.explorer = graph; // for whoever looks at the page from its console
  addEventListener("hashchange", route);
  addEventListener("time-changed", () => route({ keepsPicture: true }));
  await route({ map });
  countOpen();
}

/** The view and the arguments of the address. */
function address() {
  const [view = "", ...given] = location.hash.split(DOCUMENT)[0].replace(/^#\/?/, "").split("/");
  return [view, given.map((each) => decodeURIComponent(each))];
}

/** Show what the address says: a view, and a document over it. */
async function route({ keepsPicture = false, map } = {}) {
  const [now, source] = location.hash.split(DOCUMENT);
  if (now === base && former && !source && !keepsPicture) return restore();
  if (now !== base || !source || keepsPicture) {
    [base, former] = [now, null];
    await show({ keepsPicture, map });
  }
  if (source && now === base) await over(() => documentPanel(JSON.parse(decodeURIComponent(source))), true);
}

async function show({ keepsPicture, map }) {
  const [view, given] = address();
  const mine = ++shown;
  const fills = (children, wide = false) => mine === shown && fill($("panel"), children, wide);
  for (const link of document.querySelectorAll("header nav a")) {
    const current = link.dataset.view === (view === "community" || !view ? "map" : view);
    link.toggleAttribute("aria-current", current);
    if (current) link.setAttribute("aria-current", "page");
  }
  try {
    const asOf = graph.asOf;
    $("moment").hidden = !asOf;
    $("moment").firstElementChild.textContent = `as of ${asOf}`;
    if (view === "entity") {
      onStage("picture");
      const panel = entityPanel(given[0], asOf);
      if (!keepsPicture && !graph.has(given[0])) await graph.around(given[0]);
      fills(await panel);
    } else if (view === "search") {
      const [query, mode = "auto"] = given;
      $("query").value = query;
      $("mode").value = mode;
      onStage("picture");
      if (graph.drawn.kind === "nothing") graph.map().catch(failed);
      graph.say("Searching …");
      fills([element("h1", {}, `“${query}”`), element("p", { class: "quiet" }, "Searching …")]);
      const { children, named } = await searchPanel(query, mode, asOf);
      fills(children);
      if (mine === shown && named && !graph.has(named)) await graph.around(named);
      else graph.say(graph.counts());
    } else if (view === "paths") await page(mine, () => pathsPage(given, asOf), keepsPicture);
    else if (view === "impact") await page(mine, () => impactPage(given, asOf), keepsPicture);
    else if (view === "review") await page(mine, () => reviewPage(!start.read_only, countOpen), keepsPicture);
    else if (view === "query") {
      onStage("picture");
      fills(await queryPanel(given[0], asOf, (found) => graph.rows(found)), true);
    } else {
      onStage("picture");
      const inside = view === "community" ? Number(given[0]) : null;
      graph.say("Drawing …");
      fills(communityPanel(start, await graph.map(inside, map)));
    }
  } catch (error) {
    failed(error);
    if (mine === shown && view === "entity") fills([element("h1", {}, given[0]), element("p", { role: "alert" }, error.message)]);
  }
}

/** Show a page in place of the picture. */
async function page(mine, make, keeps) {
  onStage("page");
  if (!keeps) $("panel").hidden = true;
  const children = await make();
  if (mine !== shown) return;
  $("page").replaceChildren(...children.filter(Boolean));
  $("page").focus({ preventScroll: true });
  $("page").scrollTop = 0;
}

function onStage(which) {
  for (const id of ["picture", "zoom", "filters", "status", "crumbs"]) $(id).hidden = which === "page";
  $("page").hidden = which !== "page";
}

function fill(panel, children, wide = false) {
  panel.hidden = false;
  panel.classList.toggle("wide", wide);
  panel.replaceChildren(...children);
  panel.scrollTop = 0;
}

/** Show something over what the panel shows, with a way back: of an entity here, of a document by the address. */
async function over(make, isDocument = false) {
  const [panel, at] = [$("panel"), location.hash];
  const under = { nodes: [...panel.childNodes], hidden: panel.hidden, wide: panel.classList.contains("wide"), top: panel.scrollTop };
  try {
    const children = await make();
    if (at !== location.hash) return;
    if (isDocument) former ??= under;
    const leave = () => (!isDocument ? restore(under) : cameHere ? history.back() : (location.hash = base));
    const back = element("button", { type: "button", class: "link", onclick: leave }, (isDocument ? former : under).hidden ? "✕ Close" : "← Back");
    const named = isDocument ? element("strong", {}, children[0].textContent) : null;
    fill(panel, [element("div", { class: "back" }, back, named), ...children], isDocument);
    back.focus();
    panel.querySelector("mark")?.scrollIntoView({ block: "center" });
  } catch (error) {
    failed(error);
  }
}

/** Show again what the panel had. */
function restore(under = former) {
  const panel = $("panel");
  if (under === former) former = null;
  panel.replaceChildren(...under.nodes);
  panel.hidden = under.hidden;
  panel.classList.toggle("wide", under.wide);
  panel.scrollTop = under.top;
}

function failed(error) {
  if (!$("page").hidden) $("page").prepend(element("p", { class: "notes", role: "alert" }, error.message));
  graph.say(error.message, true);
}

/** Show at "Review" how many decisions wait. */
async function countOpen() {
  const open = waiting(await ask("review", { limit: 1 }).catch(() => ({})));
  $("open").textContent = open.toLocaleString("en");
  $("open").hidden = !open;
}

const onPicture = () => !$("picture").hidden;
document.addEventListener("open-entity", ({ detail }) => {
  if (onPicture()) location.hash = addressOf("entity", detail.name);
  else over(() => entityPanel(detail.name, graph.asOf));
});
document.addEventListener("open-source", ({ detail }) => {
  cameHere = true;
  location.hash = `${base}${DOCUMENT}${encodeURIComponent(JSON.stringify(detail))}`;
});
document.addEventListener("expand-entity", ({ detail }) => {
  if (onPicture()) graph.expand(detail.name).catch(failed);
  else location.hash = addressOf("entity", detail.name);
});
document.addEventListener("draw-entity", ({ detail }) => {
  onStage("picture");
  graph.around(detail.name).catch(failed);
});
document.addEventListener("build-communities", async ({ target }) => {
  target.disabled = true;
  graph.say("Building communities …");
  await ask("rebuild_communities", { rewrite: false }).then(() => route(), failed);
  target.disabled = false;
});
document.addEventListener("go", ({ detail }) => (location.hash = detail));
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const query = $("query").value.trim();
  if (query) location.hash = addressOf("search", query, $("mode").value);
});
$("mode").addEventListener("change", () => $("query").value.trim() && $("search").requestSubmit());
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("panel").focus();
});
$("zoom-in").addEventListener("click", () => graph.drawing.zoomBy(1.3));
$("zoom-out").addEventListener("click", () => graph.drawing.zoomBy(1 / 1.3));
$("zoom-fit").addEventListener("click", () => graph.drawing.fit());
$("arrange").addEventListener("click", () => graph.drawing.arrange().catch(failed));
$("moment").lastElementChild.addEventListener("click", () => graph.filters.anyTime());
$("theme").addEventListener("click", () => {
  const now = getComputedStyle(document.documentElement).colorScheme;
  const theme = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(THEME, theme);
  graph?.drawing.restyle();
});
begin();
