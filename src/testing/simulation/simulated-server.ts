// An API server without sockets on a virtual clock, on which simulations run: the same on every run.
import { createCoreClient } from "../../cluster/api/in-process/core-client.ts";
import type { ApiCore } from "../../cluster/api/api-core.ts";
import { createApiCore } from "../../cluster/api/create-core.ts";
import { registerDefinitions } from "../../cluster/api/custom/crd-registrar.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import { CustomResourceDefinition } from "../../kinds/builtin/apiextensions.ts";
import { crdOf } from "../../kinds/crd.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { Random } from "../../ports/random.ts";
import { createVirtualClock, type VirtualClock } from "../virtual-clock.ts";
import { seededRandom } from "./seeded-random.ts";

/** A simulated API server. */
export interface SimulatedServer {
  readonly core: ApiCore;
  readonly clock: VirtualClock;
  readonly random: Random;
  /** A client of the person at the keyboard. */
  readonly client: KubeClient;
  /** Calls back with each state of the objects of a kind, until the returned function is called. */
  follow(kind: Kind<KubeObject>, see: (object: KubeObject) => void): () => void;
}

/** A server that serves these kinds. `seed`: of everything that is made at random. */
export async function startSimulatedServer(
  kinds: readonly Kind<KubeObject>[],
  seed = 1,
): Promise<SimulatedServer> {
  const clock = createVirtualClock();
  const random = seededRandom(seed);
  let objects = 0;
  const core: ApiCore = {
    ...createApiCore({ clock, random, log: silentLogger }),
    newUid: () => `00000000-0000-4000-8000-${String((objects += 1)).padStart(12, "0")}`,
  };
  registerDefinitions(core);
  const client = createCoreClient({ core, userAgent: "somebody" });
  for (const kind of kinds) {
    await client.apply(CustomResourceDefinition, crdOf(kind), { fieldManager: "somebody", force: true });
  }
  await clock.settle();
  return {
    core,
    clock,
    random,
    client,
    follow(kind, see) {
      const type = core.registry.find(kind.group, kind.version, kind.plural);
      if (type === undefined) throw new Error(`${kind.kind} is not served`);
      return core.store.subscribe(type.storageKey, (change) => see(change.object as unknown as KubeObject));
    },
  };
}
