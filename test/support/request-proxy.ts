// A proxy on loopback between an operator and an API server, real or embedded, that knows what each request asks for: it ends TLS
// on both sides. It refuses requests, carries them out and loses or replaces the answer, and holds back what watches tell.
// (fault-proxy.ts breaks connections, and knows nothing of requests.)
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request as send } from "node:https";
import type { AddressInfo } from "node:net";
import { parse } from "yaml";
import { createServerCertificate } from "../../src/cluster/api/http/tls.ts";

/** Which requests a fault strikes: those that agree with every field given. */
export interface RequestMatch {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Resource name, for instance `configmaps`. */
  readonly plural?: string;
  /** Name of the object in the path. */
  readonly name?: string;
  /** Empty: the object itself. */
  readonly subresource?: string;
  /** Whether a watch is asked for. */
  readonly watch?: boolean;
  /** A part of the body. */
  readonly body?: string;
}

/** An answer in place of the server's. */
export interface Refusal {
  readonly status: number;
  readonly reason?: string;
  readonly message?: string;
  /** Seconds. */
  readonly retryAfter?: number;
}

/** One fault; it ends when it has struck often enough. */
export interface Fault {
  readonly strikes: number;
  /** Ends it; what it holds back goes on. */
  end(): void;
}

/** A running proxy. A fault that is added first strikes first; what no fault concerns passes. */
export interface RequestProxy {
  readonly url: string;
  /** Writes a copy of a kubeconfig file that goes through the proxy; its path. */
  kubeconfigFor(path: string): Promise<string>;
  /** What the server has answered to the requests that match, whatever its client was answered. */
  answersTo(match: RequestMatch): readonly number[];
  /** Answers in place of the server, which is not asked. */
  refuse(match: RequestMatch, refusal: Refusal, times?: number): Fault;
  /** Has the request carried out, and answers something else. */
  replaceAnswers(match: RequestMatch, refusal: Refusal, times?: number): Fault;
  /** Has the request carried out, and ends the connection in place of an answer. */
  loseAnswers(match: RequestMatch, times?: number): Fault;
  /** Ends the connection; the server is not asked. */
  loseRequests(match: RequestMatch, times?: number): Fault;
  /**
   * Cuts the network at the write of that number, counted from 1: before the server is asked, or after it has done what was asked. No
   * request passes from then on until it is ended. `onCut` is called at once.
   */
  cutAtWrite(number: number, when: "before" | "after", onCut?: () => void): Fault;
  /** Keeps requests from the server until it is ended. */
  hold(match: RequestMatch): Fault;
  /** Keeps what the watches of a type tell from now on, in order, until it is ended. */
  holdWatches(plural: string): Fault;
  /** Ends all faults. */
  heal(): void;
  stop(): Promise<void>;
}

type Fate =
  | { readonly kind: "refuse" | "replace"; readonly refusal: Refusal }
  | { readonly kind: "loseAnswer" | "loseRequest" }
  | { readonly kind: "hold" | "holdWatch"; readonly ended: PromiseWithResolvers<void> }
  | { readonly kind: "cut"; readonly when: "before" | "after"; readonly onCut: () => void };

interface Injected {
  readonly match: RequestMatch;
  readonly fate: Fate;
  left: number;
  strikes: number;
}

/** What one request asks for. */
interface Asked {
  readonly method: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  readonly watch: boolean;
  readonly body: string;
}

