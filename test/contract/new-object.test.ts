// What a custom resource shows before any operator has seen it.
import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { CustomResourceDefinition } from "../../src/kinds/index.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";
import { Lamp } from "../fixtures/lamp.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const Plain = defineKind({
  group: "test.example.com",
  version: "v1",
  kind: "Plain",
  spec: z.object({}),
  status: z.object({ shards: z.object({ count: z.int().default(1) }).default({ count: 1 }) }),
});

describeOnEachApiServer("a custom resource that was never observed", (server) => {
  beforeAll(async () => {
    for (const crd of [crdOf(Lamp), crdOf(Plain)]) {
      await server().client.create(CustomResourceDefinition, crd);
    }
    await eventually(() => server().client.list(Lamp));
    await eventually(() => server().client.list(Plain));
  });

  type WithStatus = KubeObject & { readonly status?: unknown };
  it.each<readonly [string, ResourceType<WithStatus>, object]>([
    ["with a lifecycle", Lamp, {}],
    ["of a plain kind, beside what its author's status begins with", Plain, { shards: { count: 1 } }],
  ])("says that no generation of it was observed: one %s", async (_name, kind, status) => {
    const metadata = { namespace: "default", name: "new" };
    const made = await server().client.create(kind, {
      apiVersion: "test.example.com/v1",
      kind: kind.kind,
      metadata,
      spec: {},
    });
    const expected = { generation: 1, status: { ...status, observedGeneration: -1 } };
    const found = await server().client.get(kind, metadata);
    const { items } = await server().client.list(kind, { namespace: "default" });
    expect(
      [made, found, ...items].map((each) => ({ generation: each.metadata.generation, status: each.status })),
    ).toEqual([expected, expected, expected]);
  });
});
