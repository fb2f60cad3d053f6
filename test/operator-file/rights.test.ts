// The rights of an operator without code: what its children need is not lost to what its effects and calls need.
import { expect, it } from "vitest";
import { requiredPermissions } from "../../src/delivery/required-permissions.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";

const { operator, problems } = readOperatorText(
  `
operator: rights
kinds:
  - group: rights.example.com
    version: v1
    kind: Thing
    lifecycle:
      initial: New
      states:
        New: { on: { observed.Up: { target: Up, actions: mark } } }
        Up: { tags: stable }
    observe:
      read: { ping: { exec: { pod: "\${ metadata.name }", command: [ping] } } }
      states: [{ state: Up, when: "\${ ping.?exitCode.orValue(1) == 0 }" }]
    effects:
      mark: { patch: { apiVersion: v1, kind: ConfigMap, name: "\${ metadata.name }", patch: { data: { a: b } } } }
    children:
      - manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: "\${ metadata.name }" } }
      - manifest: { apiVersion: v1, kind: Pod, metadata: { name: "\${ metadata.name }" } }
      - in: New
        manifest: { apiVersion: v1, kind: Service, metadata: { name: "\${ metadata.name }" } }
      - when: "\${ state == 'Up' }"
        manifest: { apiVersion: v1, kind: Secret, metadata: { name: "\${ metadata.name }" } }
`,
  "rights.yaml",
);

it("has what children, effects and commands need, and deletes only what comes and goes", () => {
  expect(problems).toEqual([]);
  const { served } = requiredPermissions(operator!, {
    namespaces: ["default"],
    operatorNamespace: "default",
    sharing: "none",
    installCrds: false,
    metricsSecure: false,
  });
  const verbs = (resource: string): readonly string[] =>
    served.filter(({ resources = [] }) => resources.includes(resource)).flatMap((rule) => rule.verbs);
  const kept = ["get", "list", "watch", "create", "patch"];
  expect({
    configmaps: verbs("configmaps"),
    pods: verbs("pods"),
    exec: verbs("pods/exec"),
    services: verbs("services"),
    secrets: verbs("secrets"),
  }).toEqual({
    configmaps: kept,
    pods: kept,
    exec: ["get", "create"],
    services: [...kept, "delete"],
    secrets: [...kept, "delete"],
  });
});
