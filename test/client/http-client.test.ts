import { setImmediate } from "node:timers/promises";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Authentication } from "../../src/client/connection.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { Ending } from "../../src/ports/deadline.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { connectionTo, json, startLocalServer, type Answer } from "./local-server.ts";

const configMaps: ResourceType = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
const databases: ResourceType = {
  group: "data.example.com",
  version: "v1alpha1",
  kind: "Database",
  plural: "databases",
  namespaced: true,
};
const nodes: ResourceType = { group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false };

const manifest = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "team" },
  data: { x: "1" },
};
const stored = { ...manifest, metadata: { ...manifest.metadata, uid: "u", resourceVersion: "7" } };
const key = { namespace: "team", name: "a" };

function closed(client: KubeClient): KubeClient {
  onTestFinished(() => client.close());
  return client;
}

async function setUp(answer: Answer = (response) => json(response, stored)) {
  const server = await startLocalServer(answer);
  const client = closed(createKubeClient(connectionTo(server.url), { userAgent: "tester/1" }));
  return { server, client };
}

describe("requests", () => {
  const cases: [string, (client: KubeClient) => Promise<unknown>, string, Record<string, string>?][] = [
    ["get", (c) => c.get(configMaps, key), "GET /api/v1/namespaces/team/configmaps/a"],
    [
      "get of a group",
      (c) => c.get(databases, key),
      "GET /apis/data.example.com/v1alpha1/namespaces/team/databases/a",
    ],
    ["get of a cluster-scoped type", (c) => c.get(nodes, { name: "n:1/x" }), "GET /api/v1/nodes/n%3A1%2Fx"],
    [
      "create",
      (c) => c.create(configMaps, manifest, { fieldManager: "me", fieldValidation: "Strict", dryRun: true }),
      "POST /api/v1/namespaces/team/configmaps?fieldManager=me&fieldValidation=Strict&dryRun=All",
      { "content-type": "application/json" },
    ],
    ["update", (c) => c.update(configMaps, manifest), "PUT /api/v1/namespaces/team/configmaps/a"],
    [
      "update of the status",
      (c) => c.update(configMaps, manifest, { subresource: "status" }),
      "PUT /api/v1/namespaces/team/configmaps/a/status",
    ],
    [
      "JSON patch",
      (c) => c.patch(configMaps, key, { type: "json", body: [{ op: "remove", path: "/x" }] }),
      "PATCH /api/v1/namespaces/team/configmaps/a",
      { "content-type": "application/json-patch+json" },
    ],
    [
      "merge patch of the status",
      (c) =>
        c.patch(configMaps, key, { type: "merge", body: {} }, { subresource: "status", fieldManager: "me" }),
      "PATCH /api/v1/namespaces/team/configmaps/a/status?fieldManager=me",
      { "content-type": "application/merge-patch+json" },
    ],
    [
      "strategic patch",
      (c) => c.patch(configMaps, key, { type: "strategic", body: {} }),
      "PATCH /api/v1/namespaces/team/configmaps/a",
      { "content-type": "application/strategic-merge-patch+json" },
    ],
    [
      "apply",
      (c) => c.apply(configMaps, manifest, { fieldManager: "me", force: true }),
      "PATCH /api/v1/namespaces/team/configmaps/a?fieldManager=me&force=true",
      { "content-type": "application/apply-patch+yaml" },
    ],
    [
      "apply without force",
      (c) => c.apply(configMaps, manifest, { fieldManager: "me", force: false }),
      "PATCH /api/v1/namespaces/team/configmaps/a?fieldManager=me",
    ],
    ["delete", (c) => c.delete(configMaps, key), "DELETE /api/v1/namespaces/team/configmaps/a"],
    ["anything", (c) => c.request({ method: "GET", path: "/version?x=1" }), "GET /version?x=1"],
  ];
  it.each(cases)("%s goes to the right place in the right form", async (_, act, line, headers = {}) => {
    const { server, client } = await setUp();
    await act(client);
    const [request] = server.received;
    expect(`${request?.method} ${request?.url}`).toBe(line);
    expect(request?.headers).toMatchObject({
      authorization: "Bearer secret",
      "user-agent": "tester/1",
      accept: "application/json",
      ...headers,
    });
  });

  describe("of a patch with the whole that it leads to", () => {
    const patch = { type: "merge", body: { status: { ready: true } } } as const;
    const options = { subresource: "status", whole: { ...manifest, status: { ready: true } } } as const;
    const forbidden = (response: Parameters<Answer>[0]): void =>
      json(
        response,
        { kind: "Status", status: "Failure", reason: "Forbidden", message: "no", code: 403 },
        403,
      );

    it("send the whole in its place", async () => {
      const { server, client } = await setUp();
      await client.patch(configMaps, key, patch, options);
      expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
        "PUT /api/v1/namespaces/team/configmaps/a/status",
      ]);
      expect(JSON.parse(server.received[0]?.body ?? "")).toEqual(options.whole);
    });

    it("send the patch, and from then on nothing else, where only that is allowed", async () => {
      const { server, client } = await setUp((response, { method }) =>
        method === "PUT" ? forbidden(response) : json(response, stored),
      );
      const methods = (): readonly (string | undefined)[] => server.received.map(({ method }) => method);
      await client.patch(configMaps, key, patch, options);
      expect(methods()).toEqual(["PUT", "PATCH"]);
      await client.patch(configMaps, key, patch, options);
      expect(methods()).toEqual(["PUT", "PATCH", "PATCH"]);
      // What is allowed of another type, or of the object itself, is for the server to say.
      await client.patch(databases, key, patch, options);
      expect(methods().slice(3)).toEqual(["PUT", "PATCH"]);
    });

    it("send both each time where neither is allowed, and once what is refused for another reason", async () => {
      const { server, client } = await setUp(forbidden);
      for (let time = 0; time < 2; time += 1) {
        await expect(client.patch(configMaps, key, patch, options)).rejects.toMatchObject({ status: 403 });
      }
      expect(server.received.map(({ method }) => method)).toEqual(["PUT", "PATCH", "PUT", "PATCH"]);
      const refusing = await setUp((response) =>
        json(
          response,
          { kind: "Status", status: "Failure", reason: "Conflict", message: "stale", code: 409 },
          409,
        ),
      );
      await expect(refusing.client.patch(configMaps, key, patch, options)).rejects.toMatchObject({
        status: 409,
      });
      expect(refusing.server.received).toHaveLength(1);
    });
  });

  it("carry the manifest as it is, and bring back the object as it is", async () => {
    const { server, client } = await setUp((response) => json(response, { ...stored, futureField: 1 }));
    expect(await client.create(configMaps, manifest)).toEqual({ ...stored, futureField: 1 });
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual(manifest);
  });

  it("below a path of the server keep that path", async () => {
    const server = await startLocalServer((response) => json(response, stored));
    const client = closed(createKubeClient(connectionTo(`${server.url}/clusters/x`)));
    await client.get(configMaps, key);
    expect(server.received[0]?.url).toBe("/clusters/x/api/v1/namespaces/team/configmaps/a");
  });

  it("share connections, instead of making one each", async () => {
    const { server, client } = await setUp();
    for (let number = 0; number < 20; number += 1) await client.get(configMaps, key);
    // A second one when a request goes out before the first socket is free again.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("share connections also for deletes, which have a body", async () => {
    const { server, client } = await setUp();
    for (let number = 0; number < 20; number += 1) await client.delete(configMaps, key);
    expect(server.received).toHaveLength(20);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("ask at the last moment whether they may go out, after waiting for credentials", async () => {
    const server = await startLocalServer((response) => json(response, stored));
    let allowed = true;
    const connection = connectionTo(server.url, async () => {
      await setImmediate();
      allowed = false;
      return { headers: {}, tls: {} };
    });
    const client = closed(createKubeClient(connection));
    const beforeSend = (): void => {
      if (!allowed) throw new OperatorError("TOO_LATE", "too late");
    };
    const requests: Promise<unknown>[] = [
      client.get(configMaps, key, { beforeSend }),
      client.list(configMaps, { beforeSend }),
      client.create(configMaps, manifest, { beforeSend }),
      client.update(configMaps, manifest, { beforeSend }),
      client.patch(configMaps, key, { type: "merge", body: {} }, { beforeSend }),
      client.apply(configMaps, manifest, { fieldManager: "me", beforeSend }),
      client.delete(configMaps, key, { beforeSend }),
      client.request({ method: "POST", path: "/x", beforeSend }),
    ];
    for (const request of requests) await expect(request).rejects.toMatchObject({ code: "TOO_LATE" });
    expect(server.received).toEqual([]);
    // The connection is left in order.
    expect(await client.get(configMaps, key)).toEqual(stored);
  });

  it("without a name or a namespace are refused before they are sent", async () => {
    const { server, client } = await setUp();
    const invalid = { code: "OBJECT_KEY_INVALID" };
    await expect(client.get(configMaps, { name: "a" })).rejects.toMatchObject(invalid);
    await expect(client.delete(configMaps, { namespace: "team", name: "" })).rejects.toMatchObject(invalid);
    expect(server.received).toEqual([]);
  });
});

