// What the page asks of its server, with the key that the address had behind its #.

const STORED = "mcp-graphrag-key";

/** The key: of the address, from which it is taken away so that it is not in a bookmark, or as this tab has kept it. */
function key() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) {
    sessionStorage.setItem(STORED, given);
    history.replaceState(null, "", `${location.pathname}#/`);
  }
  return given ?? sessionStorage.getItem(STORED) ?? "";
}

const token = key();

/** The answer of a tool. Throws an Error whose message says what is wrong and what to do. */
export async function ask(tool, given = {}) {
  let response;
  try {
    response = await fetch(`/api/${tool}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined))),
    });
  } catch {
    throw new Error("The explorer does not answer. Start `mcp-graphrag explore` again.");
  }
  if (response.status === 401) {
    throw new Error("This address has no valid key. Open the one that `mcp-graphrag explore` printed last.");
  }
  const answer = await response.json();
  if (!response.ok) {
    const hint = (answer.hint ?? "").replace(/ *\[\w+:[^\]\s]*\]/g, ""); // citations, which are for agents
    throw Object.assign(new Error(`${answer.error} ${hint}`.trim()), { fact: answer.error });
  }
  return answer;
}

/** Places for the nodes of a picture, from the server. */
export const places = async (count, edges, placed, room) => (await ask("layout", { count, edges, placed, room })).places;