/** Starts a proxy to the server of a kubeconfig file, on a free port. */
export async function startRequestProxy(kubeconfig: string): Promise<RequestProxy> {
  const { key, certificate, authority } = await createServerCertificate(Date.now());
  const { clusters } = parse(await readFile(kubeconfig, "utf8")) as KubeConfigFile;
  const cluster = clusters[0]?.cluster;
  if (cluster === undefined) throw new Error(`${kubeconfig} has no cluster`);
  const target = new URL(cluster.server);
  const ca = Buffer.from(cluster["certificate-authority-data"], "base64");
  const agent = new Agent({ keepAlive: true, ca });
  const faults = new Set<Injected>();
  const answered: { readonly asked: Asked; readonly status: number }[] = [];

  const inject = (match: RequestMatch, fate: Fate, times: number): Fault => {
    const fault: Injected = { match, fate, left: times, strikes: 0 };
    faults.add(fault);
    return {
      get strikes() {
        return fault.strikes;
      },
      end: () => end(fault),
    };
  };
  const end = (fault: Injected): void => {
    faults.delete(fault);
    if ("ended" in fault.fate) fault.fate.ended.resolve();
  };
  /** What a cut network does to a request; undefined while it passes. */
  const cut = (asked: Asked): Fate | undefined => {
    for (const fault of faults) {
      if (fault.fate.kind !== "cut") continue;
      if (fault.strikes > 0) return { kind: "loseRequest" };
      if (asked.method === "GET") continue;
      fault.left -= 1;
      if (fault.left > 0) continue;
      fault.strikes = 1;
      fault.fate.onCut();
      return { kind: fault.fate.when === "before" ? "loseRequest" : "loseAnswer" };
    }
    return undefined;
  };
  const take = (asked: Asked): Fate | undefined => {
    const lost = cut(asked);
    if (lost !== undefined) return lost;
    const found = [...faults].find(
      ({ match, fate }) => !["holdWatch", "cut"].includes(fate.kind) && agrees(asked, match),
    );
    if (found === undefined) return undefined;
    found.strikes += 1;
    found.left -= 1;
    if (found.left === 0) faults.delete(found);
    return found.fate;
  };

  /** Passes on what a watch tells, once nothing holds it back. */
  const tell = async (asked: Asked, from: IncomingMessage, to: ServerResponse): Promise<void> => {
    for await (const chunk of from) {
      for (const { match, fate } of faults) {
        if (fate.kind === "holdWatch" && agrees(asked, match)) await fate.ended.promise;
      }
      if (!to.write(chunk)) await new Promise<void>((resolve) => to.once("drain", resolve));
    }
    to.end();
  };

  const serve = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await textOf(incoming);
    const asked = askedBy(incoming, body);
    const fate = take(asked);
    if (fate?.kind === "hold") await fate.ended.promise;
    if (fate?.kind === "loseRequest") return void incoming.socket.destroy();
    if (fate?.kind === "refuse") return refuseWith(answer, fate.refusal);
    const { method, url, headers } = incoming;
    const { hostname: host, port } = target;
    const outgoing = send({
      host,
      port,
      agent,
      method,
      path: url,
      headers: { ...headers, host: target.host },
    });
    answer.once("close", () => outgoing.destroy());
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve);
      outgoing.once("error", reject);
      outgoing.end(body);
    });
    const { statusCode: status = 0 } = reply;
    answered.push({ asked, status });
    if (fate?.kind === "loseAnswer" || fate?.kind === "replace") {
      for await (const _ of reply) continue;
      if (fate.kind === "replace") refuseWith(answer, fate.refusal);
      else incoming.socket.destroy();
      return;
    }
    answer.writeHead(status, reply.headers);
    answer.flushHeaders();
    await tell(asked, reply, answer);
  };
  const server = createServer({ key, cert: certificate }, (incoming, answer) => {
    // A side that goes away takes the other one with it.
    serve(incoming, answer).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;

  const heal = (): void => {
    for (const fault of faults) end(fault);
  };
  return {
    url,
    async kubeconfigFor(path) {
      const config = parse(await readFile(path, "utf8")) as KubeConfigFile;
      for (const each of config.clusters) {
        each.cluster.server = url;
        each.cluster["certificate-authority-data"] = Buffer.from(authority).toString("base64");
      }
      const copy = `${path}.through-${port}`;
      await writeFile(copy, JSON.stringify(config), { mode: 0o600 });
      return copy;
    },
    answersTo: (match) => answered.flatMap(({ asked, status }) => (agrees(asked, match) ? [status] : [])),
    refuse: (match, refusal, times = 1) => inject(match, { kind: "refuse", refusal }, times),
    replaceAnswers: (match, refusal, times = 1) => inject(match, { kind: "replace", refusal }, times),
    loseAnswers: (match, times = 1) => inject(match, { kind: "loseAnswer" }, times),
    loseRequests: (match, times = 1) => inject(match, { kind: "loseRequest" }, times),
    cutAtWrite: (number, when, onCut = () => undefined) => inject({}, { kind: "cut", when, onCut }, number),
    hold: (match) => inject(match, { kind: "hold", ended: Promise.withResolvers() }, Infinity),
    holdWatches: (plural) =>
      inject({ plural, watch: true }, { kind: "holdWatch", ended: Promise.withResolvers() }, Infinity),
    heal,
    async stop() {
      heal();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      agent.destroy();
    },
  };
}

interface KubeConfigFile {
  readonly clusters: { readonly cluster: { server: string; "certificate-authority-data": string } }[];
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function askedBy({ method = "", url = "" }: IncomingMessage, body: string): Asked {
  const { pathname, searchParams } = new URL(url, "https://any");
  const parts = pathname.split("/").slice(1).map(decodeURIComponent);
  const within = parts.slice(parts[0] === "api" ? 2 : 3);
  const [plural = "", name = "", subresource = ""] =
    within[0] === "namespaces" && within.length > 2 ? within.slice(2) : within;
  const watch = ["1", "true"].includes(searchParams.get("watch") ?? "");
  return { method, plural, name, subresource, watch, body };
}

function agrees(asked: Asked, { body = "", ...match }: RequestMatch): boolean {
  return (
    asked.body.includes(body) &&
    Object.entries(match).every(([field, value]) => asked[field as keyof Asked] === value)
  );
}

function refuseWith(
  answer: ServerResponse,
  { status: code, reason = "", message = "no", retryAfter }: Refusal,
): void {
  answer.writeHead(code, {
    "Content-Type": "application/json",
    ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }),
  });
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message, code };
  answer.end(JSON.stringify(status));
}
