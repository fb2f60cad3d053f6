// The operator: a Deployment that exists from Start to Service, and is gone before the application has ended.
import { defineController, defineOperator, type InstanceOf, type ManifestOf } from "xstate-operator";
import { Deployment, readyPodsCount } from "xstate-operator/kinds";
import { Memcached } from "./memcached.ts";

export default defineOperator({
  name: "memcached-operator",
  controllers: [
    defineController(Memcached, {
      owns: [Deployment],
      steps: {
        ObjectsGetter: ({ cr, registry }) => {
          registry.add(servers(cr), { in: ["Start", "Run", "Service"] });
        },
      },
      application: {
        observe: ({ cr, lookUp }) => {
          const deployment = lookUp(Deployment, cr.metadata);
          const { ready } = readyPodsCount(deployment);
          const state = deployment === undefined ? "Empty" : ready < cr.spec.size ? "Down" : "Run";
          return { state, facts: { servers: ready } };
        },
        statusOf: ({ facts }) => ({ servers: Number(facts["servers"] ?? 0) }),
      },
    }),
  ],
});

function servers({ metadata, spec }: InstanceOf<typeof Memcached>): ManifestOf<Deployment> {
  const { name, namespace } = metadata;
  const labels = { "app.kubernetes.io/name": "memcached", "app.kubernetes.io/instance": name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "memcached", image: "docker.io/library/memcached:1.6-alpine" }] },
      },
    },
  };
}
