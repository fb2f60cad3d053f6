// What is shipped with an operator that converts between the versions of a kind.
import { describe, expect, it } from "vitest";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { authorityTargetsOf } from "../../src/controller/declaration/operator-webhooks.ts";
import { manifestFilesOf } from "../../src/delivery/manifests.ts";
import { olmWebhooksOf } from "../../src/delivery/webhooks.ts";
import type { WorkloadOptions } from "../../src/delivery/workload-options.ts";
import { Store } from "../kinds/versions/three-versions.ts";

const operator = defineOperator({
  name: "store-operator",
  controllers: [defineController(Store, { freeStyle: () => undefined })],
});
const options: WorkloadOptions = {
  namespaces: [],
  operatorNamespace: "stores",
  sharing: "election",
  installCrds: false,
  metricsSecure: false,
  image: "registry.example.com/store-operator:1",
  replicas: 2,
  drainTimeout: 25_000,
};
const crd = "stores.data.example.com";

describe("an operator that converts between versions is shipped with", () => {
  const documents = manifestFilesOf(operator, options).flatMap((file) => file.documents);
  const ofKind = (kind: string) => documents.filter((document) => document.kind === kind);

  it("a definition that names its Service, and that Service", () => {
    expect(ofKind("CustomResourceDefinition")).toMatchObject([
      {
        spec: {
          conversion: {
            strategy: "Webhook",
            webhook: {
              clientConfig: {
                service: {
                  name: "store-operator-webhook",
                  namespace: "stores",
                  path: `/convert/${crd}`,
                  port: 443,
                },
              },
            },
          },
        },
      },
    ]);
    expect(ofKind("Service").map(({ metadata }) => metadata.name)).toContain("store-operator-webhook");
  });

  it("the right to say in that definition whom to trust, and no other", () => {
    const rules = ofKind("ClusterRole").flatMap(({ rules: each }) => each as object[]);
    expect(rules.filter((rule) => JSON.stringify(rule).includes("customresourcedefinitions"))).toEqual([
      {
        apiGroups: ["apiextensions.k8s.io"],
        resources: ["customresourcedefinitions"],
        resourceNames: [crd],
        verbs: ["get", "patch"],
      },
    ]);
    expect(authorityTargetsOf(operator).map(({ name }) => name)).toEqual([crd]);
  });

  it("a conversion webhook in the bundle", () => {
    expect(olmWebhooksOf(operator, options)).toMatchObject([
      { type: "ConversionWebhook", webhookPath: `/convert/${crd}`, conversionCRDs: [crd] },
    ]);
  });
});
