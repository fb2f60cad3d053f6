// That a ValidatingAdmissionPolicy was seen, as every cluster says it.
import { expect, it } from "vitest";
import { ValidatingAdmissionPolicy } from "../../src/kinds/builtin/admissionregistration.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

describeOnEachApiServer(
  "the status of an admission policy",
  (server) => {
    it("follows its generation", async () => {
      const { client } = server();
      const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] };
      const write = (expression: string): Promise<ValidatingAdmissionPolicy> =>
        client.apply(
          ValidatingAdmissionPolicy,
          {
            apiVersion: "admissionregistration.k8s.io/v1",
            kind: "ValidatingAdmissionPolicy",
            metadata: { name: "seen" },
            spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
          },
          { fieldManager: "test" },
        );
      await write("true");
      for (const generation of [1, 2]) {
        if (generation === 2) await write("object.metadata.name != 'bad'");
        await eventually(async () => {
          const { metadata, status } = await client.get(ValidatingAdmissionPolicy, { name: "seen" });
          expect(status).toEqual({ observedGeneration: generation, typeChecking: {} });
          expect(metadata.managedFields?.find(({ subresource }) => subresource === "status")).toMatchObject({
            manager: "validatingadmissionpolicy-status",
            operation: "Apply",
            fieldsV1: { "f:status": { "f:observedGeneration": {}, "f:typeChecking": {} } },
          });
        });
      }
      await client.delete(ValidatingAdmissionPolicy, { name: "seen" });
    });
  },
  { real: { controllers: "validatingadmissionpolicy-status-controller" } },
);
