// `watch`: follows one object against a running operator.
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import type { Explanation } from "../../src/explain/explanation.ts";
import type { Screen } from "../../src/cli/terminal.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { apiVersionOf } from "../../src/meta/resource-type.ts";
import { Lamp, lampOperator, lampWorld } from "../fixtures/lamp.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { runCommand, type CommandOutcome, type CommandSurroundings } from "./run-in-process.ts";

/** What the screen shows after all that was written: what came after the cursor went up for the last time. */
function lastPage(written = ""): string {
  const pages = written.split("\u001B[").filter((each) => /^(?:\?7l|\d+A\r)/.test(each));
  const page = written.slice(written.lastIndexOf(pages.at(-1) ?? ""));
  return stripVTControlCharacters(page.replace(/^(?:\?7l|\d+A\r)/, ""));
}

describeOnEachApiServer("watch", (server) => {
  const world = lampWorld();
  let operator: RunningOperator;
  const client = () => server().client;
  const keyOf = (name: string) => ({ namespace: "default", name });
  const watch = (args: readonly string[], surroundings: CommandSurroundings = {}): Promise<CommandOutcome> =>
    runCommand(["watch", ...args, "--kubeconfig", server().kubeconfig], {}, surroundings);
  const create = (name: string): Promise<unknown> => {
    const manifest = { apiVersion: apiVersionOf(Lamp), kind: "Lamp", metadata: keyOf(name) };
    return client().create(Lamp, manifest);
  };
  const target = (name: string, desiredState: string): Promise<unknown> =>
    client().patch(Lamp, keyOf(name), { type: "merge", body: { spec: { lifecycle: { desiredState } } } });

  beforeAll(async () => {
    await client().apply(CustomResourceDefinition, crdOf(Lamp), { fieldManager: "admin" });
    await eventually(() => client().list<KubeObject>(Lamp));
    operator = await startOperator(lampOperator(world), server().kubeconfig);
  });
  afterAll(() => operator.stop());

  it("tells what happens as lines, until the state that is waited for", async () => {
    await create("hall");
    expect(await watch(["lamp/hall", "--until", "Running"])).toMatchObject({ code: 0, err: "" });
    let text = "";
    const watching = watch(["lamp/hall", "--until", "Polishing"], { onOut: (more) => (text += more) });
    await eventually(() => {
      expect(text).toMatch(/^\d\d:\d\d:\d\d {2}state {6}Running\n/);
    });
    await target("hall", "Polishing");
    const { code, out, err } = await watching;
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/ {2}state {6}Running → Polishing, because /);
    expect(out).toMatch(/ {2}target {5}Polishing \(done once\): not reached\n/);
    expect(out).not.toContain("\u001B");
  });

  it("shows tasks with their progress and Events, and ends with Ctrl-C and 0", async () => {
    const stop = new AbortController();
    let text = "";
    const watching = watch(["lamp/hall"], { signal: stop.signal, onOut: (more) => (text += more) });
    await eventually(() => {
      expect(text).toMatch(/ {2}task {7}polish Running, attempt 1, 42 %\n/);
      expect(text).toMatch(/ {2}event {6}StateChanged: /);
    });
    for (const key of world.polish.keys()) world.polish.set(key, { phase: "Succeeded" });
    await eventually(() => {
      expect(text).toMatch(/ {2}state {6}Polishing → Running, because /);
    });
    stop.abort();
    expect(await watching).toMatchObject({ code: 0, err: "" });
  });

  it("is a page on a terminal, and JSON for programs", async () => {
    const stop = new AbortController();
    let page = "";
    const watching = watch(["lamp/hall"], {
      signal: stop.signal,
      screen: { columns: 80, rows: 40 },
      onOut: (more) => (page += more.replaceAll("\u001B", "<ESC>")),
    });
    await eventually(() => {
      expect(page).toMatch(/<ESC>\[\d+A\rLamp default\/hall/);
    });
    stop.abort();
    await watching;
    expect(page).toMatch(
      /^<ESC>\[\?7lLamp default\/hall, \d+s old[\s\S]*\nConditions[\s\S]*press Ctrl-C to exit/,
    );
    expect(page.endsWith("<ESC>[?7h")).toBe(true);
    const { code, out } = await watch(["lamp/hall", "--until", "Ready", "-o", "json"]);
    expect(code).toBe(0);
    const [first = ""] = out.split("\n");
    expect(JSON.parse(first) as Explanation).toMatchObject({ state: { name: "Running" } });
  });

  it("shows all resources of a kind: a table on a screen, a line for each change elsewhere, JSON for programs", async () => {
    const stop = new AbortController();
    const [all, texts]: [Promise<CommandOutcome>[], string[]] = [[], ["", "", ""]];
    const watchAll = (index: number, args: readonly string[], screen?: Screen): void => {
      const onOut = (more: string): void => void (texts[index] += more);
      all.push(watch(args, { signal: stop.signal, onOut, ...(screen === undefined ? {} : { screen }) }));
    };
    watchAll(0, ["lamps"], { columns: 60, rows: 12 });
    watchAll(1, ["Lamp", "--all-namespaces"]);
    watchAll(2, ["lamp", "-o", "json"]);
    await eventually(() => expect(texts[1]).toMatch(/ {2}default\/hall +state {6}Running\n/));
    await create("attic");
    await eventually(() => {
      expect(texts[1]).toMatch(/ {2}default\/attic +state {6}(.* → )?Running/);
      expect(lastPage(texts[0])).toMatch(
        /^NAME +STATE +DESIRED +READY +AGE.*\nattic +Running +Running +True +\d+s.*\nhall +Running +Polishing +True/,
      );
    });
    for (const line of lastPage(texts[0]).split("\n")) expect(line.length).toBeLessThanOrEqual(60);
    await client().delete(Lamp, keyOf("attic"));
    await eventually(() => {
      expect(texts[1]).toMatch(/ {2}default\/attic +gone {7}deleted\n$/);
      expect(lastPage(texts[0])).not.toContain("attic");
    });
    stop.abort();
    expect(await Promise.all(all)).toMatchObject([0, 0, 0].map((code) => ({ code, err: "" })));
    const lines = (texts[2] ?? "").trimEnd().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "") as Explanation;
    expect(last).toMatchObject({ object: { name: "attic" }, gone: true });
    expect(texts[1]).not.toContain("\u001B");
  });

  it("of a kind says that there is none, and takes nothing that is about one object", async () => {
    const stop = new AbortController();
    const none = watch(["lamps", "-n", "elsewhere"], { signal: stop.signal, onErr: () => stop.abort() });
    expect(await none).toEqual({ code: 0, out: "", err: "there is no Lamp in namespace elsewhere yet\n" });
    for (const wrong of [
      ["lamps", "--until", "Running"],
      ["lamps", "-A", "-n", "default"],
      ["lamp/hall", "-A"],
    ])
      expect(await watch(wrong)).toMatchObject({ code: 2, out: "" });
  });

  it("ends with 1 when what is waited for does not come in time, and with 130 when the wait is ended", async () => {
    const late = await watch(["lamp/hall", "--until", "HumanIntervention", "--timeout", "50ms"]);
    expect(late.code).toBe(1);
    expect(late.err).toMatch(/lamp\/hall did not reach the state HumanIntervention within 50 ms\n {2}do: /);
    const stop = new AbortController();
    const waiting = watch(["lamp/hall", "--until", "End"], {
      signal: stop.signal,
      onOut: () => stop.abort(),
    });
    expect(await waiting).toMatchObject({ code: 130, err: "" });
    const wrong = await watch(["lamp/hall", "--until", "state=Shining"]);
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toMatch(
      /The states are: Start, Running, Polishing, Stopping, HumanIntervention, End\./,
    );
    expect(await watch(["lamp/nowhere"])).toMatchObject({ code: 1, out: "" });
  });

  it("sees the end of an object: waited for, not waited for, and instead of another thing", async () => {
    await create("porch");
    const [shown, waited, other] = [
      watch(["lamp/porch"]),
      watch(["lamp/porch", "--until", "deleted"]),
      watch(["lamp/porch", "--until", "HumanIntervention"]),
    ];
    await watch(["lamp/porch", "--until", "Running"]);
    await client().delete(Lamp, keyOf("porch"));
    const outcomes = await Promise.all([shown, waited, other]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 1]);
    expect(outcomes[0]?.out).toMatch(/ {2}deleted {4}being deleted since /);
    expect(outcomes[2]?.err).toMatch(
      /lamp\/porch was deleted before it reached the state HumanIntervention\n/,
    );
  });
});
