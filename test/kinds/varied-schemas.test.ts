// CRDs of varied schemas on both API servers: stored as they are sent, with objects that are stored as zod reads them.
import { beforeAll, expect, it } from "vitest";
import { isInvalid } from "../../src/client/api-error.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import { apiVersionOf, resourceNameOf, type ResourceType } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { variedKinds, type VariedKind } from "./varied-schemas.ts";

describeOnEachApiServer(
  "a schema",
  (server) => {
    beforeAll(async () => {
      const { client } = server();
      await Promise.all(
        variedKinds.map(({ kind }) =>
          client.create(CustomResourceDefinition, crdOf(kind), { fieldValidation: "Strict" }),
        ),
      );
      await Promise.all(variedKinds.map(({ kind }) => eventually(() => client.list(kind))));
    }, 120_000);

    const create = (kind: VariedKind["kind"], name: string, spec: object): Promise<AnyObject> =>
      server().client.create<AnyObject>(
        kind as unknown as ResourceType<AnyObject>,
        {
          apiVersion: apiVersionOf(kind),
          kind: kind.kind,
          metadata: { namespace: "default", name },
          spec,
        },
        { fieldValidation: "Strict" },
      );

    it("is one of thirty", () => {
      expect(variedKinds).toHaveLength(30);
    });

    it.each(variedKinds)("of $construct is kept, and so is what it accepts", async (varied) => {
      const { kind, valid, invalid, refusal } = varied;
      const stored = await server().client.get(CustomResourceDefinition, { name: resourceNameOf(kind) });
      expect(stored.spec.versions).toEqual(crdOf(kind).spec.versions);
      expect((await create(kind, "valid", valid))["spec"]).toEqual(kind.specSchema.parse(valid));

      const refused = await create(kind, "invalid", invalid).then(
        () => "accepted",
        (error: unknown) => error,
      );
      expect(refused).toSatisfy(isInvalid);
      expect((refused as Error).message).toMatch(refusal);
    });
  },
  { real: { controllers: "none" } },
);
