// A memcached, serviced and ended; a new life; deleted while it runs.
import { Memcached } from "../../../examples/lifecycles/memcached/src/memcached/memcached.ts";
import memcached from "../../../examples/lifecycles/memcached/operator.ts";
import { Deployment } from "../../../src/kinds/builtin/apps.ts";
import { describeLives, desire } from "./describe-lives.ts";

describeLives("a memcached", {
  folder: "memcached",
  kind: Memcached,
  operator: () => memcached,
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
