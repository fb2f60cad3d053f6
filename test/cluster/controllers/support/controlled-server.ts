// Runs one suite with our controllers: on the embedded cluster, and on a real API server that has none of its own.
import { afterAll, beforeAll, describe } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import {
  startControllers,
  type RunningControllers,
} from "../../../../src/cluster/controllers/start-controllers.ts";
import {
  createSimulatedPods,
  type SimulatedPods,
} from "../../../../src/cluster/pods/simulated/simulated-pods.ts";
import { silentLogger } from "../../../../src/ports/logger.ts";
import { systemRandom } from "../../../../src/ports/random.ts";
import { systemClock } from "../../../../src/ports/system-clock.ts";
import { type ApiServerUnderTest, clientOf, describeOnEachApiServer } from "../../../support/api-servers.ts";

export interface ControlledServer {
  readonly client: KubeClient;
  readonly pods: SimulatedPods;
}

/** Declares the suite on each API server; the controllers under test run on both. */
export function describeWithControllers(name: string, suite: (server: () => ControlledServer) => void): void {
  describeOnEachApiServer(
    name,
    (server: () => ApiServerUnderTest) => {
      let controlled: ControlledServer | undefined;
      let controllers: RunningControllers | undefined;
      let ownClient: KubeClient | undefined;
      beforeAll(async () => {
        const pods = createSimulatedPods({ startDelay: 20 });
        ownClient = await clientOf(server().kubeconfig, "controllers-under-test");
        controllers = await startControllers({
          client: ownClient,
          clock: systemClock,
          random: systemRandom,
          log: silentLogger,
          pods,
        });
        controlled = { client: server().client, pods };
      });
      afterAll(async () => {
        await controllers?.stop();
        await ownClient?.close();
      });
      describe("controllers", () => {
        suite(() => {
          if (controlled === undefined) throw new Error("the controllers have not started");
          return controlled;
        });
      });
    },
    {
      embedded: { controllers: false },
      real: {
        controllers: "none",
        // Nobody makes the tokens that this plug-in wants to mount.
        apiServerFlags: ["--disable-admission-plugins=ServiceAccount"],
      },
    },
  );
}
