// Our end of the protocol, against the public receiver.
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { createWebSocketReceiver, type StatelyInspectionEvent } from "@statelyai/inspect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { managerMachine } from "../../machines/manager-machine.ts";
import { InspectionBridge } from "../../src/inspect/inspection-bridge.ts";
import { startInspectionServer, type InspectionServer } from "../../src/inspect/inspection-server.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { eventually } from "../support/eventually.ts";
import { beginWaiting } from "./waiting-actor.ts";

let bridge: InspectionBridge;
let server: InspectionServer;

beforeEach(async () => {
  bridge = new InspectionBridge({ now: () => 1_000, sanitize: (value) => value });
  server = await startInspectionServer({ bridge, port: 0, viewer: "local", log: silentLogger });
});
afterEach(() => server.close());

describe("the inspection server", () => {
  it("tells the public receiver of actors, events and snapshots", async () => {
    const manager = beginWaiting(bridge, managerMachine, { name: "manager of lamps" });
    const heard: StatelyInspectionEvent[] = [];
    createWebSocketReceiver({ server: server.socketUrl }).subscribe((event) => heard.push(event));
    await eventually(() => expect(heard).toHaveLength(1));
    manager.send({ type: "stage.done" });
    await eventually(() => expect(heard).toHaveLength(3));
    const sessionId = heard[0]?.sessionId ?? "";
    expect(sessionId).toMatch(/^x:\d+$/);
    expect(heard).toMatchObject([
      { type: "@xstate.actor", sessionId, name: "manager of lamps", snapshot: { value: "Connecting" } },
      { type: "@xstate.event", sessionId, event: { type: "stage.done" } },
      { type: "@xstate.snapshot", sessionId, snapshot: { value: "Preparing" } },
    ]);
    const { definition } = heard[0] as { definition?: string };
    expect(JSON.parse(definition ?? "")).toMatchObject({ id: "manager", initial: "Connecting" });
  });

  it("forgets a receiver that has gone", async () => {
    const socket = new WebSocket(server.socketUrl);
    await eventually(() => expect(bridge.viewers).toBe(1));
    socket.terminate();
    await eventually(() => expect(bridge.viewers).toBe(0));
  });

  it("refuses whoever has no token, a wrong one, or comes from a page of another origin", async () => {
    const refused = [
      new WebSocket(server.socketUrl.replace(/token=.*/, "")),
      new WebSocket(server.socketUrl.replace(/token=.*/, "token=00000000000000000000000000000000")),
      new WebSocket(server.socketUrl, { origin: "http://evil.example" }),
      new WebSocket(server.socketUrl, { headers: { host: "evil.example" } }),
    ];
    const answers = refused.map(
      (socket) => new Promise<string>((resolve) => socket.once("error", ({ message }) => resolve(message))),
    );
    for (const answer of await Promise.all(answers)) expect(answer).toContain("403");
    expect(bridge.viewers).toBe(0);
    const page = await fetch(server.url.replace(/\?.*/, ""));
    expect([page.status, await page.text()]).toEqual([
      403,
      "open the address printed at startup: it contains the token\n",
    ]);
  });

  it("serves its pages and their files to who has the cookie of the first page, and nothing beyond them", async () => {
    const page = await fetch(server.url);
    expect(page.status).toBe(200);
    const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
    const get = (path: string) => fetch(new URL(path, server.url), { headers: { cookie } });
    const there = [
      "viewer",
      "files/host.ts",
      "files/viewer.ts",
      "files/inspector.css",
      "web/browser/drawing-frame.ts",
      "web/browser/drawing-frame.css",
      "web/browser/page.css",
      "diagram.css",
      "packages/preact.js",
    ];
    const served = await Promise.all(there.map(get));
    expect(served.map(({ status }) => status)).toEqual(there.map(() => 200));
    const missing = [
      "files/../inspection-server.ts",
      "files/%2e%2e/inspection-server.ts",
      "web/browser-files.ts",
      "packages/ws.js",
      "x",
    ];
    const answers = await Promise.all(missing.map(get));
    expect(answers.map(({ status }) => status)).toEqual(missing.map(() => 404));
    const script = await (await get("files/host.ts")).text();
    expect(script).not.toMatch(/: unknown/);
  });

  it("takes the token out of the address that a browser has opened, and leaves no way to it in the cookie", async () => {
    // What fetch sends is not a navigation.
    const open = (address: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const asking = request(address, { headers: { "sec-fetch-mode": "navigate" } }, (response) => {
          response.resume();
          resolve(response);
        });
        asking.once("error", reject).end();
      });
    const address = `${server.url}&kind=Lamp`;
    const opened = await open(address);
    expect([opened.statusCode, opened.headers.location]).toEqual([303, "/?kind=Lamp"]);
    const [cookie = ""] = opened.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Path=\/$/);
    const token = new URL(address).searchParams.get("token") ?? "";
    expect(cookie).not.toContain(token);
    const [pair = ""] = cookie.split(";");
    const [name = ""] = pair.split("=");
    const page = (headers: Record<string, string>) => fetch(new URL("/?kind=Lamp", server.url), { headers });
    expect((await page({ cookie: pair })).status).toBe(200);
    expect((await page({ cookie: `${name}=${token}` })).status).toBe(403);
    const twice = await open(address.replace("/?", "//evil.example/?"));
    expect(twice.headers.location).toBe("/evil.example/?kind=Lamp");
  });

  it("listens on this machine only", async () => {
    const { port, hostname } = new URL(server.url);
    expect(hostname).toBe("127.0.0.1");
    const elsewhere = await new Promise<string>((resolve) => {
      const socket = connect({ port: Number(port), host: "127.0.0.2" });
      socket.once("error", ({ message }) => resolve(message));
      socket.once("connect", () => {
        socket.destroy();
        resolve("connected");
      });
    });
    expect(elsewhere).toContain("ECONNREFUSED");
  });

  it("says what to do when its port is taken", async () => {
    const { port } = new URL(server.url);
    const second = startInspectionServer({ bridge, port: Number(port), viewer: "local", log: silentLogger });
    await expect(second).rejects.toMatchObject({
      code: "BIND_FAILED",
      message: `cannot serve the inspector on 127.0.0.1:${port}: the port is in use`,
      remedy: "Choose another port, or omit it to use a free one.",
    });
  });
});
