// What an operator declares of webhooks, all of its controllers together: what is served, and which objects of the API server say whom
// it trusts. Read where they are served (src/manager) and where they are shipped (src/delivery).
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../kinds/builtin/admissionregistration.ts";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { isConverted } from "../../kinds/versions/conversion-path.ts";
import type { KubeObject } from "../../meta/object.ts";
import { resourceNameOf, type ResourceType } from "../../meta/resource-type.ts";
import {
  webhookConfigurationsOf,
  type AdmittedKind,
  type WebhookConfiguration,
} from "../../webhook/admission/webhook-configurations.ts";
import type { AuthorityTarget } from "../../webhook/inject-authorities.ts";
import type { OperatorDefinition } from "./define-operator.ts";

/** The kinds that have admission webhooks. */
export function admittedKindsOf({ controllers }: OperatorDefinition): readonly AdmittedKind[] {
  return controllers.flatMap(({ kind, options: { webhooks } }) =>
    webhooks === undefined ? [] : [{ kind, webhooks }],
  );
}

/** The kinds whose versions the operator converts. */
export function convertedKindsOf({ controllers }: OperatorDefinition): readonly Kind<KubeObject>[] {
  return controllers.map(({ kind }) => kind).filter(isConverted);
}

/** Whether the API server calls the operator at all. */
export function servesWebhooks(operator: OperatorDefinition): boolean {
  return authorityTargetsOf(operator).length > 0;
}

/** The types of the configurations of admission webhooks. */
export const configurationTypes: Readonly<Record<WebhookConfiguration["kind"], ResourceType>> = {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
};

/** The objects by which the API server knows whom to trust. */
export function authorityTargetsOf(operator: OperatorDefinition): readonly AuthorityTarget[] {
  const { name } = operator;
  const address = { url: "" };
  const configurations = webhookConfigurationsOf(admittedKindsOf(operator), {
    operator: name,
    address,
    namespaces: [],
  });
  return [
    ...configurations.map(({ kind }) => ({ type: configurationTypes[kind], name })),
    ...convertedKindsOf(operator).map((kind) => ({
      type: CustomResourceDefinition,
      name: resourceNameOf(kind),
    })),
  ];
}
