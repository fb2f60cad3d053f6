// Says of each ValidatingAdmissionPolicy that it was seen, which whoever makes policies waits for. Its expressions are not checked against
// the types that they are for: there are no warnings.
import { ValidatingAdmissionPolicy } from "../../../kinds/builtin/admissionregistration.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";

const name = "validatingadmissionpolicy-status";

/** The controller of the status of policies. RBAC: `list`, `watch` on policies; `patch` on their status. */
export function policyStatusController({ cache, client }: ControllerContext): ControllerDefinition {
  const policies = cache.informer<ValidatingAdmissionPolicy>(ValidatingAdmissionPolicy);

  async function reconcile(key: string): Promise<undefined> {
    const policy = policies.lister.get({ name: key });
    if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return undefined;
    const { apiVersion, kind, metadata, status } = policy;
    const { generation = 0 } = metadata;
    if (status?.observedGeneration === generation && status.typeChecking !== undefined) return undefined;
    await client.apply(
      ValidatingAdmissionPolicy,
      {
        apiVersion,
        kind,
        metadata: { name: key },
        status: { observedGeneration: generation, typeChecking: {} },
      },
      { fieldManager: name, force: true, subresource: "status" },
    );
    return undefined;
  }

  return { name, sources: [fromInformer(policies, ({ metadata }) => [metadata.name])], reconcile };
}
