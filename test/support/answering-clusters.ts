// The embedded cluster and the real API server side by side for tools that talk to pods, as the clusters of a suite.
import { afterAll, beforeAll } from "vitest";
import { startAnsweringPods, type AnsweringPods } from "./answering-pods.ts";
import { startEmbedded, startReal, type ClusterForOperator } from "./side-by-side.ts";

/** Starts both before the tests of the suite that calls it, and stops them after; the list is empty until then. */
export function answeringClusters(): readonly ClusterForOperator[] {
  const clusters: ClusterForOperator[] = [];
  let pods: AnsweringPods;
  beforeAll(async () => {
    pods = await startAnsweringPods();
    clusters.push(...(await Promise.all([startEmbedded({ pods: pods.create() }), startReal(pods.create())])));
  });
  afterAll(async () => {
    await Promise.all(clusters.map((each) => each.stop()));
    pods.stop();
  });
  return clusters;
}
