// What the built-in controllers of the embedded cluster leave, beside what Kubernetes' own leave on a real API server after the same
// was done: every object of the namespace, but for times, versions and names that are drawn at random.
//   SLOW_ACTS=all also those that take as long as Kubernetes' own delays: ten seconds and minutes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { createSimulatedPods, type SimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import { Namespace } from "../../src/kinds/builtin/core.ts";
import { eventually } from "../support/eventually.ts";
import { knownDifference } from "../support/known-differences.ts";
import {
  differencesBetween,
  leftBehind,
  listableTypes,
  showDifference,
  type ListableTypes,
} from "../support/left-behind.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { shop, startEmbedded, startReal, type ClusterForOperator } from "../support/side-by-side.ts";
import { soon, Stage, type Act } from "./beside-kubernetes/act.ts";
import { deploymentActs } from "./beside-kubernetes/deployment-acts.ts";
import { failing, jobActs, lasting, slowJobActs } from "./beside-kubernetes/job-acts.ts";
import { kubectlActs } from "./beside-kubernetes/kubectl-acts.ts";
import { nodeActs } from "./beside-kubernetes/node-acts.ts";
import { otherActs } from "./beside-kubernetes/other-acts.ts";
import { storageActs } from "./beside-kubernetes/storage-acts.ts";
import { statefulSetActs } from "./beside-kubernetes/stateful-set-acts.ts";

const isSlow = process.env["SLOW_ACTS"] === "all";
const slowActs = isSlow ? slowJobActs : [];

/** Pods whose labels say how they end. */
function fatedPods(): SimulatedPods {
  const pods = createSimulatedPods();
  pods.simulate({ labels: failing }, { exit: { code: 42 } });
  pods.simulate({ labels: lasting }, {});
  return pods;
}

interface Side {
  readonly cluster: ClusterForOperator;
  readonly types: ListableTypes;
  readonly stage: Stage;
}

describeOnRealApiServer(
  "what the controllers leave on the embedded cluster and",
  () => {
    let sides: readonly Side[] = [];
    beforeAll(async () => {
      const clusters = await Promise.all([startEmbedded({ pods: fatedPods() }), startReal(fatedPods())]);
      sides = await Promise.all(
        clusters.map(async (cluster) => ({
          cluster,
          types: await listableTypes(cluster.client),
          stage: new Stage(cluster.client, shop),
        })),
      );
    });
    afterAll(() => Promise.all(sides.map(({ cluster }) => cluster.stop())));

    /** Both clusters come to the same in a namespace. */
    const compare = (namespace = shop): Promise<void> =>
      eventually(async () => {
        const [embedded, real] = await Promise.all(
          sides.map(({ cluster, types }) => leftBehind(cluster.client, namespace, types)),
        );
        const differences = differencesBetween(embedded!, real!);
        expect(differences.filter((each) => knownDifference(each) === undefined).map(showDifference)).toEqual(
          [],
        );
      });

    it.each(kubectlActs)("$name", async ({ apply, kubectl = [], reached }) => {
      await Promise.all(
        sides.map(async ({ cluster }) => {
          const run = (command: string): Promise<string> =>
            cluster.kubectl(["--namespace", shop, ...command.split(" ")]);
          // The account of the namespace may still be on its way.
          await eventually(() =>
            apply === undefined
              ? ""
              : cluster.kubectl(["--namespace", shop, "apply", "--filename", "-"], apply),
          );
          for (const command of kubectl) await run(command);
          for (const command of reached) await eventually(() => run(`${command} --timeout=10s`), 60_000);
        }),
      );
      await compare();
    });

    const perform = ({ apply = [], does, until, limit }: Act): Promise<unknown> =>
      Promise.all(
        sides.map(async ({ stage }) => {
          for (const manifest of apply) await stage.apply(manifest);
          await does?.(stage);
          if (until !== undefined) await soon(() => until(stage), limit);
        }),
      );

    describe.each([
      ["deployments", deploymentActs],
      ["stateful sets", statefulSetActs],
      ["jobs", [...jobActs, ...slowActs]],
      ["other objects", otherActs],
      ["storage", storageActs],
      ["nodes", nodeActs],
    ])("%s", (_, acts) => {
      it.each(acts)(
        "$name",
        async (act) => {
          await perform(act);
          await compare();
        },
        180_000,
      );
    });

    describe("a namespace", () => {
      const annex = "annex";
      const on = (act: (client: KubeClient, stage: Stage) => Promise<unknown>): Promise<unknown> =>
        Promise.all(sides.map(({ cluster: { client } }) => act(client, new Stage(client, annex))));
      const map = (name: string, more: object = {}) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, ...more },
      });
      /** What is said of the namespace, but for times and uids. */
      const status = async ({ cluster: { client } }: Side): Promise<unknown> => {
        const { spec, status: said } = await client.get(Namespace, { name: annex });
        const conditions = said?.conditions?.map((each) => ({ ...each, lastTransitionTime: "" }));
        return { spec, status: { ...said, conditions } };
      };

      it("has an account and the authority of the cluster", async () => {
        await on(async (client, stage) => {
          const metadata = { name: annex };
          await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
          await soon(
            async () =>
              (await stage.find("ServiceAccount", "default")) !== undefined &&
              (await stage.find("ConfigMap", "kube-root-ca.crt")) !== undefined,
          );
          await stage.apply(map("kept", { finalizers: ["example.com/kept"] }));
          await stage.apply(map("plain"));
        });
        await compare(annex);
      });

      // The real one looks again after five seconds.
      if (!isSlow) return;

      it("waits for what finalizers keep, and says so", async () => {
        await on((client) => client.delete(Namespace, { name: annex }));
        await eventually(async () => {
          const [embedded, real] = await Promise.all(sides.map(status));
          expect(embedded).toEqual(real);
          expect(JSON.stringify(real)).toContain("NamespaceFinalizersRemaining");
        });
        await compare(annex);
      });

      it("is gone when they do", async () => {
        await on(async (_, stage) => {
          await stage.patch("ConfigMap", "kept", { metadata: { finalizers: null } });
          await soon(async () => (await stage.find("Namespace", annex)) === undefined);
        });
      });
    });
  },
  { long: true },
);
