// Requests that an API server passes on to a pod, by its name or through a Service: what the pod gets, what comes back, and how it is
// answered when nobody can be asked.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { networkInterfaces } from "node:os";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { createSimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { adminTokenOf, createRawClient, type RawClient, type RawOptions } from "./api-server/raw-request.ts";

const namespace = "/api/v1/namespaces/proxied";
/** An address of this machine's loopback that is no loopback address, which kube-apiserver insists on. */
const reachable = Object.values(networkInterfaces())
  .flatMap((each = []) => each)
  .find(({ address, family, internal }) => family === "IPv4" && internal && !address.startsWith("127."));
const outOfReach =
  "kube-apiserver reaches no pod at 127.0.0.0/8, and this machine's loopback has no other address";
const page =
  '<!-- <a href="/no"> --><body><A HREF=\'/up/\'>a</A><a href=/b?c=d>b</a><img src="i.png"><a href="http://other/x">c</a><p title="/t"></p></body>';

// Every port of a simulated pod is the port of this machine with the same number.
const pods = createSimulatedPods();
pods.answer({}, { connect: (port) => (port > 1_023 ? port : undefined) });

describeOnEachApiServer(
  "proxies of pods, services and nodes",
  (server) => {
    let client: RawClient;
    let pod: Server;
    let port = 0;
    let address = "";
    const send: RawClient["send"] = (...request) => client.send(...request);
    const ask = (place: string, method = "GET", body?: unknown, options?: RawOptions) =>
      send(method, `${namespace}/${place}`, body, options);
    const assertReachable = (context: TestContext): void => {
      const isOutOfReach = server().kind === "real" && reachable === undefined;
      if (isOutOfReach) context.skip(outOfReach);
    };
    const refusal = async (place: string, method = "GET") => {
      const { body } = await send(method, place.startsWith("/") ? place : `${namespace}/${place}`);
      const { code, message, reason, details } = body;
      return {
        code,
        message,
        ...(reason === undefined ? {} : { reason }),
        ...(details === undefined ? {} : { details }),
      };
    };
    const createPod = async (name: string, ports: readonly object[], status?: object): Promise<void> => {
      const isRun = server().kind === "embedded" && status !== undefined;
      const nodeName = isRun ? "xstate-operator-node" : "elsewhere";
      const spec = { nodeName, containers: [{ name: "c", image: "i", ports }] };
      expect((await send("POST", `${namespace}/pods`, { metadata: { name }, spec })).status).toBe(201);
      if (status === undefined || isRun) return;
      const contentType = "application/merge-patch+json";
      await send("PATCH", `${namespace}/pods/${name}/status`, { status }, { contentType });
    };
    const createService = async (
      name: string,
      ports: readonly object[],
      endpoints?: Readonly<Record<string, readonly object[]>>,
    ) => {
      await send("POST", `${namespace}/services`, { metadata: { name }, spec: { ports } });
      if (endpoints === undefined) return;
      const subset = {
        ...endpoints,
        ports: ports.map((each) => ({ port, ...("name" in each ? { name: each.name } : {}) })),
      };
      const subsets = Object.keys(endpoints).length === 0 ? [] : [subset];
      const made = await send("POST", `${namespace}/endpoints`, { metadata: { name }, subsets });
      expect([made.status, made.body["message"]]).toEqual([201, undefined]);
    };

    beforeAll(async () => {
      client = createRawClient(server());
      pod = createServer(answerAsPod);
      pod.on("upgrade", (request, socket) => {
        if (request.url === "/refused") {
          socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
          return;
        }
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: words\r\n\r\n");
        socket.on("data", (data: Buffer) => socket.end(`${request.url}:${data.toString()}`));
      });
      const isOfLoopback = server().kind === "embedded" || reachable === undefined;
      const listenAt = isOfLoopback ? "127.0.0.1" : reachable.address;
      await new Promise<void>((resolve) => pod.listen(0, listenAt, resolve));
      ({ port } = pod.address() as AddressInfo);
      await send("POST", "/api/v1/namespaces", { metadata: { name: "proxied" } });
      await send("POST", `${namespace}/serviceaccounts`, { metadata: { name: "default" } });
      const podIP = reachable?.address ?? "192.0.2.7";
      const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }] };
      await createPod("web", [{ containerPort: port, name: "http" }], status);
      await createPod("plain", [], status);
      address = await eventually(async () => {
        const { phase, podIP: found } = (await ask("pods/web")).body["status"] as Record<string, string>;
        expect(phase).toBe("Running");
        return found ?? "";
      });
      await createPod("new", []);
      const targetRef = { kind: "Pod", name: "web", namespace: "proxied" };
      const addresses = [{ ip: address, targetRef }];
      await createService("named", [{ name: "http", port: 80 }], { addresses });
      await createService("unnamed", [{ port: 80 }], { addresses });
      await createService("empty", [{ port: 80 }], {});
      await createService("bare", [{ port: 80 }]);
      await createService("unready", [{ port: 80 }], { notReadyAddresses: addresses });
      await createService("forged", [{ port: 80 }], { addresses: [{ ip: address }] });
      await createService("moved", [{ port: 80 }], { addresses: [{ ip: "192.0.2.1", targetRef }] });
      await send("POST", "/api/v1/nodes", { metadata: { name: "elsewhere" } });
    });
    afterAll(async () => {
      await client.close();
      await new Promise((resolve) => pod.close(resolve));
    });

    it.each([
      ["pods/none/proxy/", 404, 'pods "none" not found'],
      ["pods/web:1:2:3/proxy/", 400, 'invalid pod request "web:1:2:3"'],
      ["pods/ftp:web:80/proxy/", 400, 'invalid pod request "ftp:web:80"'],
      ["pods/new/proxy/", 400, "address not allowed"],
      ["services/none/proxy/", 404, 'services "none" not found'],
      ["services/bare/proxy/", 404, 'services "bare" not found'],
      ["services/named:81/proxy/", 503, 'no service port 81 found for service "named"'],
      ["services/named/proxy/", 503, 'no endpoints available for service "named"'],
      ["services/named:other/proxy/", 503, 'no endpoints available for service "named:other"'],
      ["services/http:unnamed:x/proxy/", 503, 'no endpoints available for service "http:unnamed:x"'],
      ["services/empty:x/proxy/", 503, 'no endpoints available for service "empty"'],
      ["services/unready/proxy/", 503, 'no endpoints available for service "unready"'],
      ["services/forged/proxy/", 503, 'no endpoints available for service "forged"'],
      ["services/moved/proxy/", 503, 'no endpoints available for service "moved"'],
      ["services/a:b:c:d/proxy/", 400, 'invalid service request "a:b:c:d"'],
      ["/api/v1/nodes/none/proxy/healthz", 404, 'nodes "none" not found'],
      ["/api/v1/nodes/elsewhere/proxy/healthz", 500, "no preferred addresses found; known addresses: []"],
    ])("refuses %s", async (place, code, message) => {
      const reasons: Record<number, string> = {
        400: "BadRequest",
        404: "NotFound",
        503: "ServiceUnavailable",
      };
      const [, kind, name] = /^(\w+) "(\w+)" not found$/.exec(message) ?? [];
      expect(await refusal(place)).toEqual({
        code,
        message,
        ...(reasons[code] === undefined ? {} : { reason: reasons[code] }),
        ...(kind === undefined ? {} : { details: { kind, name } }),
      });
    });

    it("refuses other methods, and serves no path of a proxy elsewhere", async () => {
      expect(await refusal("pods/web/proxy/", "TRACE")).toMatchObject({
        code: 405,
        reason: "MethodNotAllowed",
      });
      expect(await refusal("configmaps/web/proxy/a")).toMatchObject({ code: 404 });
    });

    it("leads to the root with its slash", async () => {
      const { status, headers } = await ask("pods/web/proxy?a=b");
      expect([status, headers["location"]]).toEqual([301, `${namespace}/pods/web/proxy/?a=b`]);
    });

    it("says why a pod is not reached", async (context) => {
      assertReachable(context);
      const closed = await closedPort();
      const refused = `dial tcp ${address}:${closed}: connect: connection refused`;
      const reason = "ServiceUnavailable";
      const tried = "error trying to reach service:";
      expect(await refusal(`pods/web:${closed}/proxy/`)).toEqual({
        code: 503,
        reason,
        message: `${tried} ${refused}`,
      });
      expect(await refusal("pods/web:99999/proxy/")).toEqual({
        code: 503,
        reason,
        message: `${tried} dial tcp: address 99999: invalid port`,
      });
      const tls = `${tried} tls: first record does not look like a TLS handshake`;
      expect(await refusal("pods/https:web:/proxy/")).toEqual({ code: 503, reason, message: tls });
      expect(await refusal("services/https:named:http/proxy/")).toEqual({ code: 503, reason, message: tls });
      expect(await refusal("pods/web/proxy/cut")).toEqual({ code: 503, reason, message: `${tried} EOF` });
      // Without a port that is declared it is HTTP's own.
      expect(await refusal("pods/plain/proxy/")).toMatchObject({
        message: expect.stringMatching(/:80: connect: connection refused$/),
      });
    });

    it.for(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("passes on %s", async (method, context) => {
      assertReachable(context);
      const sent = method === "GET" ? undefined : { a: 1 };
      const place = `pods/web/proxy/a%2Fb//c%20d/..%2f?x=1&path=y&x=0`;
      const answer = await ask(place, method, sent, { headers: { "x-mine": "1" }, accept: "a/b" });
      expect([answer.status, answer.headers["x-own"], answer.headers["access-control-allow-origin"]]).toEqual(
        [201, "1", undefined],
      );
      const {
        heard,
        url,
        method: by,
        body,
      } = answer.body as { heard: Record<string, string> } & Record<string, unknown>;
      expect({ url, by, body }).toEqual({
        url: "/a/b/?x=1&path=y&x=0",
        by: method,
        body: sent === undefined ? "" : JSON.stringify(sent),
      });
      expect(heard).toMatchObject({
        host: new URL(server().url).host,
        accept: "a/b",
        "x-mine": "1",
        "x-forwarded-for": "127.0.0.1",
      });
      expect(heard["x-forwarded-uri"]).toContain(`${namespace}/pods/web/proxy/`);
      expect(Object.keys(heard)).not.toContain("authorization");
    });

    it.for([
      "pods/web/proxy/",
      "pods/http:web:/proxy/",
      "services/unnamed/proxy/",
      "services/unnamed:80/proxy/",
      "services/named:http/proxy/",
      "services/named:80/proxy/",
      "services/http:named:http/proxy/",
    ])("reaches the pod by %s", async (place, context) => {
      assertReachable(context);
      const { status, body } = await ask(place);
      expect([status, body["url"]]).toEqual([201, "/"]);
      expect((await ask(`${place}teapot`)).status).toBe(418);
    });

    it("rewrites the links of pages and the places of redirections", async (context) => {
      assertReachable(context);
      const root = `${namespace}/pods/web/proxy`;
      const html = (await ask("pods/web/proxy/page")).text.replaceAll("'", '"').toLowerCase();
      expect(html).toContain(`<a href="${root}/up/">`);
      expect(html).toMatch(new RegExp(`<a href="?${root}/b\\?c=d"?>`));
      for (const kept of ['<a href="/no">', '<img src="i.png">', 'href="http://other/x"', 'title="/t"']) {
        expect(html).toContain(kept);
      }
      const packed = await ask("pods/web/proxy/packed", "GET", undefined, {
        headers: { "accept-encoding": "gzip" },
      });
      expect(gunzipSync(packed.bytes).toString()).toContain(`${root}/up/`);
      const locations = ["/there/", "there", "http://elsewhere.example.com/x", `${root}/x`];
      for (const to of locations) {
        const { status, headers } = await ask(`pods/web/proxy/moved?to=${encodeURIComponent(to)}`);
        expect([status, headers["location"]]).toEqual([302, to === "/there/" ? `${root}/there/` : to]);
      }
    });

    it("joins a connection for another protocol", async (context) => {
      assertReachable(context);
      const upgrade = (place: string) => upgraded(server(), `${namespace}/${place}`);
      // Neither keeps the query of such a request.
      expect(await upgrade("pods/web/proxy/a%20b/?c=d")).toMatch(
        /^HTTP\/1.1 101 [^]*\r\n\r\n\/a%20b\/:hello$/,
      );
      expect(await upgrade("services/named:80/proxy/")).toMatch(/^HTTP\/1.1 101 [^]*\r\n\r\n\/:hello$/);
      expect(await upgrade("pods/web/proxy/refused")).toMatch(/^HTTP\/1.1 403 [^]*\r\n\r\nno$/);
      expect(await upgrade("pods/none/proxy/x")).toMatch(/^HTTP\/1.1 404 [^]*pods \\"none\\" not found/);
      const closed = await closedPort();
      expect(await upgrade(`pods/web:${closed}/proxy/x`)).toMatch(
        /^HTTP\/1.1 500 [^]*error dialing backend: dial tcp [\d.]+:\d+: connect: connection refused/,
      );
    });
  },
  { embedded: { pods } },
);

