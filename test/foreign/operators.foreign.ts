// Operators that others wrote, unchanged: each is started on the embedded cluster and on a real control plane, the same is done with its
// resources on both, and what is there then has to be the same.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimulatedPods } from "../../src/cluster/index.ts";
import { eventually } from "../support/eventually.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { shop, startEmbedded, startReal, type ClusterForOperator } from "../support/side-by-side.ts";
import {
  startForeignOperator,
  type ForeignOperator,
  type RunningForeignOperator,
} from "./operators/foreign-operator.ts";
import {
  argoRollouts,
  prometheusOperator,
  rabbitmqOperator,
  sampleController,
} from "./operators/go-operators.ts";
import { certManager } from "./operators/cert-manager.ts";
import { cloudNativePg } from "./operators/cloud-native-pg.ts";
import { daskOperator } from "./operators/dask-operator.ts";
import { kustomizeController } from "./operators/flux.ts";
import { gatekeeper } from "./operators/gatekeeper.ts";
import { jobSet } from "./operators/job-set.ts";
import { tomcatOperator, webPageOperator } from "./operators/java-operators.ts";
import { kro } from "./operators/kro.ts";
import { kueue } from "./operators/kueue.ts";
import { leaderWorkerSet } from "./operators/leader-worker-set.ts";
import { canIsolate } from "./operators/network-of-its-own.ts";
import { kopfExamples } from "./operators/kopf-operator.ts";
import { kaniop, kuberatorExample } from "./operators/rust-operators.ts";
import { tekton } from "./operators/tekton.ts";
import { kuberay } from "./operators/kuberay.ts";
import { externalSecrets } from "./operators/external-secrets.ts";
import { elastic } from "./operators/elastic.ts";
import { keda } from "./operators/keda.ts";
import { clusterApi } from "./operators/cluster-api.ts";
import { verticalPodAutoscaler } from "./operators/vertical-pod-autoscaler.ts";
import { karpenter } from "./operators/karpenter.ts";
import { descheduler } from "./operators/descheduler.ts";
import { flinkOperator } from "./operators/flink.ts";
import { sealedSecrets } from "./operators/sealed-secrets.ts";
import { trainingOperator } from "./operators/training-operator.ts";
import { knative } from "./operators/knative.ts";
import { contour } from "./operators/contour.ts";
import { snapshotController } from "./operators/snapshot-controller.ts";
import { knownDifference } from "../support/known-differences.ts";
import {
  differencesBetween,
  leftBehind,
  listableTypes,
  showDifference,
  type Difference,
} from "../support/left-behind.ts";

const chosen = process.env["FOREIGN_OPERATORS"]?.split(",");
const operators = [
  sampleController,
  argoRollouts,
  prometheusOperator,
  rabbitmqOperator,
  certManager,
  leaderWorkerSet,
  jobSet,
  kueue,
  tekton,
  gatekeeper,
  kustomizeController,
  cloudNativePg,
  kro,
  kuberay,
  externalSecrets,
  elastic,
  keda,
  clusterApi,
  verticalPodAutoscaler,
  karpenter,
  descheduler,
  snapshotController,
  contour,
  knative,
  sealedSecrets,
  trainingOperator,
  kopfExamples,
  daskOperator,
  webPageOperator,
  tomcatOperator,
  flinkOperator,
  kaniop,
  kuberatorExample,
].filter(({ name }) => chosen === undefined || chosen.some((each) => name.startsWith(each)));

/** Milliseconds for a step on a machine that does other things as well. */
const longestStep = 240_000;

const table: Record<string, string>[] = [];
const known = new Map<string, number>();
afterAll(() => {
  console.table(table);
  for (const [reason, times] of known) console.log(`differs ${times} times, knowingly: ${reason}`);
});

