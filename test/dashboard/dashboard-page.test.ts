import { afterEach, expect, it } from "vitest";
import type { Page } from "playwright-core";
import type { ShownHealth } from "../../src/dashboard/shown-health.ts";
import { audit, describeInBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { resourcesWithRuns } from "../../src/dashboard/run-log.ts";
import { lampObject } from "./lamp-object.ts";
import { startLampBoard, type LampBoard } from "./lamp-board.ts";

const run = {
  id: "abc-1",
  kind: "Lamp",
  key: "default/orders",
  startedAt: 1_000,
  took: 12,
  causes: [{ reason: "modified", kind: "ConfigMap", object: "default/orders", detail: "data" }],
  stages: [
    { stage: "CRChecker", at: 1_000 },
    { stage: "Updater", at: 1_002 },
  ],
  writes: 2,
  operations: [{ code: "Created", resource: "ConfigMap/orders" }],
};

/** An operator of lamps; times are those of now. */
function operatorHealth(given: Partial<ShownHealth> = {}): ShownHealth {
  const now = Date.now();
  return {
    stage: "running",
    state: "Running",
    ready: true,
    problems: [],
    warnings: [],
    part: "this process leads",
    startedAt: now - 3_600_000,
    version: "1.2.3",
    watches: [
      { resource: "lamps.home.example.com", state: "watching", synced: true, objects: 2, lastActivity: now },
      { resource: "configmaps", state: "watching", synced: true, objects: 4, lastActivity: now },
    ],
    controllers: [
      {
        kind: "Lamp",
        workers: 4,
        busy: 0,
        queued: 0,
        delayed: 1,
        heldCount: 0,
        held: [],
        failureCount: 0,
        failures: [],
      },
    ],
    ...given,
  };
}

/** The same operator when much is wrong with it. */
function illHealth(message: string): ShownHealth {
  const now = Date.now();
  const { watches, controllers } = operatorHealth();
  return operatorHealth({
    ready: false,
    problems: ["watch of configmaps: lost 12 s ago (backingOff)"],
    watches: watches.map((watch) =>
      watch.resource === "configmaps"
        ? { ...watch, state: "backingOff", lostSince: now - 12_000, lastError: message }
        : watch,
    ),
    controllers: controllers.map((controller) => ({
      ...controller,
      busy: 3,
      queued: 7,
      longest: { key: "default/orders", stage: "Updater", since: now - 5_000 },
      heldCount: 12,
      held: [{ key: "default/orders", why: "hotLoop", message }],
      failureCount: 2,
      failures: [{ at: now - 1_000, key: "default/orders", message }],
    })),
  });
}

/** The cells that reach beyond what is seen of the page sideways. */
const cellsCutOff = `[...document.querySelectorAll("td")]
  .filter((cell) => cell.getBoundingClientRect().right > document.documentElement.clientWidth)
  .map((cell) => cell.textContent)`;
const firstHeading = `document.querySelector("h1, h2, h3").tagName`;

describeInBrowser("the dashboard", (open) => {
  let lamps: LampBoard;
  afterEach(() => lamps?.close());

  const row = (page: Page, name: string) => page.locator(".rows .row", { hasText: name });

  it("shows every resource, and each change as it happens", async () => {
    lamps = await startLampBoard();
    lamps.put(
      lampObject("orders", { state: "Off", target: "On", plan: ["On"] }),
      lampObject("carts", { state: "On" }),
    );
    const { page, problems } = await open();
    await page.goto(lamps.url);
    await page.getByText("2 of 2").waitFor();
    expect(await row(page, "default/orders").locator(".state").textContent()).toBe("Off");
    expect(await row(page, "default/orders").locator(".target").textContent()).toBe("→ On");
    lamps.put(lampObject("orders", { state: "On", target: "On", ready: "True" }));
    await row(page, "default/orders").locator(".state", { hasText: "On" }).waitFor();
    await row(page, "default/orders").locator(".health", { hasText: "ready" }).waitFor();
    lamps.remove(lampObject("carts", {}));
    await page.getByText("1 of 1").waitFor();
    // On a phone a name is not cut off where there is room for it.
    const long = "orders-of-the-second-quarter";
    lamps.put(lampObject(long, { state: "On" }));
    await page.setViewportSize({ width: 360, height: 740 });
    const name = page.locator(".row .cell.name", { hasText: long });
    await name.waitFor();
    expect(await name.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    lamps.remove(lampObject(long, {}));
    await page.getByText("1 of 1").waitFor();
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByText("No resources match the filter.").waitFor();
    expect(problems).toEqual([]);
  });

  it("follows a resource: its state in the graph, its plan, its past, its runs", async () => {
    lamps = await startLampBoard({
      events: [{ type: "Warning", reason: "Broken", message: "the bulb is out", count: 3 }],
    });
    lamps.put(lampObject("orders", { state: "Off", target: "On", plan: ["On"] }));
    lamps.runs.record(run);
    const { page, problems } = await open();
    await page.goto(lamps.url);
    await page.getByRole("link", { name: "default/orders" }).click();
    const lit = page.locator(".drawing g.leaf");
    await lit.waitFor();
    expect(await lit.getAttribute("data-path")).toBe("Off");
    expect(await page.locator(".drawing g.box.planned").getAttribute("data-path")).toBe("On");
    await page.getByText("Off → On", { exact: true }).waitFor();
    await page.getByText("cause: modified ConfigMap default/orders (data)").waitFor();
    await page.getByText("Created ConfigMap/orders").waitFor();
    await page.getByText("the bulb is out (3 times)").waitFor();
    lamps.put(lampObject("orders", { state: "On", target: "On", ready: "True" }));
    await page.locator('.drawing g.leaf[data-path="On"]').waitFor();
    lamps.put(lampObject("orders", { state: "Repairing", target: "On", plan: ["On"] }));
    await page.locator('.drawing g.leaf[data-path="Repairing"]').waitFor();
    // Why an edge is not taken, guard included.
    await page.getByText("[isSafe]", { exact: true }).first().waitFor();
    // Back to the first moment by keyboard, and to the present.
    await page.getByRole("slider").press("Home");
    await page.locator('.drawing g.leaf[data-path="Off"]').waitFor();
    await page.getByRole("button", { name: "back to now" }).click();
    await page.locator('.drawing g.leaf[data-path="Repairing"]').waitFor();
    // What it was stays, and nothing more can be asked of it; until there is one again.
    await page.getByRole("heading", { name: "Accepts" }).waitFor();
    lamps.remove(lampObject("orders", { state: "Repairing" }));
    await page.getByText("It was deleted. This is its last known state.").waitFor();
    expect(await page.getByRole("heading", { name: "Accepts" }).count()).toBe(0);
    await page.locator('.drawing g.leaf[data-path="Repairing"]').waitFor();
    lamps.put(lampObject("orders", { state: "Off" }));
    await page.getByText("It was deleted.").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("sends human events only where they are allowed", async () => {
    lamps = await startLampBoard({ allowEvents: true });
    lamps.put(lampObject("orders", { state: "Repairing", target: "On" }));
    const { page } = await open();
    await page.goto(`${lamps.url}#/Lamp/default/orders`);
    await page.getByRole("button", { name: "retry" }).click();
    await page.getByText("retry was sent; the operator decides whether to accept it.").waitFor();
    await page.getByRole("button", { name: "pause" }).click();
    await page.getByText('"pause" is refused').waitFor();
    expect(lamps.sent).toEqual(["orders retry", "orders pause"]);
    await lamps.close();

    lamps = await startLampBoard();
    lamps.put(lampObject("orders", { state: "Repairing", target: "On" }));
    await page.goto(`${lamps.url}#/Lamp/default/orders`);
    await page.getByText("or from here with --allow-events").waitFor();
    expect(await page.getByRole("button", { name: "retry" }).count()).toBe(0);
    const answer = await page.evaluate(async () => {
      const body = JSON.stringify({ kind: "Lamp", namespace: "default", name: "orders", event: "retry" });
      return (await fetch("api/event", { method: "POST", body })).status;
    });
    expect(answer).toBe(403);
    expect(lamps.sent).toEqual([]);
  });

  it("says that the operator does not answer, and goes on when it does again", async () => {
    lamps = await startLampBoard({ token: "secret" });
    lamps.put(lampObject("orders", { state: "Off" }));
    const { page } = await open();
    await page.goto(`${lamps.url}#/Lamp/default/orders`);
    await page.getByText("live", { exact: true }).waitFor();
    const port = Number(new URL(lamps.url).port);
    await lamps.close();
    await page.getByText("The operator is not responding").waitFor();
    expect(await page.locator(".facts strong").textContent()).toBe("Off");
    lamps = await startLampBoard({ token: "secret", port });
    lamps.put(lampObject("orders", { state: "On" }));
    await page.locator(".facts strong", { hasText: "On" }).waitFor();
    await page.getByText("live", { exact: true }).waitFor();

    // The board goes on too, when it has found the operator before its caches are complete.
    await page.goto(`${lamps.url}#/`);
    await page.getByText("1 of 1").waitFor();
    const kind = page.getByRole("combobox", { name: "Kind" });
    await kind.selectOption("Lamp");
    await lamps.close();
    await page.getByText("The operator is not responding").waitFor();
    lamps = await startLampBoard({ token: "secret", port, isStarting: true });
    await page.getByText("live", { exact: true }).waitFor();
    expect(await page.locator(".count").textContent()).toContain("1 of 1");
    lamps.begin();
    lamps.put(lampObject("carts", { state: "On" }), lampObject("orders", { state: "On" }));
    await page.getByText("2 of 2").waitFor();
    expect(await kind.inputValue()).toBe("Lamp");
    expect(await kind.getByRole("option").allTextContents()).toEqual(["all", "Lamp"]);
  });

  it("shows how the operator is, as it changes, and that it is gone", async () => {
    let health: ShownHealth | undefined;
    lamps = await startLampBoard({ health: () => health });
    const { page, problems } = await open();
    await page.goto(lamps.url);
    await page.getByText("0 of 0").waitFor();
    const operator = page.getByRole("region", { name: "Operator" });
    expect(await operator.count()).toBe(0);
    health = operatorHealth({ stage: "starting", state: "Syncing", ready: false, problems: ["no"] });
    await operator.getByText("starting: Syncing").waitFor();
    expect(await operator.getByText("no", { exact: true }).count()).toBe(0);
    health = operatorHealth();
    await operator.getByText("ready", { exact: true }).waitFor();
    for (const text of ["this process leads", "up 1h", "xstate-operator 1.2.3", "2 of 2 watches healthy"]) {
      await operator.getByText(text, { exact: true }).waitFor();
    }
    health = illHealth("connection refused");
    await operator.getByText("not ready").waitFor();
    await operator.getByText("The watch of configmaps is lost: connection refused").waitFor();
    for (const text of ["1 of 2 watches healthy", "7 queued", "12 throttled", "2 failures in 5m"]) {
      await operator.getByText(text, { exact: true }).waitFor();
    }
    await operator.locator("summary").focus();
    await page.keyboard.press("Enter");
    await operator.getByText(/^retrying for /).waitFor();
    await operator.getByText(/^default\/orders for .*, in Updater$/).waitFor();
    await operator.getByText("is in a reconcile loop").waitFor();
    await operator.getByText("and 11 more").waitFor();
    await operator.getByRole("link", { name: "default/orders" }).last().click();
    await page.waitForURL(/#\/Lamp\/default\/orders$/);
    health = operatorHealth({ stage: "stopping", ready: false, problems: ["the operator is stopping"] });
    await operator.getByText("draining").waitFor();
    expect(problems).toEqual([]);
    await lamps.close();
    await operator.getByText("not responding", { exact: true }).waitFor();
  });

  it("shows five thousand resources without stutter", async () => {
    lamps = await startLampBoard();
    lamps.put(
      ...Array.from({ length: 5_000 }, (_, index) =>
        lampObject(`lamp-${String(index).padStart(4, "0")}`, { state: "On" }),
      ),
    );
    const { page, problems } = await open();
    await page.goto(lamps.url);
    await page.getByText("5000 of 5000").waitFor();
    expect(await page.locator(".rows .row").count()).toBeLessThan(60);
    const { frames, most } = await page.evaluate<{
      readonly frames: readonly number[];
      readonly most: number;
    }>(`(async () => {
      const rows = document.querySelector(".rows");
      const frames = [];
      let most = 0;
      let before = performance.now();
      for (let step = 0; step < 60; step += 1) {
        rows.scrollTop = (step / 60) * rows.scrollHeight;
        await new Promise(requestAnimationFrame);
        frames.push(performance.now() - before);
        before = performance.now();
        most = Math.max(most, rows.querySelectorAll(".row").length);
      }
      rows.scrollTop = rows.scrollHeight;
      return { frames, most };
    })()`);
    expect(frames).toHaveLength(60);
    expect(most).toBeLessThan(60);
    // A machine that has other work makes some frames long; a page that stutters makes most of them so.
    expect(frames.toSorted((one, other) => one - other)[30]).toBeLessThan(500);
    await row(page, "default/lamp-4999").waitFor();
    // Who comes back from a resource, or loads the page again, is where he was.
    const scrolled = "document.querySelector('.rows').scrollTop";
    const bottom = await page.evaluate<number>(scrolled);
    expect(bottom).toBeGreaterThan(100_000);
    await eventually(async () => expect(await page.evaluate("history.state?.top")).toBe(bottom));
    await row(page, "default/lamp-4999").getByRole("link").click();
    // Others have run since it did.
    for (let index = 0; index < resourcesWithRuns; index += 1)
      lamps.runs.record({ ...run, key: `default/other-${index}` });
    await page
      .getByText(`runs are kept for the ${resourcesWithRuns} most recently reconciled resources`)
      .waitFor();
    await page.goBack();
    await row(page, "default/lamp-4999").waitFor();
    expect(await page.evaluate(scrolled)).toBe(bottom);
    await page.getByRole("searchbox").fill("lamp-2500");
    await page.getByText("1 of 5000").waitFor();
    await row(page, "default/lamp-2500").getByRole("link").click();
    await page.getByRole("heading", { level: 1 }).getByText("lamp-2500").waitFor();
    await page.goBack();
    await page.getByText("1 of 5000").waitFor();
    await page.reload();
    await page.getByText("1 of 5000").waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("lamp-2500");
    expect(page.url()).toMatch(/#\/\?search=lamp-2500$/);
    await page.getByRole("link", { name: "lamp-operator" }).click();
    await page.getByText("5000 of 5000").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows hostile names, messages and values as text", async () => {
    const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    lamps = await startLampBoard({
      events: [{ type: hostile, reason: hostile, message: hostile, count: 1 }],
      health: () => illHealth(hostile),
    });
    const told = { target: hostile, cause: hostile, plan: [hostile], message: hostile };
    const lamp = lampObject(hostile, { state: "On", ...told });
    lamps.put({ ...lamp, metadata: { ...lamp.metadata, annotations: { [hostile]: hostile } } });
    lamps.runs.record({ ...run, key: `default/${hostile}`, error: hostile, causes: [{ reason: hostile }] });
    const { page, problems } = await open();
    await page.goto(lamps.url);
    await page.locator(".operator summary").click();
    await page.locator(".operator td", { hasText: hostile }).first().waitFor();
    expect(await row(page, hostile).locator(".target").getAttribute("title")).toBe(`failed: ${hostile}`);
    await page.getByRole("link", { name: hostile }).click();
    await page.getByRole("heading", { level: 1, name: hostile }).waitFor();
    await page.locator(".drawing g.leaf").waitFor();
    await page.locator(".facts dd", { hasText: `failed: ${hostile}` }).waitFor();
    await page.getByText("YAML").click();
    expect(await page.locator(".yaml pre").textContent()).toContain(hostile);
    expect(await page.locator("#dashboard img, #dashboard script").count()).toBe(0);
    expect(await page.title()).toBe("lamp-operator");
    expect(problems).toEqual([]);
  });

  it("sends no secret, and nothing to anybody else", async () => {
    const secret = "hunter2-very-secret";
    const message = `{"data":{"password":"${secret}"}}`;
    lamps = await startLampBoard({ health: () => illHealth(message) });
    const lamp = lampObject("orders", { state: "On", target: "Off", cause: message, message });
    lamps.put({
      ...lamp,
      spec: { password: secret, token: secret, stringData: { key: secret } },
    } as never);
    const { page, problems } = await open();
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => {
      if (!response.url().includes("/api/board") && !response.url().includes("/api/resource"))
        bodies.push(response.text().catch(() => ""));
    });
    await page.goto(`${lamps.url}#/Lamp/default/orders`);
    await page.locator(".drawing g.leaf").waitFor();
    await page.getByText("YAML").click();
    await page.locator(".yaml").getByText("[redacted]").first().waitFor();
    expect(await page.content()).not.toContain(secret);
    expect((await Promise.all(bodies)).join("\n")).not.toContain(secret);
    await page.goto(`${lamps.url}#/`);
    await page.getByText("1 of 1").waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(problems).toEqual([]);
  });

  it.each([
    ["light", 1_280, false],
    ["dark", 1_280, true],
    ["light on a phone", 360, false],
  ])("is accessible, and fits: %s", async (_, width, dark) => {
    const health = illHealth("connect ECONNREFUSED 127.0.0.1:6443");
    lamps = await startLampBoard({ allowEvents: true, health: () => health });
    lamps.put(lampObject("orders", { state: "Repairing", target: "On", plan: ["On"], success: "False" }));
    lamps.put(lampObject("orders", { state: "On", target: "On", plan: [] }));
    lamps.runs.record(run);
    const { page } = await open({ width, height: 800, dark });
    await page.goto(lamps.url);
    await page.getByText("1 of 1").waitFor();
    await page.locator(".operator summary").click();
    await page.getByText("Last failures").waitFor();
    expect(await audit(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(await page.evaluate(firstHeading)).toBe("H1");
    expect(await page.evaluate(cellsCutOff)).toEqual([]);
    await row(page, "default/orders").getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.locator(".drawing g.leaf").waitFor();
    const seen = `(() => {
      const [outer, lit] = [".drawing", ".drawing g.leaf"].map((each) => document.querySelector(each).getBoundingClientRect());
      return lit.left >= outer.left && lit.right <= outer.right && lit.top >= outer.top && lit.bottom <= outer.bottom;
    })()`;
    // Asked from outside: the page's own policy lets nothing be evaluated in it.
    await eventually(async () => expect(await page.evaluate(seen)).toBe(true));
    expect(await audit(page)).toEqual([]);
    expect(await page.evaluate(firstHeading)).toBe("H1");
    await page.getByRole("cell", { name: "observed.Broken" }).first().waitFor();
    expect(await page.evaluate(cellsCutOff)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  });
});
