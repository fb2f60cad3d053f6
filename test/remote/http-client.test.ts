// Calls of services: what is sent, what an answer becomes, and what is tried again.
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServerCertificate } from "../../src/cluster/api/http/tls.ts";
import { createHttpClient, type HttpClientOptions } from "../../src/remote/http-client.ts";
import { mayHaveHappened } from "../../src/lifecycle/tasks/call-errors.ts";
import { json, startLocalServer, type Answer } from "../client/local-server.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "http-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function serving(answer: Answer, options: HttpClientOptions = {}) {
  const server = await startLocalServer(answer);
  const http = createHttpClient({ baseUrl: server.url, env: {}, ...options });
  onTestFinished(() => http.close());
  return { server, http };
}

describe("a client for services", () => {
  it("sends and reads JSON, over connections that it keeps", async () => {
    const { server, http } = await serving((response, { body }) => json(response, { got: body }, 201));
    for (const name of ["one", "two", "three", "four", "five"]) {
      const answer = await http.send({ url: "/things?x=1", body: { name }, idempotencyKey: "k" });
      expect(answer).toMatchObject({ status: 201, body: { got: JSON.stringify({ name }) } });
    }
    expect(server.connections).toBeLessThanOrEqual(2);
    expect(server.received[0]).toMatchObject({
      method: "POST",
      url: "/things?x=1",
      headers: { "content-type": "application/json", "idempotency-key": "k" },
    });
  });

  it("gives text as text, and nothing as undefined", async () => {
    const { http } = await serving((response, { url }) => response.end(url === "/text" ? "plain" : ""));
    expect((await http.send({ url: "/text" })).body).toBe("plain");
    expect((await http.send({ url: "/nothing" })).body).toBeUndefined();
  });

  it("makes an error of every status that is no success, with what the service says", async () => {
    const { server, http } = await serving((response) => json(response, { message: "no such queue" }, 422));
    await expect(http.send({ url: "/queue?secret=hidden" })).rejects.toMatchObject({
      code: "HTTP_STATUS",
      status: 422,
      message: `GET ${server.url}/queue: the service answered 422: no such queue`,
    });
    const { http: moved } = await serving((response) => response.writeHead(302, { location: "/" }).end());
    await expect(moved.send({ url: "/" })).rejects.toMatchObject({ status: 302 });
  });

  it.each([
    { call: { url: "/" }, sent: 3 },
    { call: { url: "/", method: "PUT" }, sent: 3 },
    { call: { url: "/", method: "POST" }, sent: 1 },
    { call: { url: "/", body: {} }, sent: 1 },
    { call: { url: "/", body: {}, idempotencyKey: "k" }, sent: 3 },
  ] as const)("tries again only what can do no harm twice: $call", async ({ call, sent }) => {
    const { server, http } = await serving((response) => json(response, {}, 503));
    await expect(http.send(call)).rejects.toMatchObject({ status: 503 });
    expect(server.received).toHaveLength(sent);
  });

  it("does not repeat what the service has refused for good, and tries again what was cut off", async () => {
    let asked = 0;
    const { http } = await serving((response, { url }) => {
      asked += 1;
      if (url === "/refused") json(response, {}, 400);
      else if (asked < 2) response.destroy();
      else json(response, { ok: true });
    });
    expect((await http.send({ url: "/cut" })).body).toEqual({ ok: true });
    await expect(http.send({ url: "/refused" })).rejects.toMatchObject({ status: 400 });
    expect(asked).toBe(3);
  });

  it("ends with its deadline or its signal, and says whether the call may have been carried out", async () => {
    const { http } = await serving(() => undefined);
    const late = await http.send({ url: "/", method: "POST", timeout: 50 }).catch((error: unknown) => error);
    expect(late).toMatchObject({ code: "HTTP_TIMEOUT" });
    expect(mayHaveHappened(late)).toBe(true);
    const abort = new AbortController();
    const aborted = http.send({ url: "/", signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    const nobody = createHttpClient({ env: {}, attempts: 1 });
    const refused = await nobody.send({ url: "http://127.0.0.1:1/" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "HTTP_UNREACHABLE" });
    expect(mayHaveHappened(refused)).toBe(false);
  });

  it("reads no more of an answer than it may", async () => {
    const { http } = await serving((response) => response.end("x".repeat(2_000)), { maxAnswer: 1_000 });
    await expect(http.send({ url: "/" })).rejects.toMatchObject({ code: "HTTP_ANSWER_TOO_LARGE" });
  });

  it("reads a token again that was refused", async () => {
    const tokenFile = join(folder(), "token");
    writeFileSync(tokenFile, "old\n");
    let valid = "Bearer old";
    const { server, http } = await serving(
      (response, { headers }) => json(response, {}, headers.authorization === valid ? 200 : 401),
      { tokenFile },
    );
    await http.send({ url: "/" });
    writeFileSync(tokenFile, "new\n");
    valid = "Bearer new";
    await http.send({ url: "/" });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer old",
      "Bearer old",
      "Bearer new",
    ]);
  });

  it("trusts the authority that it is given, and no other", async () => {
    const { key, certificate, authority } = await createServerCertificate(Date.now());
    const server = await startLocalServer((response) => json(response, {}), { key, cert: certificate });
    const caFile = join(folder(), "ca.crt");
    writeFileSync(caFile, authority);
    const trusting = createHttpClient({ caFile, env: {} });
    const wary = createHttpClient({ env: {}, attempts: 1 });
    expect((await trusting.send({ url: server.url })).status).toBe(200);
    await expect(wary.send({ url: server.url })).rejects.toMatchObject({ code: "HTTP_UNREACHABLE" });
    await trusting.close();
  });

  it("goes through the proxy that the environment names", async () => {
    const { server } = await serving((response, { url }) => json(response, { asked: url }));
    const http = createHttpClient({ env: { HTTP_PROXY: server.url } });
    onTestFinished(() => http.close());
    const { body } = await http.send({ url: "http://queue.shop:8080/depth" });
    expect(body).toEqual({ asked: "http://queue.shop:8080/depth" });
  });

  it("refuses what is no address, and options that it does not know", async () => {
    const http = createHttpClient({ env: {} });
    await expect(http.send({ url: "/no/base" })).rejects.toMatchObject({ code: "HTTP_URL_INVALID" });
    await expect(http.send({ url: "file:///etc/passwd" })).rejects.toMatchObject({
      code: "HTTP_URL_INVALID",
    });
    expect(() => createHttpClient({ timout: "1s" } as never)).toThrow(
      expect.objectContaining({ code: "HTTP_OPTIONS_INVALID" }),
    );
  });
});
