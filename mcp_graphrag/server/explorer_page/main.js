// The explorer: which view an address shows, and what clicks in it lead to.
import { ask } from "./api.js";
import { element } from "./elements.js";
import { GraphView } from "./graph_view.js";
import { impactPage, pathsPage, reviewPage } from "./pages.js";
import { communityPanel, documentPanel, entityPanel, searchPanel } from "./panels.js";
import { queryPanel } from "./query_panel.js";

const $ = (id) => document.getElementById(id);
const THEME = "mcp-graphrag-theme";
let start = null;
let graph = null;
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
  const [view = "", ...given] = location.hash.replace(/^#\/?/, "").split("/");
  return [view, given.map((each) => decodeURIComponent(each))];
}

async function route({ keepsPicture = false, map } = {}) {
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
      const { children, named } = await searchPanel(query, mode, asOf);
      fills(children);
      if (mine === shown && named && !graph.has(named)) await graph.around(named);
      else graph.say(graph.counts());
    } else if (view === "paths") await page(mine, () => pathsPage(given, asOf), keepsPicture);
    else if (view === "impact") await page(mine, () => impactPage(given, asOf), keepsPicture);
    else if (view === "review") await page(mine, () => reviewPage(!start.read_only, countOpen), keepsPicture);
    else if (view === "query") {
      onStage("picture");
      fills(await queryPanel(given[0], asOf, (triples) => graph.rows(triples)), true);
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
  let children;
  try {
    children = await make();
  } catch (error) {
    const [view, given] = address();
    children = [...(await (view === "paths" ? pathsPage([]) : impactPage([]))), element("p", { class: "notes", role: "alert" }, error.message)];
    children[1].querySelectorAll("input").forEach((input, at) => (input.value = given[at] ?? ""));
  }
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

/** Show something over what the panel shows, with a way back. */
async function over(make, wide = false) {
  const panel = $("panel");
  const former = [...panel.childNodes];
  const [wasHidden, wasWide, top] = [panel.hidden, panel.classList.contains("wide"), panel.scrollTop];
  try {
    const children = await make();
    const back = element("button", { type: "button", class: "link back", onclick: () => {
      panel.replaceChildren(...former);
      panel.hidden = wasHidden;
      panel.classList.toggle("wide", wasWide);
      panel.scrollTop = top;
    } }, wasHidden ? "✕ Close" : "← Back");
    fill(panel, [back, ...children], wide);
    back.focus();
    panel.querySelector("mark")?.scrollIntoView({ block: "center" });
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (!$("page").hidden) $("page").prepend(element("p", { class: "notes", role: "alert" }, error.message));
  graph.say(error.message, true);
}

/** Show at "Review" how many conflicts are open. */
async function countOpen(count) {
  const open = count ?? (await ask("review", { kind: "conflicts", limit: 1 }).catch(() => ({}))).conflicts ?? 0;
  $("open").textContent = open;
  $("open").hidden = !open;
}

const onPicture = () => !$("picture").hidden;
document.addEventListener("open-entity", ({ detail }) => {
  if (onPicture()) location.hash = `#/entity/${encodeURIComponent(detail.name)}`;
  else over(() => entityPanel(detail.name, graph.asOf));
});
document.addEventListener("open-source", ({ detail }) => over(() => documentPanel(detail, detail.whole), true));
document.addEventListener("expand-entity", ({ detail }) => {
  if (onPicture()) graph.expand(detail.name).catch(failed);
  else location.hash = `#/entity/${encodeURIComponent(detail.name)}`;
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
  if (query) location.hash = `#/search/${encodeURIComponent(query)}/${$("mode").value}`;
});
$("mode").addEventListener("change", () => $("query").value.trim() && $("search").requestSubmit());
$("skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("panel").focus();
});
$("zoom-in").addEventListener("click", () => graph.drawing.zoomBy(1.3));
$("zoom-out").addEventListener("click", () => graph.drawing.zoomBy(1 / 1.3));
$("zoom-fit").addEventListener("click", () => graph.drawing.fit());
$("theme").addEventListener("click", () => {
  const now = getComputedStyle(document.documentElement).colorScheme;
  const theme = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(THEME, theme);
  graph?.drawing.restyle();
});
begin();
