// Says of each ValidatingAdmissionPolicy that it was seen, which whoever makes policies waits for, and which of its expressions do not
// fit the types that they are for.
import { ValidatingAdmissionPolicy } from "../../../kinds/builtin/admissionregistration.ts";
import { expressionWarnings } from "../../api/admission/expression-warnings.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type ControllerDefinition, fromInformer } from "../controller-loop.ts";
import { PublishedTypes } from "./published-types.ts";

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
    const types = new PublishedTypes(client);
    const { matchConstraints, paramKind } = policy.spec;
    const checked = await types.ofRules(matchConstraints?.resourceRules);
    const params = checked.length === 0 ? undefined : await types.ofParams(paramKind);
    const warnings = expressionWarnings(policy.spec, checked, params?.schema);
    const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: [...warnings] };
    await client.apply(
      ValidatingAdmissionPolicy,
      {
        apiVersion,
        kind,
        metadata: { name: key },
        status: { observedGeneration: generation, typeChecking },
      },
      { fieldManager: name, force: true, subresource: "status" },
    );
    return undefined;
  }

  return { name, sources: [fromInformer(policies, ({ metadata }) => [metadata.name])], reconcile };
}