describe("lists", () => {
  it("ask for a scope and a page, and name the type of each item", async () => {
    const { server, client } = await setUp((response) =>
      json(response, {
        kind: "ConfigMapList",
        metadata: { resourceVersion: "9", continue: "abc", remainingItemCount: 4 },
        items: [{ metadata: stored.metadata }],
      }),
    );
    const list = await client.list(configMaps, {
      namespace: "team",
      labelSelector: "a in (b,c)",
      limit: 1,
      continue: "x=y",
    });
    expect(server.received[0]?.url).toBe(
      "/api/v1/namespaces/team/configmaps?labelSelector=a%20in%20(b%2Cc)&limit=1&continue=x%3Dy",
    );
    expect(list).toEqual({
      metadata: { resourceVersion: "9", continue: "abc", remainingItemCount: 4 },
      items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: stored.metadata }],
    });
  });

  it("take an empty continue for the last page, and null for no items", async () => {
    const { client } = await setUp((response) =>
      json(response, { metadata: { resourceVersion: "9", continue: "" }, items: null }),
    );
    expect(await client.list(configMaps)).toEqual({ metadata: { resourceVersion: "9" }, items: [] });
  });

  it("that are no lists are an error", async () => {
    const { client } = await setUp((response) => json(response, { hello: "world" }));
    await expect(client.list(configMaps)).rejects.toMatchObject({ code: "RESPONSE_MALFORMED" });
  });
});