for (const operator of operators) {
  const { namespace = shop, controllerFlags = [] } = operator;
  describeOnRealApiServer(`${operator.name} on the embedded cluster and`, () => {
    const obtained = operator.obtain();
    const program =
      "isolated" in obtained && !canIsolate
        ? { failure: "it listens on every address, and this machine makes no network for it (unshare --net)" }
        : obtained;
    if ("failure" in program) console.log(`skipped: ${operator.name}: ${program.failure}`);

    describe.skipIf("failure" in program)(operator.version, () => {
      let clusters: readonly [ClusterForOperator, ClusterForOperator];
      const running: RunningForeignOperator[] = [];

      beforeAll(async () => {
        if ("failure" in program) return;
        const [pods, others] = [createSimulatedPods(), createSimulatedPods()];
        operator.prepare?.(pods);
        operator.prepare?.(others);
        clusters = await Promise.all([startEmbedded({ pods }), startReal(others, { controllerFlags })]);
        for (const cluster of clusters) {
          running.push(await startForeignOperator(operator.name.replace(/ .*/, ""), program, cluster));
        }
      });
      afterAll(async () => {
        await Promise.all(running.map((each) => each.stop()));
        await Promise.all(clusters.map((each) => each.stop()));
      });

      it.each(operator.steps)("$name", async (step) => {
        const before = clusters.map((cluster) => cluster.writes().length);
        const { refused } = step;
        const seconds = await Promise.all(
          clusters.map(async (cluster, index) => {
            const kubectl = (command: string): Promise<string> =>
              cluster.kubectl(["--namespace", namespace, ...command.split(" ")]);
            const begun = performance.now();
            // Who answers for a type may still be starting, such as the account of a new namespace.
            await eventually(async () => {
              if (step.apply !== undefined)
                await cluster.kubectl(["--namespace", namespace, "apply", "--filename", "-"], step.apply);
            });
            for (const command of step.kubectl ?? []) await kubectl(command);
            await step.perform?.(cluster.client);
            if (refused !== undefined) {
              await eventually(async () => {
                const said = await refusalOf(cluster, namespace, refused);
                expect(said).toMatch(/denied (?:the )?request|is invalid/);
              }, longestStep);
            }
            for (const command of step.reached) {
              await eventually(() => {
                const { said, exitCode } = running[index]!;
                expect(exitCode(), said()).toBe(undefined);
                return kubectl(`${command} --timeout=10s`);
              }, longestStep);
            }
            return (performance.now() - begun) / 1_000;
          }),
        );
        if (refused !== undefined) {
          // Of several rules that refuse it, one may hold later on the one than on the other.
          await eventually(async () => {
            const [embedded, real] = await Promise.all(
              clusters.map((cluster) => refusalOf(cluster, namespace, refused)),
            );
            expect(embedded).toBe(real);
          });
        }
        const remaining = await eventually(async () => {
          const differences = await compare(operator);
          expect(differences.map(showDifference)).toEqual([]);
          return differences;
        }, 60_000);
        const writes = clusters.map((cluster, index) => cluster.writes().length - before[index]!);
        table.push({
          operator: operator.name,
          version: operator.version,
          step: step.name,
          "steady after, s": inPairs(seconds.map((each) => each.toFixed(1))),
          writes: inPairs(writes),
          differs: String(remaining.length),
        });
      });

      async function compare({
        random = [],
        names,
        clusterWide,
      }: ForeignOperator): Promise<readonly Difference[]> {
        const [embedded, real] = await Promise.all(
          clusters.map(async ({ client }) =>
            leftBehind(client, namespace, await listableTypes(client, clusterWide), names),
          ),
        );
        const reasons: string[] = [];
        const differences = differencesBetween(embedded!, real!).filter((difference) => {
          if (random.some(([object, path]) => object.test(difference.object) && path.test(difference.path)))
            return false;
          const reason = knownDifference(difference);
          if (reason !== undefined) reasons.push(reason);
          return reason === undefined;
        });
        if (differences.length === 0) {
          for (const reason of reasons) known.set(reason, (known.get(reason) ?? 0) + 1);
        }
        return differences;
      }
    });
  });
}

/** What `kubectl apply` of manifests is refused with; rejects where it is not. */
async function refusalOf(cluster: ClusterForOperator, namespace: string, manifests: string): Promise<string> {
  try {
    await cluster.kubectl(["--namespace", namespace, "apply", "--filename", "-"], manifests);
  } catch (error) {
    return (error as Error).message.replaceAll(/localhost:\d+/g, "localhost");
  }
  throw new Error("it was not refused");
}

function inPairs(each: readonly unknown[]): string {
  return `${String(each[0])} embedded, ${String(each[1])} real`;
}
