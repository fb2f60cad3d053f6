// A memcached, serviced and ended; a new life; deleted while it runs. In TypeScript and in YAML, by one description.
import { Memcached } from "../../../examples/lifecycles/memcached/src/memcached/memcached.ts";
import memcached from "../../../examples/lifecycles/memcached/operator.ts";
import { Deployment } from "../../../src/kinds/builtin/apps.ts";
import { readOperator } from "../../../src/operator-file/parts/read-operator.ts";
import { describeLives, desire } from "./describe-lives.ts";

const written = readOperator("examples/lifecycles/memcached/operator.yaml");
const twins = [
  { file: "operator.ts", kind: Memcached, operator: () => memcached },
  { file: "operator.yaml", kind: written.controllers[0]!.kind, operator: () => written },
] as const;

for (const twin of twins) {
  describeLives(`a memcached by ${twin.file}`, {
    ...twin,
    folder: "memcached",
    samples: { specs: [{}, { size: 2 }] },
    steps: [
      { what: "created", act: ({ create }) => create({ size: 2 }), until: "Run" },
      desire("Service"),
      desire("End"),
      desire("Run"),
      { what: "deleted", act: (hands) => hands.delete(), until: "gone" },
    ],
    outcome: async ({ client }) => (await client.list(Deployment)).items.length,
    expected: 0,
  });
}
