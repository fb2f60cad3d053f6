// The embedded API server survives whatever it is sent: it answers everything, never with an internal error, in time, and
// every object that it took can be read, changed and deleted afterwards.
// FUZZ_REQUESTS sets how many requests are sent, and has the slowest time printed; FUZZ_SEED says which ones (or "random"). A failure
// names the request.
import { readFileSync } from "node:fs";
import { Agent, request as send } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Cluster } from "../../../src/cluster/cluster.ts";
import { startCluster } from "../../../src/cluster/start-cluster.ts";
import { admissionCollections } from "./random-admission.ts";
import { seededRandom } from "./random-json.ts";
import { definitions, fuzzedTypes, randomRequest, type FuzzedRequest } from "./random-requests.ts";

const requests = Number(process.env["FUZZ_REQUESTS"] ?? "2000");
const chosen = process.env["FUZZ_SEED"] ?? "20261128";
const seed = chosen === "random" ? Date.now() % 2 ** 32 : Number(chosen);
/** Milliseconds of the processor, the client's included. */
const longest = 200;

interface Answer {
  readonly status: number;
  readonly body: string;
}

describe("the embedded API server under random requests", () => {
  let cluster: Cluster;
  let token = "";
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const errors: unknown[] = [];

  beforeAll(async () => {
    const ignore = (): void => undefined;
    const log = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (...line: unknown[]) => errors.push(line),
      child: () => log,
    };
    cluster = await startCluster({ log, podStartDelay: 1 });
    const config = parse(readFileSync(cluster.kubeconfig, "utf8")) as {
      users: { user: { token: string } }[];
    };
    token = config.users[0]?.user.token ?? "";
    for (const definition of definitions) {
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const headers = { "content-type": "application/json" };
      expect(
        (await answerTo({ method: "POST", path, headers, body: JSON.stringify(definition) })).status,
      ).toBe(201);
    }
    // Some objects ask for pods by the million.
    const path = "/api/v1/namespaces/default/resourcequotas";
    const body = JSON.stringify({ metadata: { name: "pods" }, spec: { hard: { pods: "100" } } });
    const headers = { "content-type": "application/json" };
    expect((await answerTo({ method: "POST", path, headers, body })).status).toBe(201);
  });
  afterAll(async () => {
    agent.destroy();
    await cluster.stop();
  });

  function answerTo({ method, path, headers, body }: FuzzedRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = send(cluster.url + "/", {
        method,
        path,
        agent,
        timeout: 20_000,
        headers: { ...headers, ...lengthOf(body), authorization: `Bearer ${token}` },
      });
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
        response.on("error", reject);
      });
      sent.on("timeout", () => sent.destroy(new Error("no answer within 20 seconds")));
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Sends a request: what went wrong with it, and the milliseconds of the processor until its answer. */
  async function timed(
    request: FuzzedRequest,
    answeredWith: (status: number) => void,
  ): Promise<{ readonly fault: string | undefined; readonly duration: number }> {
    const before = process.cpuUsage();
    const fault = await answerTo(request).then(
      ({ status, body }) => {
        answeredWith(status);
        return isInternal(body) ? `answered ${status} ${body.slice(0, 600)}` : undefined;
      },
      (error: unknown) => `failed with ${String(error)}`,
    );
    const { user, system } = process.cpuUsage(before);
    return { fault, duration: Math.round((user + system) / 1_000) };
  }

  it(`answers ${requests} requests of seed ${seed}`, async () => {
    const random = seededRandom(seed);
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    let slowest = 0;
    for (let number = 0; number < requests && faults.length < 5; number += 1) {
      const request = randomRequest(random);
      const first = await timed(request, (status) => statuses.set(status, (statuses.get(status) ?? 0) + 1));
      if (first.fault !== undefined) faults.push(`request ${number} ${first.fault}\n${show(request)}`);
      // The controllers work meanwhile; what is slow by itself is slow again.
      let { duration } = first;
      for (let again = 0; again < 3 && duration > longest; again += 1) {
        duration = Math.min(duration, (await timed(request, () => undefined)).duration);
      }
      slowest = Math.max(slowest, duration);
      if (duration > longest) {
        faults.push(`request ${number} took ${duration} ms of the processor\n${show(request)}`);
      }
    }
    if (process.env["FUZZ_REQUESTS"] !== undefined) {
      console.log(`the slowest of ${requests} requests: ${slowest} ms of the processor`);
    }
    for (const collection of admissionCollections) {
      const request = { method: "DELETE", path: collection, headers: {}, body: undefined };
      expect((await answerTo(request)).status).toBe(200);
    }
    expect(faults).toEqual([]);
    expect(errors).toEqual([]);
    // Random requests that are all refused would show nothing.
    const written = (statuses.get(201) ?? 0) + (statuses.get(200) ?? 0);
    expect(written).toBeGreaterThan(requests / 10);
  }, 3_600_000);

  it.each(fuzzedTypes.map(({ collection }) => collection))("left all of %s readable", async (collection) => {
    const json = { "content-type": "application/json" };
    const listed = await answerTo({ method: "GET", path: collection, headers: {}, body: undefined });
    expect(listed.status).toBe(200);
    const { items } = JSON.parse(listed.body) as { items: { metadata: { name: string } }[] };
    for (const { metadata } of items) {
      const path = `${collection}/${encodeURIComponent(metadata.name)}`;
      const read = await answerTo({ method: "GET", path, headers: {}, body: undefined });
      expect([read.status, read.body.length > 2]).toEqual([200, true]);
      const replaced = await answerTo({
        method: "PUT",
        path: `${path}?dryRun=All`,
        headers: json,
        body: read.body,
      });
      expect([replaced.status, isInternal(replaced.body)]).toEqual([replaced.status, false]);
      const deleted = await answerTo({ method: "DELETE", path, headers: {}, body: undefined });
      expect([200, 404]).toContain(deleted.status);
    }
    const watched = await answerTo({
      method: "GET",
      path: `${collection}?watch=true&timeoutSeconds=0&resourceVersion=0`,
      headers: {},
      body: undefined,
    });
    expect(watched.status).toBe(200);
  });
});

/** Node frames no body of a DELETE by itself. */
function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

/** What the server answers when it has come upon something that it did not expect. */
function isInternal(body: string): boolean {
  // Kubernetes answers so too, where nobody answers a webhook.
  if (/failed calling webhook/.test(body)) return false;
  return body.includes('"InternalError"') || body.includes("Internal error occurred");
}

function show({ method, path, headers, body }: FuzzedRequest): string {
  return `${method} ${path} ${JSON.stringify(headers)}\n${(body ?? "").slice(0, 1_500)}`;
}