function answerAsPod(request: IncomingMessage, response: ServerResponse): void {
  const { method = "", url = "", headers } = request;
  const { pathname, searchParams } = new URL(url, "http://pod");
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (pathname === "/cut") request.socket.destroy();
    else if (pathname === "/teapot") response.writeHead(418).end("teapot");
    else if (pathname === "/moved") response.writeHead(302, { Location: searchParams.get("to") ?? "" }).end();
    else if (pathname === "/page")
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
    else if (pathname === "/packed") {
      response
        .writeHead(200, { "Content-Type": "text/html", "Content-Encoding": "gzip" })
        .end(gzipSync(page));
    } else {
      const own = { "Content-Type": "application/json", "X-Own": "1", "Access-Control-Allow-Origin": "*" };
      response.writeHead(201, own);
      response.end(JSON.stringify({ method, url, heard: headers, body: Buffer.concat(chunks).toString() }));
    }
  });
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** All that comes back on a connection that asks for another protocol and then says a word in it. */
function upgraded(
  server: { readonly url: string; readonly kubeconfig: string },
  path: string,
): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const token = adminTokenOf(server.kubeconfig);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    });
    let text = "";
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: words\r\n\r\n`,
    );
    socket.on("data", (data: Buffer) => {
      text += data.toString();
      if (/^HTTP\/1.1 101 [^]*\r\n\r\n$/.test(text)) socket.write("hello");
      if (/^HTTP\/1.1 [45]/.test(text) && /\r\n\r\n[^]+$/.test(text)) socket.end();
    });
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}
