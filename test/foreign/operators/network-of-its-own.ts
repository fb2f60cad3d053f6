// A network of its own for a program that listens on every address: there it has only loopback, and on it, at the API server's port, a
// passage to the API server through a socket file.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A way out of a network that has none. */
export interface Passage {
  /** What the program's command line is put behind. */
  readonly command: readonly string[];
  stop(): void;
}

/** Whether this machine lets us make networks. */
export const canIsolate = spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"]).status === 0;

/** Inside: the passage, and once it is open the program, with which it ends. */
const inside = `
const { spawn } = require("node:child_process");
const { connect, createServer } = require("node:net");
const [, path, port, command, ...args] = process.argv;
createServer((from) => {
  const to = connect(path);
  from.pipe(to).pipe(from);
  for (const [one, other] of [[from, to], [to, from]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}).listen(Number(port), "127.0.0.1", () => {
  const child = spawn(command, args, { stdio: "inherit" });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code) => process.exit(code ?? 1));
});
`;

/** Opens a passage to a server on loopback. */
export async function startPassage(url: string): Promise<Passage> {
  const { hostname, port } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), "foreign-network-"));
  const path = join(folder, "socket");
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(Number(port), hostname);
    from.pipe(to).pipe(from);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const script = 'ip link set lo up && exec "$@"';
  return {
    command: ["unshare", "--net", "sh", "-c", script, "sh", process.execPath, "-e", inside, path, port],
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
