// What the API server refuses for good, although its answer looks like trouble of its own.
import { beforeAll, expect, it, vi } from "vitest";
import { isMisfit, isServerTrouble } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment, Secret, Service } from "../../src/kinds/index.ts";
import { isSameMessage } from "../../src/meta/condition.ts";
import type { AnyManifest, AnyObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { isContentRefused } from "../../src/reconcile/outcome/failure-meaning.ts";
import { kubernetesResource } from "../../src/reconcile/resources/kubernetes-resource.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { Boxed, serveBoxes } from "./boxed.ts";

const namespace = "refusals-contract";
const fieldManager = "test";
const labels = { app: "refused" };

const deployment = (container: object): AnyManifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "refused", namespace },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "x", ...container }] } },
  },
});
const service = (spec: object): AnyManifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "refused", namespace },
  spec: { selector: labels, ports: [{ name: "a", port: 1, nodePort: 31_500 }], ...spec },
});
const secret: AnyManifest = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "refused", namespace },
  data: { key: "?" },
};
const unreadable = deployment({ resources: { limits: { cpu: "1x" } } });
const onNodes = { type: "NodePort" };
const balanced = { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 9 };
const twice = [1, 2].map((port) => ({ name: `p${port}`, port, nodePort: 31_500 }));

/** A custom type, of which a field is a number since `typed`. */
const Relic: ResourceType<AnyObject> = {
  group: "contract.example.com",
  version: "v1",
  kind: "Relic",
  plural: "relics",
  namespaced: true,
};
const relicDefinition = (type: "string" | "integer") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "relics.contract.example.com" },
  spec: {
    group: Relic.group,
    scope: "Namespaced",
    names: { kind: Relic.kind, plural: Relic.plural, singular: "relic", listKind: "RelicList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { age: { type }, name: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
});

describeOnEachApiServer(
  "what does not fit",
  (server) => {
    let client: KubeClient;
    beforeAll(async () => {
      client = server().client;
      await serveBoxes(client, namespace);
    });
    const apply = (type: ResourceType, manifest: AnyManifest) =>
      client.apply(type, manifest, { fieldManager });
    const refusalOf = async (sent: Promise<unknown>): Promise<Error> => {
      const refusal: unknown = await sent.then(
        () => "accepted",
        (caught: unknown) => caught,
      );
      expect(refusal).toBeInstanceOf(Error);
      return refusal as Error;
    };

    it.each<readonly [string, RegExp, () => Promise<unknown>]>([
      ["a quantity", /failed to convert new object .*quantities/, () => apply(Deployment, unreadable)],
      [
        "a quantity that is posted",
        /Deployment in version "v1" cannot be handled/,
        () => client.create(Deployment, unreadable),
      ],
      [
        "base64",
        /failed to convert new object \(.*refused; \/v1, Kind=Secret\).*base64/,
        () => apply(Secret, secret),
      ],
      [
        "a field that the type does not have",
        /field not declared in schema/,
        () => apply(Deployment, deployment({ zork: 1 })),
      ],
      [
        "one port of the nodes for two ports of a Service",
        /duplicate nodePort: \{TCP 31500\}/,
        async () => {
          await apply(Service, service(onNodes));
          return apply(Service, service({ ...onNodes, ports: twice }));
        },
      ],
      [
        "a port for health checks",
        /HealthCheck NodePort 9: provided port is not in the valid range/,
        () => apply(Service, service(balanced)),
      ],
      [
        "a port for health checks that is taken",
        /HealthCheck NodePort 31500: provided port is already allocated/,
        () => apply(Service, service({ ...balanced, healthCheckNodePort: 31_500 })),
      ],
    ])("is distinguished from an outage: %s", async (_what, message, send) => {
      const error = await refusalOf(send());
      expect(error.message).toMatch(message);
      expect([isMisfit(error), isServerTrouble(error), isContentRefused(error)]).toEqual([true, false, true]);
    });

    it("says the same each time, in whatever order the server lists it", async () => {
      const names = ["A", "B", "C", "D"];
      const env = [...names, ...names].map((name) => ({ name, value: "1" }));
      const messages: string[] = [];
      for (let attempt = 0; attempt < 8; attempt += 1) {
        const error = await refusalOf(apply(Deployment, deployment({ env })));
        expect([isMisfit(error), isServerTrouble(error)]).toEqual([true, false]);
        messages.push(error.message);
      }
      const [first = ""] = messages;
      expect(messages.filter((message) => !isSameMessage(message, first))).toEqual([]);
      expect(isSameMessage(first, first.replace('[name="A"]', '[name="Z"]'))).toBe(false);
    });

    it("is replaced where it is older than its schema and something else is declared, and reported where not", async () => {
      await client.create(CustomResourceDefinition, relicDefinition("string"));
      const key = { namespace, name: "relic" };
      const relic = {
        apiVersion: "contract.example.com/v1",
        kind: "Relic",
        metadata: { ...key },
        spec: { age: "5" },
      };
      await vi.waitFor(() => client.list(Relic), { timeout: 20_000, interval: 100 });
      await client.create(Relic, relic);
      await client.apply(CustomResourceDefinition, relicDefinition("integer"), { fieldManager, force: true });
      await vi.waitFor(() => expect(apply(Relic, relic)).rejects.toThrow(/typed patch/), { timeout: 20_000 });
      const box = await new Boxed(client, key).start();
      const declare = (spec: Record<string, unknown>): void => {
        const mutateWithCR = (draft: Record<string, unknown>): void => {
          draft["spec"] = spec;
        };
        box.children = [kubernetesResource({ type: Relic, key, adopt: true, mutateWithCR })];
      };
      declare({ name: "mine" });
      expect((await refusalOf(box.run())).message).toMatch(
        /failed to create (?:typed live object|manager for existing fields).*spec\.age/,
      );
      declare({ age: 5 });
      expect(await box.written()).toHaveLength(1);
      expect((await client.get(Relic, key))["spec"]).toMatchObject({ age: 5 });
      expect(await box.written()).toEqual([]);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