describe("deletes", () => {
  it("give undefined when the object is gone at once, and the object when it waits for finalizers or its grace", async () => {
    const inDeletion = (more: object) => ({
      ...stored,
      metadata: { ...stored.metadata, deletionTimestamp: "2026-01-01T00:00:00Z", ...more },
    });
    const finalizing = inDeletion({ finalizers: ["example.com/keep"], deletionGracePeriodSeconds: 0 });
    const ending = inDeletion({ deletionGracePeriodSeconds: 30 });
    const gone = [
      { kind: "Status", status: "Success" },
      stored,
      inDeletion({ deletionGracePeriodSeconds: 0 }),
      // Another delete was faster.
      inDeletion({ deletionGracePeriodSeconds: 30, resourceVersion: "" }),
    ];
    const answers: unknown[] = [...gone, finalizing, ending];
    const { server, client } = await setUp((response) => json(response, answers.shift()));
    const preconditions = { uid: "u" };
    expect(
      await client.delete(configMaps, key, { preconditions, propagationPolicy: "Foreground", dryRun: true }),
    ).toBeUndefined();
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions,
      propagationPolicy: "Foreground",
      dryRun: ["All"],
    });
    for (const _ of gone.slice(1)) expect(await client.delete(configMaps, key)).toBeUndefined();
    expect(await client.delete(configMaps, key)).toEqual(finalizing);
    expect(await client.delete(configMaps, key)).toEqual(ending);
  });
});

describe("raw requests", () => {
  it("give JSON or text by the answer's type", async () => {
    const { client } = await setUp((response, request) => {
      if (request.url === "/healthz") response.end("ok");
      else json(response, { major: "1" });
    });
    expect(await client.request({ method: "GET", path: "/version" })).toEqual({ major: "1" });
    expect(await client.request({ method: "GET", path: "/healthz" })).toBe("ok");
  });
});

