// Three versions of a kind while its operator runs: written and read in each, stored in one after the other, an old one removed; and
// a stream of requests that never fails meanwhile.
import { afterAll, beforeAll, expect, it } from "vitest";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { migrateKind } from "../../src/cli/migrate/migrate-kind.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { failedAnnotation, keptAnnotation } from "../../src/kinds/versions/convert.ts";
import { findCondition, type Condition } from "../../src/meta/condition.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createFastClock } from "../support/fast-clock.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { steadyRequests } from "../support/steady-requests.ts";
import { storeStoredAs } from "../kinds/versions/three-versions.ts";

const name = "stores.data.example.com";
const versions = ["v1alpha1", "v1beta1", "v1"] as const;
type Version = (typeof versions)[number];

const specs = {
  v1alpha1: { sizeMb: 700, owner: "ada", legacyMode: true },
  v1beta1: { sizeGb: 3, users: ["bob", "eve"] },
  v1: { size: { amount: 1500, unit: "Mi" }, users: [{ name: "ada", quota: 5 }], notes: { team: "blue" } },
} as const;

/** The stores that hooks were called with. */
const seen = new Set<string>();
let touches = 0;

const operatorStoring = (storage: string) =>
  defineOperator({
    name: "store-operator",
    controllers: [
      defineController(storeStoredAs(storage), {
        freeStyle: ({ cr }) => void seen.add(`${cr.metadata.name} of ${cr.spec.users[0]?.name}`),
      }),
    ],
  });

describeOnEachApiServer("a kind with three versions", (server) => {
  let running: RunningOperator;
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
  const touch = (version: Version, object: string) =>
    server().client.patch(type(version), key(object), {
      type: "merge",
      body: { metadata: { labels: { touched: String(touches++) } } },
    });
  const definition = () => server().client.get(CustomResourceDefinition, { name });

  beforeAll(async () => {
    seen.clear();
    running = await startOperator(operatorStoring("v1alpha1"), server().kubeconfig, {
      installCrds: true,
      webhookBindAddress: "127.0.0.1:0",
      webhookUrl: true,
    });
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

  it("can be listed when one object cannot be converted, which says why (T70)", async () => {
    await create("v1alpha1", "poison", { sizeMb: 1024, owner: "nobody" });
    const { items } = await server().client.list(type("v1"));
    const poison = items.find(({ metadata }) => metadata.name === "poison");
    expect(poison?.metadata.annotations?.[failedAnnotation]).toBe(
      "v1alpha1 to v1: nobody cannot own a store",
    );
    expect(await read("v1alpha1", "poison")).toMatchObject({ owner: "nobody" });
  });

  it("leaves an object that cannot be converted alone, and says in which version to correct what, until it is (T70)", async () => {
    const condition = async () => {
      const { status } = await server().client.get(type("v1"), key("poison"));
      const { conditions } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
      return findCondition(conditions, "ReconciliationSuccess");
    };
    await eventually(async () => {
      expect(await condition()).toMatchObject({
        status: "False",
        reason: "ErrorAndGiveup",
        message:
          "its spec could not be converted (v1alpha1 to v1: nobody cannot own a store). Correct it as v1alpha1, as it was written: kubectl edit stores.v1alpha1.data.example.com poison; or write its spec again as v1.",
      });
    });
    expect([...seen].filter((each) => each.startsWith("poison"))).toEqual([]);
    expect(await read("v1alpha1", "poison")).toMatchObject({ owner: "nobody" });
    const correction = { type: "merge", body: { spec: { owner: "ada" } } } as const;
    await server().client.patch(type("v1alpha1"), key("poison"), correction);
    await eventually(async () => expect(await condition()).toMatchObject({ status: "True" }));
    expect([...seen].filter((each) => each.startsWith("poison"))).toEqual(["poison of ada"]);
    await server().client.delete(type("v1"), key("poison"));
  });

  it("is stored in another version, migrated, and the old one removed, while requests go on", async () => {
    let isWriting = true;
    const requests = steadyRequests((number) => {
      const version = versions[number % versions.length] ?? "v1";
      if (number % 5 === 0) return server().client.list(type(version));
      return isWriting && number % 7 === 0 ? touch(version, "by-v1") : read(version, "by-v1");
    });
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
    // A migration waits for the writes that are still under way in the old way, by a clock that is fast here.
    isWriting = false;
    await requests.answered();
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
    isWriting = true;
    const sent = requests.asked;
    await eventually(() => expect(requests.asked).toBeGreaterThan(Math.max(100, sent + 20)));
    expect(await requests.stop()).toEqual([]);
    await move("v1", ["v1beta1", "v1"]);
    for (const version of ["v1beta1", "v1"] as const) {
      await eventually(() => server().client.list(type(version)));
      expect(await read(version, `by-${version}`)).toEqual(specs[version]);
    }
    const { metadata } = await server().client.get(type("v1"), key("by-v1"));
    expect(metadata.annotations ?? {}).not.toHaveProperty([keptAnnotation]);
  });
});
