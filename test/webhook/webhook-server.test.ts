import { describe, expect, it, onTestFinished } from "vitest";
import type { LogFields, Logger } from "../../src/ports/logger.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { silentMetrics } from "../../src/ports/metrics.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { renewed, type Certificates } from "../../src/webhook/certificates.ts";
import { createWebhookMetrics } from "../../src/webhook/webhook-metrics.ts";
import { MalformedReview, type WebhookRoute } from "../../src/webhook/webhook-route.ts";
import { startWebhookServer, type WebhookServerOptions } from "../../src/webhook/webhook-server.ts";
import { callWebhook, keptConnection } from "./webhook-call.ts";

const names = ["127.0.0.1"];
let made: Promise<Certificates> | undefined;
const certificates = (): Promise<Certificates> => (made ??= renewed(undefined, names, systemClock));

const echo: WebhookRoute = {
  path: "/validate/echo",
  review: (body) => Promise.resolve({ body, result: "allowed" }),
};

async function start(routes: readonly WebhookRoute[], options: Partial<WebhookServerOptions> = {}) {
  const { serving, authorities } = await certificates();
  const server = await startWebhookServer({
    address: { host: "127.0.0.1", port: 0 },
    routes,
    certificate: serving,
    clock: systemClock,
    log: silentLogger,
    metrics: createWebhookMetrics(silentMetrics, []),
    mask: (text) => text,
    ...options,
  });
  onTestFinished(() => server.close(0));
  const call = (path: string, call: Partial<Parameters<typeof callWebhook>[2]> = {}) =>
    callWebhook(server.port, authorities, { path, body: {}, ...call });
  return { server, call };
}

/** A route whose reviews end when the test says so. */
function held(path = "/validate/held") {
  const begun = Promise.withResolvers<AbortSignal>();
  const ends = Promise.withResolvers<void>();
  const route: WebhookRoute = {
    path,
    review: async (_body, { signal }) => {
      begun.resolve(signal);
      await ends.promise;
      return { body: { held: true }, result: "allowed" };
    },
  };
  return { route, begun: begun.promise, end: () => ends.resolve() };
}