describe("failures", () => {
  it("are ApiErrors when the server says no", async () => {
    const { client } = await setUp((response) =>
      json(response, { kind: "Status", code: 429, reason: "TooManyRequests", message: "slow down" }, 429, {
        "retry-after": "3",
      }),
    );
    await expect(client.get(configMaps, key)).rejects.toMatchObject({
      code: "API_TOO_MANY_REQUESTS",
      status: 429,
      retryAfter: 3_000,
      message: expect.stringContaining("GET /api/v1/namespaces/team/configmaps/a: slow down"),
    });
  });

  it("of an answer that is not JSON name a login page or proxy", async () => {
    const { client } = await setUp((response) => response.end("<html>"));
    await expect(client.get(configMaps, key)).rejects.toMatchObject({
      code: "RESPONSE_MALFORMED",
      remedy: expect.stringContaining("login page"),
    });
  });

  it("of a refused connection are one sentence with server, context and remedy", async () => {
    const server = await startLocalServer(() => undefined);
    // Nothing listens on port 1 of loopback.
    const client = closed(createKubeClient(connectionTo("http://127.0.0.1:1")));
    await expect(client.get(configMaps, key)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      message:
        'GET /api/v1/namespaces/team/configmaps/a: cannot reach http://127.0.0.1:1 (context "test" of /kube/config): ' +
        "the connection was refused: nothing listens on that address",
      remedy: "Start the cluster, or choose another context.",
    });
    expect(server.received).toEqual([]);
  });

  it("of a server that does not know us name it, and the context", async () => {
    const body = { kind: "Status", code: 401, reason: "Unauthorized", message: "Unauthorized" };
    const server = await startLocalServer((response) => json(response, body, 401));
    const client = closed(createKubeClient(connectionTo(server.url)));
    await expect(client.get(configMaps, key)).rejects.toMatchObject({
      code: "API_UNAUTHORIZED",
      message:
        `GET /api/v1/namespaces/team/configmaps/a: ${server.url} (context "test" of /kube/config) did not accept the credentials: ` +
        "Unauthorized (401 Unauthorized)",
      remedy: expect.stringContaining("has expired"),
    });
  });

  it("of plain HTTP to a port that speaks TLS say so", async () => {
    // As Go's server answers.
    const text = "Client sent an HTTP request to an HTTPS server.\n";
    const server = await startLocalServer((response) => response.writeHead(400).end(text));
    const client = closed(createKubeClient(connectionTo(server.url)));
    await expect(client.get(configMaps, key)).rejects.toMatchObject({
      code: "API_BAD_REQUEST",
      remedy: "Use https:// in the kubeconfig, as the server speaks TLS on that port.",
    });
    // As Node's server does.
    const { client: cut } = await setUp((response) => response.destroy());
    await expect(cut.get(configMaps, key)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      remedy: expect.stringContaining("Use https:// in the kubeconfig if that port serves TLS"),
    });
  });

  it("of a connection that is cut are CONNECTION_FAILED", async () => {
    const { client } = await setUp((response) => response.destroy());
    await expect(client.get(configMaps, key)).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  });

  it("of a certificate name where the trusted authority came from", async () => {
    const { private: privateKey, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }]);
    const server = await startLocalServer((response) => json(response, stored), { key: privateKey, cert });
    const client = closed(createKubeClient(connectionTo(server.url)));
    await expect(client.get(configMaps, key)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      message: expect.stringMatching(
        /certificate of .* is not accepted: it is self-signed; it was checked against cert/,
      ),
    });
    const trusting = closed(
      createKubeClient(
        connectionTo(server.url, () => Promise.resolve({ headers: {}, tls: { rejectUnauthorized: false } })),
      ),
    );
    expect(await trusting.get(configMaps, key)).toEqual(stored);
  });

  it("after close are CLIENT_CLOSED, and close ends what is open", async () => {
    const { server, client } = await setUp((response) => void response.write(" "));
    const watch = client.watch(configMaps, { signal: new AbortController().signal })[Symbol.asyncIterator]();
    const next = watch.next();
    await expect.poll(() => server.open.size).toBe(1);
    await Promise.all([client.close(), expect(next).rejects.toMatchObject({ code: "CLIENT_CLOSED" })]);
    await expect(client.get(configMaps, key)).rejects.toMatchObject({ code: "CLIENT_CLOSED" });
    await expect.poll(() => server.open.size).toBe(0);
  });
});

