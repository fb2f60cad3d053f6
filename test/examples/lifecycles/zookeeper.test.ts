// A ZooKeeper by plans: deployed, a step fails and is tried again, an update fails and is rolled back.
import zookeeper from "../../../examples/lifecycles/zookeeper/operator.ts";
import { ZooKeeper } from "../../../examples/lifecycles/zookeeper/src/zookeeper/zookeeper.ts";
import { StatefulSet } from "../../../src/kinds/builtin/apps.ts";
import { Job } from "../../../src/kinds/builtin/batch.ts";
import { ConfigMap } from "../../../src/kinds/builtin/core.ts";
import { describeLives } from "./describe-lives.ts";

const key = { namespace: "default", name: "one" };
let repair: () => void = () => undefined;

describeLives("a ZooKeeper by plans", {
  folder: "zookeeper",
  kind: ZooKeeper,
  world: () => ({}),
  operator: () => zookeeper,
  samples: { specs: [{}, { tickTime: 500 }, { version: "4" }] },
  steps: [
    {
      what: "created, and its validation fails",
      act: async ({ create, pods }) => {
        repair = pods.simulate({ image: /zookeeper/, name: /^(?!one-)/ }, { exit: { code: 1 } });
        await create({});
      },
      until: "Deploy:Validation:FatalError",
    },
    {
      what: "retried",
      act: async ({ send, pods }) => {
        repair();
        pods.simulate({ image: /zookeeper/, name: /^(?!one-)/ }, { exit: { code: 0 } });
        await send("retry");
      },
      until: "Complete",
    },
    {
      what: "a version whose image is missing",
      act: async ({ edit, pods }) => {
        repair = pods.simulate({ image: /:4$/ }, { imagePullFails: true });
        await edit({ version: "4" });
      },
      until: "Update:FatalError",
    },
    { what: "rolled back", act: ({ send }) => send("rollBack"), until: "Complete" },
    { what: "deleted", act: (hands) => hands.delete(), until: "gone" },
  ],
  outcome: async ({ client }) => ({
    sets: (await client.list(StatefulSet)).items.length,
    jobs: (await client.list(Job)).items.length,
    configs: (await client.list(ConfigMap)).items.filter(({ metadata }) => metadata.name === key.name).length,
  }),
  expected: { sets: 0, jobs: 0, configs: 0 },
});