describe("webhook server", () => {
  it("answers a review at its path, whatever follows the path", async () => {
    const { call } = await start([echo]);
    const answer = await call("/validate/echo?timeout=5s", { body: { kind: "AdmissionReview" } });
    expect(answer).toMatchObject({ status: 200, text: '{"kind":"AdmissionReview"}' });
    expect(answer.headers["content-type"]).toBe("application/json");
  });

  it.each([
    ["a path that is not served", { path: "/validate/other" }, 404],
    ["a path that continues one", { path: "/validate/echo/more" }, 404],
    ["another method", { path: "/validate/echo", method: "GET" }, 405],
    ["another form", { path: "/validate/echo", contentType: "application/x-www-form-urlencoded" }, 415],
    ["what is no JSON", { path: "/validate/echo", text: '{"password": "hunter2' }, 400],
    ["JSON that is no object", { path: "/validate/echo", text: "[]" }, 400],
    ["nothing", { path: "/validate/echo", text: "" }, 400],
  ])("refuses %s without a word of what was sent", async (_, asked, status) => {
    const { call } = await start([echo]);
    const answer = await call(asked.path, asked);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/hunter2|password|JSON at position/);
  });

  it("refuses a body that is too large, said beforehand or not", async () => {
    const { call } = await start([echo]);
    const text = `{"pad":"${"x".repeat(33 * 1024 * 1024)}"}`;
    const outcome = await call("/validate/echo", { text }).catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    // The connection is ended while the caller still sends: it may see the answer, or only that.
    expect(["EPIPE", "ECONNRESET", 413]).toContain(typeof outcome === "object" ? outcome.status : outcome);
    expect(await call("/validate/echo")).toMatchObject({ status: 200 });
  });

  it("answers what is malformed with the reason, and what fails without it", async () => {
    const lines: LogFields[] = [];
    const log: Logger = { ...silentLogger, error: (fields) => lines.push(fields) };
    const malformed: WebhookRoute = {
      path: "/a",
      review: () => Promise.reject(new MalformedReview("the review has no request")),
    };
    const failing: WebhookRoute = { path: "/b", review: () => Promise.reject(new Error("hunter2 is wrong")) };
    const { call } = await start([malformed, failing], {
      log,
      mask: (text) => text.replace("hunter2", "***"),
    });
    expect(await call("/a")).toMatchObject({ status: 400, text: "the review has no request\n" });
    expect(await call("/b")).toMatchObject({ status: 500, text: expect.not.stringContaining("hunter2") });
    expect(lines).toEqual([{ webhook: "/b", error: "*** is wrong" }]);
  });

  it("aborts a review before the API server gives up, and answers that it was late", async () => {
    const clock = createVirtualClock();
    const { route, begun } = held();
    const { call } = await start([route], { clock });
    const answered = call("/validate/held?timeout=2s");
    const signal = await begun;
    await clock.advance(1_799);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(await answered).toMatchObject({ status: 504, text: "the webhook did not answer within 1.8 s\n" });
    expect(clock.pendingTimers).toBe(0);
  });

  it("aborts a review whose caller is gone", async () => {
    const { route, begun } = held();
    const { call } = await start([route]);
    const agent = keptConnection();
    const answered = call("/validate/held", { agent }).catch((error: Error) => error);
    const signal = await begun;
    agent.destroy();
    await expect(answered).resolves.toBeInstanceOf(Error);
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it("answers what is under way when it closes, and accepts nothing more", async () => {
    const { route, begun, end } = held();
    const { server, call } = await start([route, echo]);
    const agent = keptConnection();
    onTestFinished(() => agent.destroy());
    const answered = call("/validate/held", { agent });
    await begun;
    let isClosed = false;
    const closed = server.close(60_000).then(() => (isClosed = true));
    await expect(call("/validate/echo")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(isClosed).toBe(false);
    end();
    expect(await answered).toMatchObject({ status: 200, text: '{"held":true}' });
    expect((await answered).headers["connection"]).toBe("close");
    await closed;
  });

  it("cuts off what takes longer than the grace", async () => {
    const { route, begun } = held();
    const { server, call } = await start([route]);
    const answered = call("/validate/held").catch((error: NodeJS.ErrnoException) => error.code);
    const signal = await begun;
    await server.close(1);
    expect(await answered).toBe("ECONNRESET");
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it("goes on answering while it leaves, and asks its callers to go elsewhere", async () => {
    const { server, call } = await start([echo]);
    const agent = keptConnection();
    onTestFinished(() => agent.destroy());
    expect((await call("/validate/echo", { agent })).headers["connection"]).toBe("keep-alive");
    server.leave();
    // Also on a connection that was idle: a request may have been on its way.
    const [socket] = Object.values(agent.freeSockets).flat();
    const answered = call("/validate/echo", { agent });
    expect(Object.values(agent.sockets).flat()).toEqual([socket]);
    const answer = await answered;
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers["connection"]).toBe("close");
  });

  it("leaves it to the API server to end a connection that is idle", async () => {
    const { call } = await start([echo]);
    const agent = keptConnection();
    onTestFinished(() => agent.destroy());
    const { headers } = await call("/validate/echo", { agent });
    // An API server keeps one for 90 s. Whoever ends it may meet a request on it.
    const [, seconds] = /timeout=(\d+)/.exec(String(headers["keep-alive"])) ?? [];
    expect(Number(seconds)).toBeGreaterThan(90);
  });

  it("serves another certificate without ending a connection", async () => {
    const { server, call } = await start([echo]);
    const agent = keptConnection();
    onTestFinished(() => agent.destroy());
    await call("/validate/echo", { agent });
    const [socket] = Object.values(agent.freeSockets).flat();
    const other = await renewed(undefined, names, systemClock);
    server.setCertificate(other.serving);
    expect(await call("/validate/echo", { agent })).toMatchObject({ status: 200 });
    expect(Object.values(agent.freeSockets).flat()).toEqual([socket]);
    await expect(call("/validate/echo")).rejects.toThrow(/self-signed|unable to verify/);
    expect(
      await callWebhook(server.port, other.authorities, { path: "/validate/echo", body: {} }),
    ).toMatchObject({ status: 200 });
  });

  it("measures each path by status and by what the reviews came to", async () => {
    const metrics = createPrometheusMetrics();
    const { call } = await start([echo], { metrics: createWebhookMetrics(metrics, [echo.path]) });
    await call(echo.path);
    await call(echo.path, { text: "nothing" });
    await call("/somewhere/else");
    await expect
      .poll(() => metrics.expose())
      .toContain('controller_runtime_webhook_requests_total{webhook="/validate/echo",code="400"} 1');
    const exposed = await metrics.expose();
    expect(exposed).toContain(
      'controller_runtime_webhook_requests_total{webhook="/validate/echo",code="200"} 1',
    );
    expect(exposed).toContain('controller_runtime_webhook_requests_in_flight{webhook="/validate/echo"} 0');
    expect(exposed).toContain('webhook_review_seconds_count{webhook="/validate/echo",result="malformed"} 1');
    expect(exposed).not.toContain("/somewhere/else");
  });

  it("says when its port is taken", async () => {
    const { server } = await start([echo]);
    await expect(start([echo], { address: { host: "127.0.0.1", port: server.port } })).rejects.toMatchObject({
      code: "BIND_FAILED",
      message: `cannot serve webhooks on 127.0.0.1:${server.port}: the port is in use`,
    });
  });
});
