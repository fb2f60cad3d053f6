// What an operator's name decides, on both API servers: it is the field manager, and the mark on what it has made. A new name takes
// over what was written under a former one; two operators do not take each other's objects for their own.
import { beforeAll, describe, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import type { Manifest } from "../../src/meta/object.ts";
import { intentHashAnnotation } from "../../src/reconcile/comparison/intent-hash.ts";
import {
  fromManifest,
  type ManifestResourceOptions,
} from "../../src/reconcile/resources/kubernetes-resource.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { Boxed, serveBoxes } from "./boxed.ts";

const namespace = "names-contract";

describeOnEachApiServer(
  "an operator",
  (server) => {
    let client: KubeClient;
    let count = 0;

    beforeAll(async () => {
      client = server().client;
      await serveBoxes(client, namespace);
    });

    const newName = (): string => `named-${(count += 1)}`;
    const liveOf = (name: string): Promise<ConfigMap> => client.get(ConfigMap, { namespace, name });

    function declare(
      box: Boxed,
      name: string,
      data: Record<string, string>,
      options: ManifestResourceOptions = {},
    ): void {
      const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name }, data };
      box.children = [fromManifest(manifest as Manifest, options)];
    }

    async function managersOf(name: string): Promise<string[]> {
      const { managedFields = [] } = (await liveOf(name)).metadata;
      return managedFields.map(({ manager = "" }) => manager);
    }

    describe.each(["apply", "update", "patch"] as const)("that writes by %s", (write) => {
      it("takes over what it held under a former name, and lets go of what it no longer declares", async () => {
        const name = newName();
        const box = await new Boxed(client, { namespace, name }).start();
        box.operator = "before";
        declare(box, name, { kept: "1", dropped: "2" }, { write });
        await box.run();
        await client.patch(
          ConfigMap,
          { namespace, name },
          { type: "merge", body: { data: { theirs: "3" } } },
          { fieldManager: "someone" },
        );
        box.restart();
        box.operator = "after";
        box.formerNames = ["before"];
        declare(box, name, { kept: "1" }, { write });
        expect(await box.written()).toHaveLength(1);
        expect((await liveOf(name)).data).toEqual({ kept: "1", theirs: "3" });
        expect(await box.written()).toEqual([]);
      });

      it("writes once for a new name alone, also what an earlier version has marked with no name", async () => {
        for (const mark of ["named", "unnamed"]) {
          const name = newName();
          const box = await new Boxed(client, { namespace, name }).start();
          box.operator = "before";
          declare(box, name, { a: "1", b: "1" }, { write });
          await box.run();
          if (mark === "unnamed") {
            const [hash] = ((await liveOf(name)).metadata.annotations?.[intentHashAnnotation] ?? "").split(
              "@",
            );
            const body = { metadata: { annotations: { [intentHashAnnotation]: hash } } };
            await client.patch(
              ConfigMap,
              { namespace, name },
              { type: "merge", body },
              { fieldManager: "before" },
            );
          }
          box.restart();
          box.operator = "after";
          box.formerNames = ["before"];
          expect(await box.written()).toHaveLength(1);
          box.restart();
          expect(await box.written()).toEqual([]);
          if (write === "apply") expect(new Set(await managersOf(name))).toEqual(new Set(["after"]));
          declare(box, name, { a: "1" }, { write });
          await box.run();
          expect((await liveOf(name)).data).toEqual({ a: "1" });
        }
      });

      it("leaves alone what another operator has made without an owner reference", async () => {
        const name = newName();
        const options = { ownerReference: false, write };
        const first = await new Boxed(client, { namespace, name: newName() }).start();
        first.operator = "one";
        declare(first, name, { a: "1" }, options);
        await first.run();
        const before = await liveOf(name);
        const second = await new Boxed(client, { namespace, name: newName() }).start();
        second.operator = "two";
        declare(second, name, { a: "2" }, options);
        await expect(second.run()).rejects.toThrow(/was not made by this operator but by "one"/);
        expect(await liveOf(name)).toEqual(before);
        expect(await first.written()).toEqual([]);
      });
    });

    it("that loses a field to another one does not say that all is as declared", async () => {
      const name = newName();
      const options = { ownerReference: false, adopt: true };
      const boxes = await Promise.all(
        ["one", "two"].map(async (operator) => {
          const box = await new Boxed(client, { namespace, name: newName() }).start();
          box.operator = operator;
          declare(box, name, { shared: operator, [operator]: "1" }, options);
          return box;
        }),
      );
      let held = 0;
      for (let round = 0; round < 20; round += 1) {
        for (const box of boxes) {
          const { pending } = await box.run();
          const isLive = (await liveOf(name)).data?.["shared"] === box.operator;
          const { status } = (await box.cr()) as {
            status?: { conditions?: { type: string; status: string }[] };
          };
          const condition = status?.conditions?.find(({ type }) => type === "ReconciliationSuccess");
          if (isLive) continue;
          held += 1;
          expect([pending, condition?.status]).toEqual([true, "Unknown"]);
        }
      }
      expect(held).toBeGreaterThan(10);
      const { data } = await liveOf(name);
      expect(data).toMatchObject({ one: "1", two: "1" });
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
