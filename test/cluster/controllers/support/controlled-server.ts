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
  /** How many writes the controllers have sent. */
  readonly writes: number;
}

/** The client, with each write told. */
function tellingWrites(client: KubeClient, tell: () => void): KubeClient {
  return {
    server: client.server,
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    follow: (type, options, receive) => client.follow(type, options, receive),
    close: () => client.close(),
    exec: (pod, options) => client.exec(pod, options),
    request(raw) {
      if (raw.method !== "GET") tell();
      return client.request(raw);
    },
    create(type, manifest, options) {
      tell();
      return client.create(type, manifest, options);
    },
    update(type, manifest, options) {
      tell();
      return client.update(type, manifest, options);
    },
    patch(type, key, patch, options) {
      tell();
      return client.patch(type, key, patch, options);
    },
    apply(type, manifest, options) {
      tell();
      return client.apply(type, manifest, options);
    },
    delete(type, key, options) {
      tell();
      return client.delete(type, key, options);
    },
  };
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
        let writes = 0;
        controllers = await startControllers({
          client: tellingWrites(ownClient, () => (writes += 1)),
          clock: systemClock,
          random: systemRandom,
          log: silentLogger,
          pods,
          authority: "the authority",
        });
        controlled = {
          client: server().client,
          pods,
          get writes() {
            return writes;
          },
        };
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
