// A status is sent whole, or as a patch where a role allows that alone: what is stored, and who owns which field, must be the same.
import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { isConflict, isNotFound } from "../../src/client/api-error.ts";
import { layered } from "../../src/client/client-layers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { defineKind, type InstanceOf } from "../../src/kinds/define-kind.ts";
import { keyOf } from "../../src/meta/object-key.ts";
import { Ending } from "../../src/ports/deadline.ts";
import { StatusDraft } from "../../src/reconcile/status/status-draft.ts";
import { SettledStatuses, writeStatus } from "../../src/reconcile/status/status-writer.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const Ledger = defineKind({
  group: "whole.test.example.com",
  version: "v1",
  kind: "Ledger",
  spec: z.object({ pages: z.int(), notes: z.record(z.string(), z.string()).optional() }),
  status: z.object({
    written: z.int().optional(),
    others: z.looseObject({}).optional(),
    last: z.object({ page: z.int().nullable(), by: z.string().optional() }).optional(),
  }),
});
type Ledger = InstanceOf<typeof Ledger>;

/** The same client, which patches. */
const patching = (client: KubeClient): KubeClient =>
  layered(client, {
    place: "way",
    request: (call, send) => {
      if (call.verb !== "patch") return send(call);
      const { whole: _, ...options } = call.options;
      return send({ ...call, options });
    },
  });

type Step = readonly [by: string, change: (draft: StatusDraft) => void];
const ready = { type: "Ready", status: "True", reason: "Written", message: "all pages" } as const;
const histories: Readonly<Record<string, readonly Step[]>> = {
  "a first status": [["one", (draft) => draft.setCondition(ready)]],
  "a condition that changes, and a field that goes": [
    ["one", (draft) => (draft.setCondition(ready), draft.merge({ written: 3 }))],
    ["one", (draft) => (draft.setCondition({ ...ready, status: "False" }), draft.merge({ written: null }))],
  ],
  "a null within": [
    ["one", (draft) => draft.merge({ last: { page: 4, by: "me" } })],
    ["one", (draft) => draft.merge({ last: { page: null } })],
  ],
  "fields of two writers": [
    ["two", (draft) => draft.merge({ written: 3, last: { page: 1 } })],
    ["one", (draft) => (draft.setCondition(ready), draft.merge({ written: 3 }))],
    ["two", (draft) => draft.merge({ written: 4 })],
  ],
};

describeOnEachApiServer("a status that is sent whole", (server) => {
  beforeAll(async () => {
    await server().client.apply(CustomResourceDefinition, crdOf(Ledger), { fieldManager: "admin" });
    await eventually(() => server().client.list(Ledger));
  });

  const create = (name: string): Promise<Ledger> =>
    server().client.create<Ledger>(
      Ledger,
      {
        apiVersion: "whole.test.example.com/v1",
        kind: "Ledger",
        metadata: { namespace: "default", name, labels: { shelf: "a" } },
        spec: { pages: 3, notes: { "": "an empty name" } },
      },
      { fieldManager: "author" },
    );

  const write = async (
    client: KubeClient,
    cr: Ledger,
    fieldManager: string,
    change: Step[1],
  ): Promise<Ledger> => {
    const draft: StatusDraft = new StatusDraft({
      cr,
      now: () => Date.parse("2026-01-01T00:00:00Z"),
      write: (drafted) =>
        writeStatus(
          {
            cr,
            crType: Ledger,
            client,
            fieldManager,
            memory: { statuses: new SettledStatuses() },
            lifetime: new Ending(),
            countWrite: () => undefined,
          },
          drafted,
        ),
    });
    change(draft);
    await draft.flush();
    return client.get<Ledger>(Ledger, keyOf(cr));
  };

  /** What does not tell one object of the same history from another. */
  const shown = ({ metadata, ...rest }: Ledger): unknown => {
    const {
      name: _name,
      uid: _uid,
      resourceVersion: _version,
      creationTimestamp: _created,
      ...others
    } = metadata;
    const managedFields = others.managedFields?.map(({ time: _time, ...entry }) => entry);
    return { ...rest, metadata: { ...others, managedFields } };
  };

  it.each(Object.entries(histories))("comes out as a patch does: %s", async (_what, steps) => {
    const { client } = server();
    const name = `same-${Object.values(histories).indexOf(steps)}`;
    const results = [];
    for (const [way, by] of [["whole", client] as const, ["patch", patching(client)] as const]) {
      let ledger = await create(`${name}-${way}`);
      for (const [writer, change] of steps) ledger = await write(by, ledger, writer, change);
      results.push(shown(ledger));
    }
    expect(results[0]).toEqual(results[1]);
  });

  it("leaves an integer of another writer as it is that JavaScript cannot hold", async () => {
    const { client } = server();
    const { metadata } = await create("exact");
    const path = `/apis/whole.test.example.com/v1/namespaces/default/ledgers/${metadata.name}/status`;
    const body = `{"status":{"others":{"sequence":9007199254740993}}}`;
    await client.request({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });
    // As text: an object has been read by JavaScript.
    const stored = async (): Promise<string> =>
      String(await client.request({ method: "GET", path, accept: "application/yaml" }));
    const sequence = /sequence: \d+/.exec(await stored());
    const ledger = await client.get<Ledger>(Ledger, keyOf({ metadata }));
    await write(client, ledger, "one", (draft) => draft.setCondition(ready));
    expect(await stored()).toContain(sequence?.[0]);
    expect(await stored()).toContain(ready.reason);
  });

  it("is refused as a patch is: stale with a conflict, of a resource that is gone as not found", async () => {
    const { client } = server();
    for (const [way, by] of [["whole", client] as const, ["patch", patching(client)] as const]) {
      const first = await create(`refused-${way}`);
      await write(by, first, "one", (draft) => draft.setCondition(ready));
      const stale = write(by, first, "one", (draft) => draft.merge({ written: 9 }));
      await expect(stale).rejects.toSatisfy(isConflict);
      await client.delete(Ledger, keyOf(first));
      await eventually(() => expect(client.get(Ledger, keyOf(first))).rejects.toSatisfy(isNotFound));
      // At once: the server is not asked what has become of it.
      const sent: string[] = [];
      const counted = layered(by, {
        place: "life",
        request: (call, send) => (sent.push(call.verb), send(call)),
      });
      const late = write(counted, first, "one", (draft) => draft.merge({ written: 9 }));
      await expect(late).rejects.toSatisfy(isNotFound);
      expect(sent).toEqual(["patch"]);
    }
  });
});
