// Both ends of the protocol in a browser: the public sender speaks to our viewer, our server speaks through our page.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, expect, it } from "vitest";
import { managerMachine } from "../../machines/manager-machine.ts";
import { InspectionBridge } from "../../src/inspect/inspection-bridge.ts";
import { startInspectionServer, type InspectionServer } from "../../src/inspect/inspection-server.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { audit, describeInBrowser } from "../support/browser.ts";
import { beginForeign, beginWaiting } from "./waiting-actor.ts";

/** An application of somebody else: XState and the public inspector, as they are published. */
const application = `
import { createActor, createMachine } from "xstate";
import { createBrowserInspector } from "@statelyai/inspect";
const { inspect } = createBrowserInspector({ url: new URLSearchParams(location.search).get("viewer") });
const machine = createMachine({
  id: "lamp",
  initial: "Off",
  states: {
    Off: { on: { "switch.on": { target: "On", guard: "hasPower" } } },
    On: { initial: "Dim", states: { Dim: { on: { brighter: "Bright" } }, Bright: {} }, on: { "switch.off": "Off" } },
  },
}, { guards: { hasPower: () => true } });
globalThis.actor = createActor(machine, { inspect });
globalThis.actor.start();
`;

describeInBrowser("the viewer", (open) => {
  let bridge: InspectionBridge;
  let server: InspectionServer;
  let host: Server;
  let hostUrl: string;

  beforeEach(async () => {
    bridge = new InspectionBridge({ now: () => 1_000, sanitize: (value) => value });
    server = await startInspectionServer({ bridge, port: 0, viewer: "local", log: silentLogger });
    const bundle = await rolldown({
      input: "application",
      platform: "browser",
      logLevel: "silent",
      plugins: [
        {
          name: "application",
          resolveId: (id) => (id === "application" ? `${import.meta.dirname}/application.js` : undefined),
          load: (id) => (id.endsWith("/application.js") ? application : undefined),
        },
      ],
    });
    const { output } = await bundle.generate({ format: "esm" });
    host = createServer((request, response) => {
      const script = request.url === "/application.js";
      response.setHeader("content-type", script ? "text/javascript" : "text/html");
      response.end(
        script
          ? output[0].code
          : `<link rel="icon" href="data:,"><script type="module" src="application.js"></script>`,
      );
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
  });
  afterEach(async () => {
    await server.close();
    host.closeAllConnections();
    host.close();
  });

  it("shows the machines of an application that uses the public inspector", async () => {
    const { page, problems } = await open();
    const viewerUrl = server.url.replace("/?", "/viewer?");
    const opened = page.context().waitForEvent("page");
    await page.goto(`${hostUrl}?viewer=${encodeURIComponent(viewerUrl)}`);
    const viewer = await opened;
    await viewer.getByRole("heading", { name: "lamp" }).waitFor();
    expect(await viewer.locator(".now strong").textContent()).toBe("Off");
    await viewer.locator(".drawing text", { hasText: "switch.on [hasPower]" }).waitFor();
    const lit = (path: string) => viewer.locator(`.drawing g.leaf[data-path="${path}"]`).waitFor();
    const taken = viewer.locator(".drawing g.arrow.taken");
    await lit("Off");
    expect(await taken.count()).toBe(0);
    await page.evaluate(`actor.send({ type: "switch.on" })`);
    await viewer.locator(".now strong", { hasText: "On.Dim" }).waitFor();
    await lit("On:Dim");
    expect(await viewer.locator('.drawing g.active[data-path="On"]').count()).toBe(1);
    expect(await taken.evaluateAll((all) => all.map((arrow) => arrow.getAttribute("data-target")))).toEqual([
      "On",
    ]);
    await page.evaluate(`actor.send({ type: "brighter" })`);
    await viewer.locator(".now strong", { hasText: "On.Bright" }).waitFor();
    // Back to an earlier step, and to now.
    await viewer.getByRole("button", { name: "switch.on" }).click();
    await lit("On:Dim");
    await viewer.getByRole("button", { name: "back to now" }).click();
    await lit("On:Bright");
    expect(problems).toEqual([]);
  });

  it("follows an operator that it is connected to, and says when that has stopped", async () => {
    const manager = beginWaiting(bridge, managerMachine, { name: "manager of lamps" });
    const { page, problems } = await open();
    await page.goto(server.url);
    const viewer = page.frameLocator("#viewer");
    await viewer.getByRole("heading", { name: "manager of lamps" }).waitFor();
    manager.send({ type: "stage.done" });
    await viewer.locator(".now strong", { hasText: "Preparing" }).waitFor();
    expect(problems).toEqual([]);
    await server.close();
    await page.getByText("The operator is not responding").waitFor();
    const { port } = new URL(server.url);
    const token = new URL(server.url).searchParams.get("token") ?? "";
    server = await startInspectionServer({
      bridge,
      port: Number(port),
      viewer: "local",
      log: silentLogger,
      token,
    });
    manager.send({ type: "stage.done" });
    await viewer.locator(".now strong", { hasText: "Syncing" }).waitFor();
    expect(await page.locator("#notice").isHidden()).toBe(true);
  });

  it("shows hostile names, states and events as text", async () => {
    const hostile = `<img src=x onerror="document.title='owned'">`;
    const { page, problems } = await open();
    const config = { id: hostile, states: { [hostile]: { on: { [hostile]: hostile } } } };
    const introduction = { name: hostile, subject: { kind: hostile, name: hostile } };
    beginForeign(bridge, config, introduction, { value: hostile, context: { [hostile]: hostile } });
    await page.goto(server.url);
    const viewer = page.frameLocator("#viewer");
    await viewer.getByRole("heading", { name: hostile }).waitFor();
    await viewer.locator(".drawing g.leaf").waitFor();
    expect(await viewer.locator("img, foreignObject").count()).toBe(0);
    expect(await page.title()).toBe("Inspector");
    expect(problems).toEqual([]);
  });

  it("lists what it cannot draw, and outlives whatever it is told", async () => {
    const { page } = await open();
    const states = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`S${index}`, { on: { next: `S${index + 1}` } }]),
    );
    let deep: object = {};
    for (let depth = 0; depth < 500; depth += 1) deep = { initial: "a", states: { a: deep } };
    const machines: Readonly<Record<string, object>> = {
      huge: { id: "huge", initial: "S0", states },
      deep: { id: "deep", ...deep },
      broken: {
        id: 7,
        initial: {},
        states: { Off: null, On: { on: { go: [{ target: 5 }, null] }, invoke: 3 } },
      },
      twins: { id: "twins", states: { "a:b": {}, a: { states: { b: {} } } } },
      empty: {},
    };
    for (const [name, config] of Object.entries(machines)) {
      beginForeign(bridge, config, { name, subject: { kind: "Lamp", name } }, { value: "Off" });
    }
    await page.goto(server.url);
    const viewer = page.frameLocator("#viewer");
    const choose = async (name: string) => {
      await viewer.getByRole("button", { name }).click();
      await viewer.getByRole("heading", { level: 1, name }).waitFor();
    };
    for (const name of ["huge", "deep", "twins", "empty"]) {
      await choose(name);
      await viewer.getByText("The machine cannot be drawn; its states are listed instead.").waitFor();
      expect(await viewer.locator(".state").count()).toBeLessThanOrEqual(500);
    }
    await choose("broken");
    await viewer.locator('.drawing g.leaf[data-path="Off"]').waitFor();
  });

  it("fits a phone, and is accessible", async () => {
    beginWaiting(bridge, managerMachine, { name: "manager of lamps" });
    const { page } = await open({ width: 360, height: 700 });
    await page.goto(server.url);
    const viewer = page.frameLocator("#viewer");
    await viewer.getByRole("heading", { name: "manager of lamps" }).waitFor();
    await viewer.locator(".drawing g.leaf").waitFor();
    expect(await audit(page)).toEqual([]);
    const width = await viewer.locator("body").evaluate((body) => body.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
  });
});
