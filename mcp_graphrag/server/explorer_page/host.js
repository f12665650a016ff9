// The conversation with the host that shows this page beside an answer (MCP Apps, 2026-01-26): JSON-RPC by messages.

const PROTOCOL = "2026-01-26";
const CALL_SECONDS = 60;

export class Host {
  /** `received` gets each result of a tool, `themed` the context of the host. */
  constructor({ received, themed = () => {} }) {
    this.number = 0;
    this.waiting = new Map();
    this.handlers = {
      "ui/notifications/tool-result": received,
      "ui/notifications/tool-input": (given) => (this.input = given?.arguments ?? {}),
      "ui/notifications/host-context-changed": themed,
    };
    this.themed = themed;
    addEventListener("message", (event) => event.source === parent && this.take(event.data));
  }

  /** Introduce the page; the host then sends what the tool was asked and what it answered. */
  async begin(name, version) {
    const found = await this.ask("ui/initialize", {
      appInfo: { name, version }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] }, protocolVersion: PROTOCOL,
    });
    this.capabilities = found.hostCapabilities ?? {};
    this.themed(found.hostContext ?? {});
    this.tell("ui/notifications/initialized", {});
    new ResizeObserver(() => this.tell("ui/notifications/size-changed", { height: Math.ceil(document.documentElement.scrollHeight) })).observe(document.body);
  }

  /** The result of a tool of the server, if the host lets the page call it. */
  async call(name, given) {
    const result = await this.ask("tools/call", { name, arguments: given });
    if (result.isError) throw new Error(result.content?.map((part) => part.text ?? "").join(" ") || `${name} failed.`);
    return result;
  }

  ask(method, params) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      setTimeout(() => this.waiting.delete(id) && reject(new Error(`The host did not answer ${method}.`)), CALL_SECONDS * 1000);
      parent.postMessage({ jsonrpc: "2.0", id, method, params }, "*");
    });
  }

  tell(method, params) {
    parent.postMessage({ jsonrpc: "2.0", method, params }, "*");
  }

  take(message) {
    if (message?.jsonrpc !== "2.0") return;
    if (message.method) {
      this.handlers[message.method]?.(message.params);
      // Requests of the host, as ping and ui/resource-teardown, only want to know that it is heard.
      if (message.id !== undefined) parent.postMessage({ jsonrpc: "2.0", id: message.id, result: {} }, "*");
      return;
    }
    const { resolve, reject } = this.waiting.get(message.id) ?? {};
    if (!this.waiting.delete(message.id)) return;
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }
}
