// A network of its own for a program that listens on every address: there it has only loopback, and on it, at the API server's port, a
// passage to the API server through a socket file; others lead from this machine to where the program is called, such as its webhooks.
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
  /** The ports on this machine's loopback that lead to those at which the program is called. */
  readonly calledAt: readonly number[];
  stop(): void;
}

/** Whether this machine lets us make networks. */
export const canIsolate = spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"]).status === 0;

/** Inside: the passages, and once they are open the program, with which they end. */
const inside = `
const { spawn } = require("node:child_process");
const { connect, createServer } = require("node:net");
const [, folder, port, called, command, ...args] = process.argv;
const ports = called.split(",").filter((each) => each !== "");
const passage = (target) => createServer((from) => {
  const to = connect(target());
  from.pipe(to).pipe(from);
  for (const [one, other] of [[from, to], [to, from]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
});
const opened = (server, place) => new Promise((resolve) => server.listen(...place, resolve));
Promise.all([
  ...ports.map((each) => opened(passage(() => ({ port: Number(each), host: "127.0.0.1" })), [folder + "/in-" + each])),
  opened(passage(() => ({ path: folder + "/out" })), [Number(port), "127.0.0.1"]),
]).then(() => {
  const child = spawn(command, args, { stdio: "inherit" });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code) => process.exit(code ?? 1));
});
`;

/** Opens a passage to a server on loopback, and from there to the ports at which the program is called. */
export async function startPassage(url: string, called: readonly number[] = []): Promise<Passage> {
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
  const back = await Promise.all(
    called.map(async (port) => {
      const [server, at] = [passage(() => connect(join(folder, `in-${port}`))), await freePort()];
      await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
      return { server, at };
    }),
  );
  const script = 'ip link set lo up && exec "$@"';
  const outside = ["unshare", "--net", "sh", "-c", script, "sh"];
  return {
    command: [...outside, process.execPath, "-e", inside, folder, port, called.join(",")],
    calledAt: back.map(({ at }) => at),
    stop() {
      for (const { server } of [{ server: out }, ...back]) server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
