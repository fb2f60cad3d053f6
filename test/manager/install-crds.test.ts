// What --install-crds does with CRDs that are there already: those of the operator are brought up to date, those of others stay.
import { beforeEach, expect, it } from "vitest";
import { z } from "zod";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { defineKind } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { installCrds, installMissingCrds, type CrdTools } from "../../src/manager/install-crds.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const kindOf = (spec: z.ZodObject) =>
  defineKind({ group: "install.example.com", version: "v1", kind: "Thing", spec });
const older = kindOf(z.object({ size: z.int() }));
const newer = kindOf(z.object({ size: z.int(), colour: z.string() }));
const { name } = crdOf(older).metadata;

interface Crd {
  readonly metadata: { readonly managedFields?: readonly { readonly manager?: string }[] };
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly spec: object } } };
    }[];
  };
}

describeOnEachApiServer(
  "installing CRDs",
  (server) => {
    let client: KubeClient;
    const warned: Readonly<Record<string, unknown>>[] = [];
    beforeEach(async () => {
      ({ client } = server());
      warned.splice(0);
      await client.delete(CustomResourceDefinition, { name }).catch(() => undefined);
      await eventually(async () => {
        await expect(client.get(CustomResourceDefinition, { name })).rejects.toMatchObject({ status: 404 });
      });
    });

    function tools(kind: typeof older): CrdTools {
      const quiet = (): void => undefined;
      const log: Logger = {
        child: () => log,
        debug: quiet,
        info: quiet,
        warn: (fields, message) => void warned.push({ ...fields, message }),
        error: quiet,
      };
      const { signal } = new AbortController();
      return { client, kinds: [kind], fieldManager: "things", clock: systemClock, log, signal };
    }

    async function present(): Promise<{
      fields: readonly string[];
      managers: readonly (string | undefined)[];
    }> {
      const crd = (await client.get(CustomResourceDefinition, { name })) as unknown as Crd;
      const { spec } = crd.spec.versions[0]!.schema.openAPIV3Schema.properties;
      return {
        fields: Object.keys((spec as { readonly properties: object }).properties).toSorted(),
        managers: (crd.metadata.managedFields ?? []).map(({ manager }) => manager),
      };
    }

    it("creates what is missing and brings its own up to date", async () => {
      await installMissingCrds(tools(older));
      expect((await present()).fields).toEqual(["size"]);
      await installMissingCrds(tools(newer));
      expect((await present()).fields).toEqual(["size"]);
      await installCrds(tools(newer));
      expect((await present()).fields).toEqual(["colour", "size"]);
      await installCrds(tools(older));
      expect((await present()).fields).toEqual(["size"]);
      expect(warned).toEqual([]);
    });

    it("brings its own up to date that it has created in another way", async () => {
      await client.create(CustomResourceDefinition, crdOf(older), { fieldManager: "things" });
      await installCrds(tools(newer));
      expect((await present()).fields).toEqual(["colour", "size"]);
      expect(warned).toEqual([]);
    });

    it("leaves another's as it is, owns nothing of it, and says whose it is and what to do", async () => {
      await client.create(CustomResourceDefinition, crdOf(older), { fieldManager: "helm" });
      await installCrds(tools(newer));
      const { fields, managers } = await present();
      expect(fields).toEqual(["size"]);
      expect(managers).not.toContain("things");
      expect(warned).toEqual([
        {
          message: "the CRD is managed by others and left as it is",
          crd: name,
          managers: ["helm"],
          remedy: expect.stringContaining("generate crd"),
        },
      ]);
    });

    it("takes nothing back that another has taken over", async () => {
      await installCrds(tools(older));
      await client.apply(CustomResourceDefinition, crdOf(newer), { fieldManager: "argocd", force: true });
      await installCrds(tools(older));
      expect((await present()).fields).toEqual(["colour", "size"]);
      await installCrds(tools(kindOf(z.object({ size: z.string() }))));
      expect((await present()).fields).toEqual(["colour", "size"]);
      const left = { managers: ["argocd"], fields: [".spec.versions"] };
      expect(warned).toMatchObject([left, left]);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
