// Runs one suite on every API server there is: the embedded one, and a real kube-apiserver when its binaries are there.
// The real one is right; a suite that passes there and not on the embedded one has found a fault of the embedded one.
import { afterAll, beforeAll, describe } from "vitest";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { ClusterFaults } from "../../src/cluster/cluster-faults.ts";
import type { ClusterOptions } from "../../src/cluster/cluster.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";
import { leaseControlPlane, type LeasedControlPlane } from "./leased-control-plane.ts";
import { describeOnRealApiServer, type RealSuiteOptions } from "./real-api-server.ts";

/** An API server that a suite runs on. */
export interface ApiServerUnderTest {
  readonly kind: "embedded" | "real";
  readonly url: string;
  readonly kubeconfig: string;
  /** A client of the administrator. */
  readonly client: KubeClient;
  /** The control plane behind the real one. */
  readonly plane?: LeasedControlPlane;
  /** What the embedded one can be told to do wrong. */
  readonly faults?: ClusterFaults;
}

/** What the suite needs on each side. */
export interface SuiteOptions extends RealSuiteOptions {
  readonly embedded?: ClusterOptions;
  readonly real?: ControlPlaneOptions;
}

/** A client of the user of a kubeconfig file. */
export async function clientOf(kubeconfig: string, userAgent = "test"): Promise<KubeClient> {
  return createKubeClient(await loadConnection({ path: kubeconfig, env: {} }), { userAgent });
}

/** Declares the suite once for the embedded API server and once for the real one; the latter is skipped aloud without binaries. */
export function describeOnEachApiServer(
  name: string,
  suite: (server: () => ApiServerUnderTest) => void,
  options: SuiteOptions = {},
): void {
  const declare = (start: () => Promise<ApiServerUnderTest & { stop(): Promise<void> }>): void => {
    let server: (ApiServerUnderTest & { stop(): Promise<void> }) | undefined;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(async () => {
      await server?.client.close();
      await server?.stop();
    });
    suite(() => {
      if (server === undefined) throw new Error("the API server has not started");
      return server;
    });
  };
  describe(`${name} on the embedded API server`, () => {
    declare(async () => {
      const cluster = await startCluster(options.embedded ?? {});
      return {
        kind: "embedded",
        url: cluster.url,
        kubeconfig: cluster.kubeconfig,
        client: await clientOf(cluster.kubeconfig),
        faults: cluster.faults,
        stop: () => cluster.stop(),
      };
    });
  });
  describeOnRealApiServer(
    name,
    () => {
      declare(async () => {
        const plane = await leaseControlPlane(options.real);
        return {
          kind: "real",
          url: plane.url,
          kubeconfig: plane.kubeconfig,
          client: await clientOf(plane.kubeconfig),
          plane,
          stop: () => plane.stop(),
        };
      });
    },
    options,
  );
}
