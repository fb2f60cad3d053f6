// Random admission: policies and their bindings, and webhooks that nobody answers.
import { randomExpression } from "./random-expression.ts";
import { below, mutated, pick, type RandomNumber } from "./random-json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A configuration, and the collection that it is for. */
export interface RandomConfiguration {
  readonly collection: string;
  readonly body: Fields;
}

const root = "/apis/admissionregistration.k8s.io/v1";
/** The collections of configurations. */
export const admissionCollections: readonly string[] = [
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
].map((plural) => `${root}/${plural}`);

/** A configuration of admission. */
export function randomAdmission(random: RandomNumber): RandomConfiguration {
  const plural = pick(random, Object.keys(forms));
  const form = forms[plural] ?? policy;
  return {
    collection: `${root}/${plural}`,
    body: mutated(random, form(random), random() < 0.5 ? 0 : below(random, 3)) as Fields,
  };
}

const metadata = (random: RandomNumber): Fields => ({ name: pick(random, ["a", "b"]) });
const rules = (random: RandomNumber): readonly Fields[] => [
  {
    apiGroups: [pick(random, ["fuzz.example.com", ""])],
    apiVersions: ["*"],
    operations: [pick(random, ["*", "CREATE", "UPDATE", "DELETE"])],
    resources: [pick(random, ["opens", "closeds", "configmaps", "opens/status"])],
  },
];
const conditions = (random: RandomNumber): readonly Fields[] =>
  Array.from({ length: below(random, 3) }, (_, index) => ({
    name: `c${index}`,
    expression: randomExpression(random),
  }));
const variables = (random: RandomNumber): readonly Fields[] => [
  { name: "v", expression: randomExpression(random, 3) },
];

function policy(random: RandomNumber): Fields {
  return {
    metadata: metadata(random),
    spec: {
      failurePolicy: pick(random, ["Fail", "Ignore"]),
      matchConstraints: { resourceRules: rules(random) },
      matchConditions: conditions(random),
      variables: variables(random),
      validations: [
        {
          expression: randomExpression(random),
          messageExpression: randomExpression(random, 2),
          reason: pick(random, ["Forbidden", "Invalid", "x"]),
        },
      ],
      auditAnnotations: random() < 0.3 ? [{ key: "k", valueExpression: randomExpression(random, 2) }] : [],
      ...(random() < 0.2 ? { paramKind: { apiVersion: "v1", kind: "ConfigMap" } } : {}),
    },
  };
}

function mutatingPolicy(random: RandomNumber): Fields {
  const expression = pick(random, [
    randomExpression(random),
    `Object{metadata: Object.metadata{labels: {'k': ${randomExpression(random, 2)}}}}`,
    `[JSONPatch{op: 'add', path: '/spec/x', value: ${randomExpression(random, 2)}}]`,
  ]);
  return {
    metadata: metadata(random),
    spec: {
      failurePolicy: pick(random, ["Fail", "Ignore"]),
      reinvocationPolicy: pick(random, ["Never", "IfNeeded"]),
      matchConstraints: { resourceRules: rules(random) },
      matchConditions: conditions(random),
      variables: variables(random),
      mutations: [
        random() < 0.5
          ? { patchType: "ApplyConfiguration", applyConfiguration: { expression } }
          : { patchType: "JSONPatch", jsonPatch: { expression } },
      ],
    },
  };
}

function policyBinding(random: RandomNumber): Fields {
  const policyName = pick(random, ["a", "b"]);
  const validationActions = [pick(random, ["Deny", "Warn", "Audit"])];
  const paramRef =
    random() < 0.3 ? { paramRef: { name: "a", namespace: "default", parameterNotFoundAction: "Deny" } } : {};
  return { metadata: metadata(random), spec: { policyName, validationActions, ...paramRef } };
}

function mutatingBinding(random: RandomNumber): Fields {
  return { metadata: metadata(random), spec: { policyName: pick(random, ["a", "b"]) } };
}

function webhooks(random: RandomNumber): Fields {
  return {
    metadata: metadata(random),
    webhooks: [
      {
        name: "hook.fuzz.example.com",
        rules: rules(random),
        clientConfig: { url: "https://127.0.0.1:1/" },
        failurePolicy: pick(random, ["Fail", "Ignore"]),
        sideEffects: pick(random, ["None", "NoneOnDryRun"]),
        admissionReviewVersions: ["v1"],
        timeoutSeconds: 1,
        matchConditions: conditions(random),
        namespaceSelector: {
          matchExpressions: [{ key: "a", operator: pick(random, ["Exists", "DoesNotExist", "x"]) }],
        },
      },
    ],
  };
}

const forms: Readonly<Record<string, (random: RandomNumber) => Fields>> = {
  validatingadmissionpolicies: policy,
  validatingadmissionpolicybindings: policyBinding,
  mutatingadmissionpolicies: mutatingPolicy,
  mutatingadmissionpolicybindings: mutatingBinding,
  validatingwebhookconfigurations: webhooks,
  mutatingwebhookconfigurations: webhooks,
};
