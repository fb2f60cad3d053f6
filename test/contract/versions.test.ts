// Three versions of a kind while its operator runs: written and read in each, stored in one after the other, an old one removed; and
// a stream of requests that never fails meanwhile.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { migrateKind } from "../../src/cli/migrate/migrate-kind.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { failedAnnotation, keptAnnotation } from "../../src/kinds/versions/convert.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createFastClock } from "../support/fast-clock.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { storeStoredAs } from "../kinds/versions/three-versions.ts";

const name = "stores.data.example.com";
const versions = ["v1alpha1", "v1beta1", "v1"] as const;
type Version = (typeof versions)[number];

const specs = {
  v1alpha1: { sizeMb: 700, owner: "ada", legacyMode: true },
  v1beta1: { sizeGb: 3, users: ["bob", "eve"] },
  v1: { size: { amount: 1500, unit: "Mi" }, users: [{ name: "ada", quota: 5 }], notes: { team: "blue" } },
} as const;

const operatorStoring = (storage: string) =>
  defineOperator({
    name: "store-operator",
    controllers: [defineController(storeStoredAs(storage), { freeStyle: () => undefined })],
  });

describeOnEachApiServer("a kind with three versions", (server) => {
  let running: RunningOperator;
  const start = (storage: string) =>
    startOperator(operatorStoring(storage), server().kubeconfig, {
      installCrds: true,
      webhookBindAddress: "127.0.0.1:0",
      webhookUrl: true,
    });
  const type = (version: Version) => storeStoredAs("v1").at(version) as ResourceType<AnyObject>;
  const key = (object: string) => ({ namespace: "default", name: object });
  const create = (version: Version, object: string, spec: object) =>
    server().client.create<AnyObject>(type(version), {
      apiVersion: `data.example.com/${version}`,
      kind: "Store",
      metadata: key(object),
      spec,
    });
  const read = async (version: Version, object: string) =>
    (await server().client.get(type(version), key(object)))["spec"];
  const definition = () => server().client.get(CustomResourceDefinition, { name });

  beforeAll(async () => {
    running = await start("v1alpha1");
    await eventually(() => create("v1", "first", specs.v1));
  });
  afterAll(async () => {
    await running.stop();
  });

  it("is written and read in each of them, and nothing is lost in the one that is stored", async () => {
    for (const version of versions) await create(version, `by-${version}`, specs[version]);
    for (const version of versions) expect(await read(version, `by-${version}`)).toEqual(specs[version]);
    expect(await read("v1", "by-v1beta1")).toEqual({
      size: { amount: 3, unit: "Gi" },
      users: [{ name: "bob" }, { name: "eve" }],
    });
    expect(await read("v1beta1", "by-v1alpha1")).toEqual({ sizeGb: 1, users: ["ada"] });
    expect((await definition()).status?.storedVersions).toEqual(["v1alpha1"]);
  });

  it("keeps what an old client cannot see when it changes the rest", async () => {
    await create("v1", "edited", specs.v1);
    await server().client.patch(type("v1alpha1"), key("edited"), {
      type: "merge",
      body: { spec: { sizeMb: 4096 } },
    });
    expect(await read("v1", "edited")).toEqual({ ...specs.v1, size: { amount: 4, unit: "Gi" } });
  });

  it("can be listed when one object cannot be converted, which says why", async () => {
    await create("v1alpha1", "poison", { sizeMb: 1024, owner: "nobody" });
    const { items } = await server().client.list(type("v1"));
    const poison = items.find(({ metadata }) => metadata.name === "poison");
    expect(poison?.metadata.annotations?.[failedAnnotation]).toBe(
      "v1alpha1 to v1: nobody cannot own a store",
    );
    expect(await read("v1alpha1", "poison")).toMatchObject({ owner: "nobody" });
    await server().client.delete(type("v1"), key("poison"));
  });

  it("is stored in another version, migrated, and the old one removed, while requests go on", async () => {
    const failures: unknown[] = [];
    const stop = new AbortController();
    const answers: Promise<unknown>[] = [];
    let asked = 0;
    const stream = (async () => {
      while (!stop.signal.aborted) {
        const version = versions[asked % versions.length] ?? "v1";
        asked += 1;
        const isList = asked % 5 === 0;
        const ask = (): Promise<unknown> =>
          isList ? server().client.list(type(version)) : read(version, "by-v1");
        // While its cache of the type is filled again, an API server asks clients to come back, as all that are made of client-go do.
        const answered = ask().catch(async (error: unknown) => {
          if (!(error instanceof ApiError) || error.status !== 429) throw error;
          await delay(error.retryAfter ?? 1_000);
          return ask();
        });
        answers.push(answered.catch((error: unknown) => failures.push(error)));
        await delay(20);
      }
    })();
    const crd = await definition();
    const storing = (storage: string, kept: readonly string[]) =>
      crd.spec.versions
        .filter((version) => kept.includes(version.name))
        .map((version) => ({ ...version, storage: version.name === storage }));
    const move = (storage: string, kept: readonly string[]) =>
      server().client.patch(
        CustomResourceDefinition,
        { name },
        { type: "merge", body: { spec: { versions: storing(storage, kept) } } },
      );
    await move("v1", versions);
    await eventually(async () => {
      expect((await definition()).status?.storedVersions).toEqual(["v1alpha1", "v1"]);
    });
    const tools = {
      client: server().client,
      clock: createFastClock(10),
      signal: new AbortController().signal,
    };
    const report = await migrateKind(tools, name, { parallel: 4, rate: 100, dryRun: false }, () => undefined);
    expect(report).toMatchObject({ storage: "v1", objects: 5, trimmed: ["v1alpha1"] });
    // The operator may have written one of them meanwhile.
    expect(report.rewritten + report.current).toBe(5);
    stop.abort();
    await stream;
    await Promise.all(answers);
    expect(asked).toBeGreaterThan(20);
    expect(failures).toEqual([]);
    await move("v1", ["v1beta1", "v1"]);
    for (const version of ["v1beta1", "v1"] as const) {
      await eventually(() => server().client.list(type(version)));
      expect(await read(version, `by-${version}`)).toEqual(specs[version]);
    }
    const { metadata } = await server().client.get(type("v1"), key("by-v1"));
    expect(metadata.annotations ?? {}).not.toHaveProperty([keptAnnotation]);
  });
});
