// A network of its own for a program that listens on every address: there it has only loopback, and on it, at the API server's port, a
// passage to the API server through a socket file; another leads the API server to the program's webhooks.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";

/** A way out of a network that has none. */
export interface Passage {
  /** What the program's command line is put behind. */
  readonly command: readonly string[];
  /** The port on this machine's loopback that leads to the one at which the program is called. */
  readonly calledAt: number | undefined;
  stop(): void;
}

/** Whether this machine lets us make networks. */
export const canIsolate = spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"]).status === 0;

/** Inside: the passages, and once they are open the program, with which they end. */
const inside = `
const { spawn } = require("node:child_process");
const { connect, createServer } = require("node:net");
const [, folder, port, called, command, ...args] = process.argv;
const passage = (target) => createServer((from) => {
  const to = connect(target());
  from.pipe(to).pipe(from);
  for (const [one, other] of [[from, to], [to, from]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
});
passage(() => ({ port: Number(called), host: "127.0.0.1" })).listen(folder + "/in", () => {
  passage(() => ({ path: folder + "/out" })).listen(Number(port), "127.0.0.1", () => {
    const child = spawn(command, args, { stdio: "inherit" });
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("exit", (code) => process.exit(code ?? 1));
  });
});
`;

/** Opens a passage to a server on loopback, and from there to the port at which the program is called. */
export async function startPassage(url: string, called?: number): Promise<Passage> {
  const { hostname, port } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), "foreign-network-"));
  const sockets = new Set<Socket>();
  const passage = (target: () => Socket): Server =>
    createServer((from) => {
      const to = target();
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
  const out = passage(() => connect(Number(port), hostname));
  await new Promise<void>((resolve) => out.listen(join(folder, "out"), resolve));
  const calledAt = called === undefined ? undefined : await freePort();
  const back = calledAt === undefined ? undefined : passage(() => connect(join(folder, "in")));
  if (back !== undefined) {
    await new Promise<void>((resolve) => back.listen(calledAt, "127.0.0.1", resolve));
  }
  const script = 'ip link set lo up && exec "$@"';
  const outside = ["unshare", "--net", "sh", "-c", script, "sh"];
  return {
    command: [...outside, process.execPath, "-e", inside, folder, port, String(called ?? 0)],
    calledAt,
    stop() {
      out.close();
      back?.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
