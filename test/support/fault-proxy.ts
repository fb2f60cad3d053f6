// A TCP proxy on loopback between a client and an API server, real or embedded, with the network's faults at will. It
// passes bytes and knows nothing of TLS: the server's certificate names 127.0.0.1, whatever the port.
import { readFile, writeFile } from "node:fs/promises";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { parse } from "yaml";

/** A running proxy. Faults concern what is asked of them; everything else passes. */
export interface FaultProxy {
  /** Writes a copy of a kubeconfig file that goes through the proxy; its path. */
  kubeconfigFor(path: string): Promise<string>;
  /** Connections that are open. */
  readonly open: number;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Bytes that clients have sent into half-open connections. */
  readonly unheard: number;
  /** Makes the open connections half-open: the sockets stay, but not a byte passes any more, in either direction. */
  silence(): void;
  /** As {@link silence}, for new connections too, until {@link heal}. */
  silenceAll(): void;
  /** Resets the open connections. */
  reset(): void;
  /** Resets the next connections as soon as they are accepted. */
  resetNext(count: number): void;
  /** Cuts each open connection after so many more bytes from the server, wherever that is. */
  cutAfter(bytes: number): void;
  /** Passes at most so many bytes a second from the server to the client, on each connection. */
  slow(bytesPerSecond: number): void;
  /** Refuses new connections, and ends the open ones. */
  refuse(): Promise<void>;
  /** Ends all faults; connections that are half-open stay so. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

/** One connection through the proxy. */
interface Pipe {
  readonly client: Socket;
  readonly server: Socket;
  silent: boolean;
  /** Bytes from the server until the cut. */
  left: number;
}

/** Starts a proxy to a server's URL, on a free port. */
export async function startFaultProxy(url: string): Promise<FaultProxy> {
  const target = new URL(url);
  const pipes = new Set<Pipe>();
  let accepted = 0;
  let unheard = 0;
  let silenceNew = false;
  let resetsLeft = 0;
  let rate = Infinity;

  const close = (pipe: Pipe): void => {
    pipes.delete(pipe);
    pipe.client.destroy();
    pipe.server.destroy();
  };

  /** Passes what came from the server on, at the rate; the source is paused meanwhile. */
  const pass = (pipe: Pipe, bytes: Buffer): void => {
    if (pipe.silent) return;
    const piece = bytes.subarray(0, Math.min(bytes.length, pipe.left));
    pipe.left -= piece.length;
    if (rate === Infinity) pipe.client.write(piece);
    else trickle(pipe, piece);
    if (pipe.left <= 0) pipe.client.end(() => close(pipe));
  };
  const trickle = (pipe: Pipe, bytes: Buffer): void => {
    pipe.server.pause();
    const step = Math.max(1, Math.ceil(rate / 20));
    if (!pipe.silent && pipes.has(pipe)) pipe.client.write(bytes.subarray(0, step));
    setTimeout(() => {
      if (bytes.length > step && pipes.has(pipe)) trickle(pipe, bytes.subarray(step));
      else pipe.server.resume();
    }, 50);
  };

  const accept = (client: Socket): void => {
    accepted += 1;
    if (resetsLeft > 0) {
      resetsLeft -= 1;
      client.on("error", () => undefined);
      client.resetAndDestroy();
      return;
    }
    const server = createConnection({ host: "127.0.0.1", port: Number(target.port) });
    const pipe: Pipe = { client, server, silent: silenceNew, left: Infinity };
    pipes.add(pipe);
    client.on("data", (bytes) => {
      if (pipe.silent) unheard += bytes.length;
      else server.write(bytes);
    });
    server.on("data", (bytes) => pass(pipe, bytes));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => close(pipe));
      // A half-open connection does not tell the other side that one side has gone.
      from.on("close", () => {
        if (!pipe.silent) close(pipe);
        else if (from === client) close(pipe);
      });
      from.on("end", () => {
        if (!pipe.silent) to.end();
      });
    }
  };

  let listener: Server | undefined;
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      listener = createServer({ allowHalfOpen: true }, accept);
      listener.once("error", reject);
      listener.listen(port, "127.0.0.1", resolve);
    });
  await listen(0);
  const address = listener?.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");
  const { port } = address;

  const refuse = async (): Promise<void> => {
    const closing = listener;
    listener = undefined;
    for (const pipe of pipes) close(pipe);
    if (closing !== undefined) await new Promise<void>((resolve) => closing.close(() => resolve()));
  };

  return {
    async kubeconfigFor(path) {
      const config = parse(await readFile(path, "utf8")) as { clusters: { cluster: { server: string } }[] };
      for (const { cluster } of config.clusters) cluster.server = `https://127.0.0.1:${port}`;
      const copy = `${path}.proxied-${port}`;
      await writeFile(copy, JSON.stringify(config), { mode: 0o600 });
      return copy;
    },
    get open() {
      return pipes.size;
    },
    get accepted() {
      return accepted;
    },
    get unheard() {
      return unheard;
    },
    silence() {
      for (const pipe of pipes) pipe.silent = true;
    },
    silenceAll() {
      silenceNew = true;
      for (const pipe of pipes) pipe.silent = true;
    },
    reset() {
      for (const pipe of pipes) {
        pipe.client.resetAndDestroy();
        close(pipe);
      }
    },
    resetNext(count) {
      resetsLeft = count;
    },
    cutAfter(bytes) {
      for (const pipe of pipes) pipe.left = bytes;
    },
    slow(bytesPerSecond) {
      rate = bytesPerSecond;
    },
    refuse,
    async heal() {
      silenceNew = false;
      resetsLeft = 0;
      rate = Infinity;
      for (const pipe of pipes) pipe.left = Infinity;
      if (listener === undefined) await listen(port);
    },
    stop: refuse,
  };
}
