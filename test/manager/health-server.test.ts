import { request } from "node:http";
import { request as httpsRequest } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { startHealthServer, type HealthServerOptions } from "../../src/manager/health-server.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import type { ReadinessCheck } from "../../src/manager/readiness.ts";
import type { Verdict } from "../../src/manager/metrics-access.ts";
import { makeCertificate } from "../../src/manager/serving-certificate.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";

async function start(options: Partial<HealthServerOptions> = {}) {
  const server = await startHealthServer({
    healthProbeBindAddress: "127.0.0.1:0",
    metricsBindAddress: "0",
    metrics: undefined,
    readiness: () => [{ name: "manager" }],
    log: silentLogger,
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

const get = async (url: string, method = "GET") => {
  const response = await fetch(url, { method });
  return { status: response.status, body: await response.text(), headers: response.headers };
};

/** The status that is answered over TLS to who trusts this certificate. */
function overTls(url: string, ca: string, authorization?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    const options = { ca, headers, agent: false, checkServerIdentity: () => undefined } as const;
    const asking = httpsRequest(url, options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.once("error", reject).end();
  });
}

describe("health server", () => {
  it("serves nothing unless it is told where", async () => {
    const server = await start({ healthProbeBindAddress: "0" });
    expect(server).toMatchObject({ probeUrl: undefined, metricsUrl: undefined });
  });

  it("is healthy while it answers, whatever is not ready", async () => {
    const { probeUrl } = await start({ readiness: () => [{ name: "manager", problem: "starting" }] });
    expect(await get(`${probeUrl}/healthz`)).toMatchObject({ status: 200, body: "ok\n" });
    expect(await get(`${probeUrl}/readyz`)).toMatchObject({ status: 503 });
  });

  it("names what is not ready, and what is", async () => {
    let checks: ReadinessCheck[] = [{ name: "manager" }, { name: "watch of pods", problem: "lost 12 s ago" }];
    const { probeUrl } = await start({ readiness: () => checks });
    expect((await get(`${probeUrl}/readyz`)).body).toBe(
      "[+] manager: ok\n[-] watch of pods: lost 12 s ago\nnot ready\n",
    );
    checks = [{ name: "manager" }];
    expect(await get(`${probeUrl}/readyz/`)).toMatchObject({ status: 200, body: "ok\n" });
    expect((await get(`${probeUrl}/readyz?verbose`)).body).toBe("[+] manager: ok\nready\n");
    checks = [{ name: "manager" }, { name: "watch of pods", warning: "it is not served" }];
    expect(await get(`${probeUrl}/readyz`)).toMatchObject({
      status: 200,
      body: "[+] manager: ok\n[!] watch of pods: it is not served\nready\n",
    });
  });

  it("tells the last runs of one object on loopback, and of nothing without a name", async () => {
    const run = { startedAt: 1, took: 2, causes: [{ reason: "added" }], writes: 3, failed: false };
    const asked: string[] = [];
    const runs = (kind: string, key: string) => {
      asked.push(`${kind} ${key}`);
      return [run];
    };
    const { probeUrl } = await start({ runs });
    const answer = await get(`${probeUrl}/debug/runs?kind=Lamp&object=shop%2Fdesk`);
    expect(answer).toMatchObject({ status: 200, body: `${JSON.stringify([run])}\n` });
    expect(asked).toEqual(["Lamp shop/desk"]);
    expect(await get(`${probeUrl}/debug/runs`)).toMatchObject({ status: 400 });
    const without = await start();
    expect(await get(`${without.probeUrl}/debug/runs?kind=Lamp&object=a`)).toMatchObject({ status: 404 });
  });

  it.each<[string, string, Record<string, string>]>([
    ["from another address of the loopback network", "127.0.0.2", {}],
    ["by a name that leads here", "127.0.0.1", { host: "rebound.example:8081" }],
    ["through a proxy on this machine", "127.0.0.1", { "x-forwarded-for": "10.0.0.1" }],
    ["by a web page", "127.0.0.1", { origin: "http://localhost:3000" }],
  ])("does not tell the last runs to who asks %s", async (_, localAddress, headers) => {
    const { probeUrl } = await start({ runs: () => [] });
    const address = new URL(`${probeUrl}/debug/runs?kind=Lamp&object=a`);
    const status = await new Promise((resolve, reject) => {
      const asking = request(address, { localAddress, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asking.once("error", reject).end();
    });
    expect(status).toBe(403);
  });

  it("serves metrics over TLS to those only who may read them, with a certificate that is rotated meanwhile", async () => {
    const clock = createVirtualClock();
    const [first, second] = [await makeCertificate(Date.now()), await makeCertificate(Date.now())];
    let served = first;
    const verdicts: Record<string, Verdict> = {
      "Bearer good": "allowed",
      "Bearer other": "forbidden",
      "Bearer early": "unknown",
    };
    const { probeUrl, metricsUrl } = await start({
      metricsBindAddress: "127.0.0.1:0",
      metrics: createPrometheusMetrics(),
      secure: {
        clock,
        certificate: () => Promise.resolve(served),
        access: (authorization = "") => Promise.resolve(verdicts[authorization] ?? "unauthenticated"),
      },
    });
    expect(metricsUrl).toMatch(/^https:/);
    const scrape = (authorization?: string) => overTls(`${metricsUrl}/metrics`, first.cert, authorization);
    expect(await scrape()).toBe(401);
    expect(await scrape("Bearer other")).toBe(403);
    expect(await scrape("Bearer early")).toBe(503);
    expect(await scrape("Bearer good")).toBe(200);
    expect((await get(`${probeUrl}/healthz`)).status).toBe(200);
    served = second;
    await clock.advance(60_000);
    await expect(scrape("Bearer good")).rejects.toThrow("certificate");
    expect(await overTls(`${metricsUrl}/metrics`, second.cert, "Bearer good")).toBe(200);
  });

  it("does not serve secure metrics at the address of the probes, which nobody could ask then", async () => {
    const address = "127.0.0.1:18081";
    const secure = {
      clock: systemClock,
      certificate: () => makeCertificate(0),
      access: () => Promise.resolve("allowed" as const),
    };
    await expect(
      start({
        healthProbeBindAddress: address,
        metricsBindAddress: address,
        metrics: createPrometheusMetrics(),
        secure,
      }),
    ).rejects.toMatchObject({
      code: "BIND_ADDRESS_INVALID",
      message: expect.stringContaining("health probes"),
    });
  });

  it("serves metrics at an address of their own, and probes not there", async () => {
    const metrics = createPrometheusMetrics();
    metrics
      .counter({ name: "walks_total", help: "Walks.", labels: ["dog"] })
      .with({ dog: "rex" })
      .inc();
    const { probeUrl, metricsUrl } = await start({ metricsBindAddress: "127.0.0.1:0", metrics });
    const scraped = await get(`${metricsUrl}/metrics`);
    expect(scraped.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(scraped.body).toContain('walks_total{dog="rex"} 1');
    expect(scraped.body).toContain("process_resident_memory_bytes");
    expect((await get(`${metricsUrl}/readyz`)).status).toBe(404);
    expect(await get(`${probeUrl}/metrics`)).toMatchObject({
      status: 404,
      body: "not found; paths: /healthz, /readyz\n",
    });
  });

  it("measures from the time at which metrics are served, not from the first scrape", async () => {
    let read = 0;
    const metrics = createPrometheusMetrics();
    metrics.onScrape(() => void (read += 1));
    await start({ metrics });
    expect(read).toBe(0);
    await start({ metricsBindAddress: "127.0.0.1:0", metrics });
    expect(read).toBe(1);
  });

  it("answers HEAD without a body, and refuses to be written to", async () => {
    const { probeUrl } = await start();
    expect(await get(`${probeUrl}/healthz`, "HEAD")).toMatchObject({ status: 200, body: "" });
    expect((await get(`${probeUrl}/healthz`, "POST")).status).toBe(405);
  });

  it("survives a request target that is no path", async () => {
    const { probeUrl } = await start();
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(probeUrl ?? "");
      request({ hostname, port, path: "//" }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(404);
    expect((await get(`${probeUrl}/healthz`)).status).toBe(200);
  });

  it("serves both at one address when they are the same", async () => {
    const first = await start();
    const { port } = new URL(first.probeUrl ?? "");
    await first.close();
    const both = await start({
      healthProbeBindAddress: `127.0.0.1:${port}`,
      metricsBindAddress: `127.0.0.1:${port}`,
      metrics: createPrometheusMetrics(),
    });
    expect(both.metricsUrl).toBe(both.probeUrl);
    expect((await get(`${both.probeUrl}/metrics`)).status).toBe(200);
    expect((await get(`${both.probeUrl}/readyz`)).status).toBe(200);
  });

  it("says when the port is in use, and leaves nothing open", async () => {
    const first = await start();
    const { port } = new URL(first.probeUrl ?? "");
    const other = await start();
    const free = new URL(other.probeUrl ?? "").port;
    await other.close();
    const failed = start({
      healthProbeBindAddress: `127.0.0.1:${free}`,
      metricsBindAddress: `127.0.0.1:${port}`,
      metrics: createPrometheusMetrics(),
    });
    await expect(failed).rejects.toSatisfy((error) => isOperatorError(error, "BIND_FAILED"));
    await expect(failed).rejects.toThrow(`cannot serve metrics on 127.0.0.1:${port}: the port is in use`);
    await expect(fetch(`http://127.0.0.1:${free}/healthz`)).rejects.toThrow("fetch failed");
  });

  it("hides why a scrape failed, and goes on", async () => {
    const metrics = {
      ...createPrometheusMetrics(),
      expose: () => Promise.reject(new Error("the password is hunter2")),
    };
    const { metricsUrl } = await start({ metricsBindAddress: "127.0.0.1:0", metrics });
    const { status, body } = await get(`${metricsUrl}/metrics`);
    expect(status).toBe(500);
    expect(body).not.toContain("hunter2");
  });
});
