// The dashboard over a recording: the same page, at any moment of it, and nothing that acts.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../src/ports/system-clock.ts";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { describeInBrowser } from "../support/browser.ts";
import { RecordedLife } from "./recorded-life.ts";
import { newFolder, openTestRecording } from "./recording-files.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** A recording of a thing that opens in its 10th minute, and breaks in its 20th. */
async function recordLife(file: string): Promise<void> {
  const life = new RecordedLife(
    setupLifecycle().createMachine({
      id: "thing",
      version: "1",
      initial: "Shut",
      states: {
        Shut: { tags: ["stable"], on: { "desired.Open": "Open" } },
        Open: { on: { "desired.Shut": "Shut", "observed.Broken": "Broken" } },
        Broken: { on: { "human.repair": "Open" } },
      },
    }),
  );
  const recording = await openTestRecording(file, life.lifecycle, {
    clock: { ...systemClock, now: () => life.now },
  });
  life.settle();
  life.pass("10m");
  life.ask("Open");
  life.settle();
  life.pass("10m");
  life.observed = "Broken";
  life.settle();
  for (const run of life.runs) recording.record(run, () => (text) => text);
  await recording.close();
}

describeInBrowser("a recording on the dashboard", (open) => {
  const folder = newFolder();
  const stop = new AbortController();
  let url = "";
  let ended: Promise<CommandOutcome>;

  beforeAll(async () => {
    const file = folder.path("incident.ndjson");
    await recordLife(file);
    url = await new Promise<string>((resolve) => {
      ended = runCommand(
        ["replay", file, "--dashboard"],
        {},
        {
          signal: stop.signal,
          onErr: (text) => resolve(/http:\S+/.exec(text)?.[0] ?? text),
        },
      );
    });
  });

  afterAll(async () => {
    stop.abort();
    expect(await ended).toMatchObject({ code: 0, out: "" });
    folder.remove();
  });

  it("shows each resource as it was at the moment that is looked at, and says that it is no live one", async () => {
    const { page, problems } = await open();
    await page.goto(url);
    await page.getByText("Recording incident.ndjson").waitFor();
    await page.getByText("This is a recording: it is not live, and no events can be sent.").waitFor();
    expect(await page.getByRole("region", { name: "Recording" }).textContent()).toContain("(20m)");
    const state = page.locator(".rows .row .state");
    await state.getByText("Broken").waitFor();
    const moment = page.getByRole("slider", { name: "Moment" });
    await moment.fill("700");
    await state.getByText("Open").waitFor();
    await moment.fill("0");
    await page.getByText("There are no resources yet.").waitFor();
    await moment.fill("100");
    await state.getByText("Shut").waitFor();

    await page.getByRole("link", { name: "default/one" }).click();
    await page.locator('.drawing g.leaf[data-path="Shut"]').waitFor();
    await moment.fill("1000");
    await page.locator('.drawing g.leaf[data-path="Broken"]').waitFor();
    await page.getByText("cause: modified").first().waitFor();
    const owned = page.getByRole("group", { name: "Owns" }).getByRole("row");
    const events = page.getByRole("group", { name: "Kubernetes Events" }).getByRole("row");
    await owned.filter({ hasText: "as Broken" }).waitFor();
    await events.filter({ hasText: "Shut → Open" }).waitFor();
    await moment.fill("100");
    await owned.filter({ hasText: "as Shut" }).waitFor();
    expect(await events.filter({ hasText: "Shut → Open" }).count()).toBe(0);
    await moment.fill("1000");
    await owned.filter({ hasText: "as Broken" }).waitFor();
    await page.getByRole("slider", { name: "History" }).press("Home");
    await page.locator('.drawing g.leaf[data-path="Shut"]').waitFor();

    // What is accepted is told, and nowhere to be sent from.
    await page.getByText("repair", { exact: false }).first().waitFor();
    expect(await page.getByRole("button", { name: "repair" }).count()).toBe(0);
    expect(await page.getByText("--allow-events").count()).toBe(0);
    const answer = await page.evaluate(async () => {
      const body = JSON.stringify({ kind: "Thing", namespace: "default", name: "one", event: "repair" });
      return (await fetch("api/event", { method: "POST", body })).status;
    });
    expect(answer).toBe(403);
    await page.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await page.evaluate<{ violations: readonly { id: string }[] }>("axe.run()");
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(problems.filter((problem) => !problem.includes("403"))).toEqual([]);
  });
});