describe("deadlines", () => {
  it("end a request that is not answered in time, headers or body", async () => {
    const clock = createVirtualClock();
    const server = await startLocalServer((response, request) => {
      if (request.url.includes("slow-body")) response.writeHead(200).write("{");
    });
    const client = closed(createKubeClient(connectionTo(server.url), { clock }));
    for (const path of ["/silent", "/slow-body"]) {
      const before = server.received.length;
      const failed = expect(client.request({ method: "GET", path, timeout: 500 })).rejects.toMatchObject({
        code: "REQUEST_TIMEOUT",
        message: expect.stringContaining(`GET ${path}: no complete answer`),
      });
      await expect.poll(() => server.received.length).toBe(before + 1);
      await clock.advance(500);
      await failed;
    }
    expect(clock.pendingTimers).toBe(0);
    await expect.poll(() => server.open.size).toBe(0);
  });

  it("end lists after 60 s and everything else after 30 s unless told otherwise", async () => {
    const clock = createVirtualClock();
    const server = await startLocalServer(() => undefined);
    const client = closed(createKubeClient(connectionTo(server.url), { clock }));
    const ended: string[] = [];
    const note = (name: string) => (error: unknown) =>
      void ended.push(`${name} ${(error as { code: string }).code}`);
    const all = [client.get(configMaps, key).catch(note("get")), client.list(configMaps).catch(note("list"))];
    await expect.poll(() => server.received.length).toBe(2);
    await clock.advance(30_000);
    await all[0];
    expect(ended).toEqual(["get REQUEST_TIMEOUT"]);
    await clock.advance(30_000);
    await all[1];
    expect(ended).toEqual(["get REQUEST_TIMEOUT", "list REQUEST_TIMEOUT"]);
  });

  it("give way to what ends them without a signal, before they go out and on their way", async () => {
    const server = await startLocalServer(() => undefined);
    const client = closed(createKubeClient(connectionTo(server.url), { clock: createVirtualClock() }));
    const until = new Ending();
    const failed = expect(client.get(configMaps, key, { until })).rejects.toThrow("enough");
    await expect.poll(() => server.received.length).toBe(1);
    until.end(new Error("enough"));
    await failed;
    await expect(client.get(configMaps, key, { until })).rejects.toThrow("enough");
    expect(server.received).toHaveLength(1);
  });

  it("give way to the caller's signal, whose reason is thrown", async () => {
    const clock = createVirtualClock();
    const server = await startLocalServer(() => undefined);
    const client = closed(createKubeClient(connectionTo(server.url), { clock }));
    const abort = new AbortController();
    const failed = expect(client.get(configMaps, key, { signal: abort.signal })).rejects.toThrow("enough");
    await expect.poll(() => server.received.length).toBe(1);
    abort.abort(new Error("enough"));
    await failed;
    await expect(client.get(configMaps, key, { signal: abort.signal })).rejects.toThrow("enough");
    expect(server.received).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("credentials", () => {
  const bearer = (token: string): Authentication => ({
    headers: { authorization: `Bearer ${token}` },
    tls: {},
  });

  it("are refreshed once on 401 and the request is repeated", async () => {
    const server = await startLocalServer((response, request) =>
      request.headers.authorization === "Bearer new"
        ? json(response, stored)
        : json(response, { kind: "Status", code: 401, reason: "Unauthorized", message: "no" }, 401),
    );
    const old = bearer("old");
    const refused: (Authentication | undefined)[] = [];
    const client = closed(
      createKubeClient(
        connectionTo(server.url, (_, each) => {
          refused.push(each);
          return Promise.resolve(each === undefined ? old : bearer("new"));
        }),
      ),
    );
    expect(await client.create(configMaps, manifest)).toEqual(stored);
    expect(server.received.map((request) => request.body)).toEqual([
      JSON.stringify(manifest),
      JSON.stringify(manifest),
    ]);
    expect(refused).toEqual([undefined, old]);
  });

  it("are not tried anew for a request that may go out no more", async () => {
    const server = await startLocalServer((response) =>
      json(response, { kind: "Status", code: 401, reason: "Unauthorized", message: "no" }, 401),
    );
    let asked = 0;
    const connection = connectionTo(server.url, () => Promise.resolve({ headers: {}, tls: {} }));
    const beforeSend = (): void => {
      asked += 1;
      if (asked > 1) throw new OperatorError("TOO_LATE", "too late");
    };
    const request = closed(createKubeClient(connection)).delete(configMaps, key, { beforeSend });
    await expect(request).rejects.toMatchObject({ code: "TOO_LATE" });
    expect(server.received).toHaveLength(1);
  });

  it("that are refused again are an error after exactly one retry; constant ones are not retried", async () => {
    const server = await startLocalServer((response) => json(response, { kind: "Status", code: 401 }, 401));
    let number = 0;
    const changing = closed(
      createKubeClient(connectionTo(server.url, () => Promise.resolve(bearer(String((number += 1)))))),
    );
    await expect(changing.get(configMaps, key)).rejects.toMatchObject({ code: "API_UNAUTHORIZED" });
    expect(server.received).toHaveLength(2);
    const constant = closed(createKubeClient(connectionTo(server.url)));
    await expect(constant.get(configMaps, key)).rejects.toMatchObject({ code: "API_UNAUTHORIZED" });
    expect(server.received).toHaveLength(3);
  });

  it("with other certificates make new connections, and the same ones keep theirs", async () => {
    const server = await startLocalServer((response) => json(response, stored));
    let authentication = bearer("a");
    const client = closed(createKubeClient(connectionTo(server.url, () => Promise.resolve(authentication))));
    const ask = async (): Promise<number> => {
      for (let number = 0; number < 5; number += 1) await client.get(configMaps, key);
      return server.connections;
    };
    const before = await ask();
    authentication = { ...authentication, headers: {} };
    expect(await ask()).toBe(before);
    authentication = { ...authentication, tls: { cert: "new" } };
    expect(await ask()).toBeGreaterThan(before);
  });
});

describe("warnings of the server", () => {
  it("are logged once each", async () => {
    const server = await startLocalServer((response) =>
      json(response, stored, 200, { warning: '299 - "deprecated"' }),
    );
    const warnings: unknown[] = [];
    const drop = (): void => undefined;
    const log = {
      child: () => log,
      debug: drop,
      info: drop,
      error: drop,
      warn: (fields: object) => void warnings.push(fields),
    };
    const client = closed(createKubeClient(connectionTo(server.url), { log }));
    await client.get(configMaps, key);
    await client.get(configMaps, key);
    expect(warnings).toEqual([{ warning: '299 - "deprecated"' }]);
  });
});

describe("watches", () => {
  const event = (type: string, resourceVersion: string): string =>
    `${JSON.stringify({ type, object: { ...stored, metadata: { ...stored.metadata, resourceVersion } } })}\n`;
  const gather = async (events: AsyncIterable<{ type: string; object?: KubeObject }>): Promise<string[]> => {
    const seen: string[] = [];
    for await (const each of events) seen.push(`${each.type} ${each.object?.metadata.resourceVersion ?? ""}`);
    return seen;
  };
  const { signal } = new AbortController();

  it("ask as the caller says, and end when the server ends", async () => {
    const { server, client } = await setUp((response) => {
      response.write(event("ADDED", "1"));
      response.end(event("DELETED", "2"));
    });
    const options = {
      signal,
      namespace: "team",
      resourceVersion: "5",
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    };
    expect(await gather(client.watch(configMaps, options))).toEqual(["ADDED 1", "DELETED 2"]);
    expect(server.received[0]?.url).toBe(
      "/api/v1/namespaces/team/configmaps?resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=300&watch=true",
    );
  });

  it("ask for a streaming list in the way that servers demand", async () => {
    const { server, client } = await setUp((response) => response.end());
    await gather(client.watch(configMaps, { signal, sendInitialEvents: true, allowWatchBookmarks: true }));
    expect(server.received[0]?.url).toBe(
      "/api/v1/configmaps?allowWatchBookmarks=true&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    );
  });

  it("throw the server's refusal", async () => {
    const { client } = await setUp((response) =>
      json(response, { kind: "Status", code: 403, reason: "Forbidden" }, 403),
    );
    await expect(gather(client.watch(configMaps, { signal }))).rejects.toMatchObject({
      code: "API_FORBIDDEN",
    });
  });

  it("throw CONNECTION_FAILED when the socket dies", async () => {
    const { client } = await setUp((response) => {
      response.write(event("ADDED", "1"), () => response.destroy());
    });
    await expect(gather(client.watch(configMaps, { signal }))).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
    });
  });

  it("close their connection when the reader leaves, when the signal is aborted, and when they are silent", async () => {
    const clock = createVirtualClock();
    const server = await startLocalServer((response) => void response.write(event("ADDED", "1")));
    const client = closed(createKubeClient(connectionTo(server.url), { clock }));
    for await (const _ of client.watch(configMaps, { signal })) break;
    await expect.poll(() => server.open.size).toBe(0);

    const abort = new AbortController();
    const reading = gather(client.watch(configMaps, { signal: abort.signal }));
    await expect.poll(() => server.open.size).toBe(1);
    abort.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await expect.poll(() => server.open.size).toBe(0);

    const silent = client.watch(configMaps, { signal, idleTimeout: 70_000 })[Symbol.asyncIterator]();
    await silent.next();
    const next = expect(silent.next()).rejects.toMatchObject({ code: "WATCH_IDLE" });
    await clock.advance(70_000);
    await next;
    await expect.poll(() => server.open.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it("that are followed hand over each event at once, and resolve when the server ends", async () => {
    const { client } = await setUp((response) => {
      response.write(event("ADDED", "1") + event("MODIFIED", "2"));
      response.end(event("DELETED", "3"));
    });
    const seen: string[] = [];
    await client.follow(configMaps, { signal }, (each) => void seen.push(each.type));
    expect(seen).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });

  it.each<[string, (refusal: Error) => Promise<void>]>([
    [
      "throws",
      (refusal) => {
        throw refusal;
      },
    ],
    ["rejects with", (refusal) => Promise.reject(refusal)],
  ])("that are followed are ended by what their receiver %s, with that very error", async (_, fail) => {
    const { server, client } = await setUp(
      (response) => void response.write(event("ADDED", "1") + event("ADDED", "2")),
    );
    const refusal = new RangeError("not this one");
    const followed = client.follow(configMaps, { signal }, () => fail(refusal));
    await expect(followed).rejects.toBe(refusal);
    await expect.poll(() => server.open.size).toBe(0);
  });

  it("leave out managedFields when asked to, of an object and nowhere else", async () => {
    const managedFields = [{ manager: "me" }];
    const object = {
      ...stored,
      metadata: { ...stored.metadata, managedFields },
      data: { managedFields: "x" },
    };
    const { client } = await setUp((response) =>
      response.end(`${JSON.stringify({ type: "ADDED", object })}\n`),
    );
    const seen: unknown[] = [];
    await client.follow(configMaps, { signal }, (each) => void seen.push(each));
    await client.follow(configMaps, { signal, omitManagedFields: true }, (each) => void seen.push(each));
    expect(seen).toEqual([
      { type: "ADDED", object },
      { type: "ADDED", object: { ...object, metadata: stored.metadata } },
    ]);
  });

  it("read no further than a slow receiver, whose time is no silence", async () => {
    const clock = createVirtualClock();
    const text = "x".repeat(100_000);
    const server = await startLocalServer((response) => {
      for (let version = 1; version <= 200; version += 1) {
        const metadata = { ...stored.metadata, resourceVersion: String(version) };
        response.write(
          `${JSON.stringify({ type: "ADDED", object: { ...stored, metadata, data: { text } } })}\n`,
        );
      }
      response.end();
    });
    const client = closed(createKubeClient(connectionTo(server.url), { clock }));
    let ready = Promise.withResolvers<void>();
    let seen = 0;
    const followed = client.follow(configMaps, { signal, idleTimeout: 1_000 }, () => {
      seen += 1;
      return ready.promise;
    });
    await expect.poll(() => seen).toBeGreaterThan(0);
    await clock.advance(5_000);
    await setImmediate();
    // Twenty megabytes would have come by now.
    expect(seen).toBeLessThan(100);
    expect(server.open.size).toBe(1);
    ready.resolve();
    ready = Promise.withResolvers();
    ready.resolve();
    await followed;
    expect(seen).toBe(200);
    expect(clock.pendingTimers).toBe(0);
  });

  it("are given up when they do not begin in time, but may then go on for ever", async () => {
    const clock = createVirtualClock();
    const server = await startLocalServer((response, request) => {
      if (request.url.includes("team")) response.write(event("ADDED", "1"));
    });
    const client = closed(createKubeClient(connectionTo(server.url), { clock }));
    const mute = expect(gather(client.watch(configMaps, { signal }))).rejects.toMatchObject({
      code: "REQUEST_TIMEOUT",
    });
    await expect.poll(() => server.received.length).toBe(1);
    await clock.advance(30_000);
    await mute;
    const lasting = client.watch(configMaps, { signal, namespace: "team" })[Symbol.asyncIterator]();
    await lasting.next();
    await clock.advance(3_600_000);
    expect(server.open.size).toBe(1);
    await lasting.return?.();
  });
});
