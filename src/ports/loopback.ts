// Whether an HTTP request means this machine, by the name that it asks for. Pure.

const names = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Whether a `Host` header names this machine; a name that only resolves to it (DNS rebinding) does not. */
export function namesThisMachine(host: string): boolean {
  return names.has(host.replace(/:\d+$/, "").toLowerCase());
}
