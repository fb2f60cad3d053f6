// A machine of a cloud: made once, lost and replaced, drained and deleted.
import type { Cloud, Instance } from "../../../examples/lifecycles/machine/src/machine/cloud.ts";
import { Machine } from "../../../examples/lifecycles/machine/src/machine/machine.ts";
import { machineOperator } from "../../../examples/lifecycles/machine/operator.ts";
import { Node, Pod, Secret } from "../../../src/kinds/builtin/core.ts";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { describeLives } from "./describe-lives.ts";

/** A cloud that takes a minute to make and to delete an instance. */
class SimulatedCloud implements Cloud {
  readonly made: string[] = [];
  readonly #tokens = new Map<string, string>();
  readonly #instances = new Map<string, { readonly since: number; deleted?: number; volumes: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async make(token: string, flavor: string): Promise<void> {
    if (this.#tokens.has(token)) return;
    const id = `i-${this.#tokens.size + 1}`;
    this.#tokens.set(token, id);
    this.#instances.set(id, { since: this.#clock.now(), volumes: 1 });
    this.made.push(flavor);
  }

  async find(token: string): Promise<Instance | undefined> {
    return this.instance(this.#tokens.get(token) ?? "");
  }

  async instance(id: string): Promise<Instance | undefined> {
    const found = this.#instances.get(id);
    if (found === undefined) return undefined;
    const now = this.#clock.now();
    if (found.deleted !== undefined && now - found.deleted >= 60_000) {
      this.#instances.delete(id);
      return undefined;
    }
    const state =
      found.deleted !== undefined ? "Deleting" : now - found.since < 60_000 ? "Creating" : "Running";
    return { id, state, volumes: found.volumes };
  }

  async delete(id: string): Promise<void> {
    const found = this.#instances.get(id);
    if (found !== undefined) found.deleted ??= this.#clock.now();
  }

  get left(): number {
    return this.#instances.size;
  }

  /** Somebody deletes every instance behind the operator's back. */
  lose(): void {
    this.#instances.clear();
  }

  detachVolumes(): void {
    for (const instance of this.#instances.values()) instance.volumes = 0;
  }
}

async function bootstrap(client: KubeClient): Promise<void> {
  const metadata = { name: "boot", namespace: "default" };
  await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata });
}

/** The instance joins the cluster, with a pod on it. */
async function join(client: KubeClient): Promise<void> {
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "one" } });
  const body = { status: { conditions: [{ type: "Ready", status: "True" }] } };
  await client.patch(Node, { name: "one" }, { type: "merge", body }, { subresource: "status" });
}

describeLives("a machine", {
  folder: "machine",
  kind: Machine,
  world: (clock) => new SimulatedCloud(clock),
  operator: machineOperator,
  samples: {
    specs: [{ bootstrap: "boot" }, { bootstrap: "boot", flavor: "large" }],
    outputs: { makeInstance: ["i-1"] },
  },
  steps: [
    { what: "created", act: ({ create }) => create({ bootstrap: "boot" }), until: "Pending" },
    { what: "bootstrap data", act: ({ client }) => bootstrap(client), until: "Provisioned" },
    { what: "joined", act: ({ client }) => join(client), until: "Running" },
    { what: "lost", act: ({ world }) => world.lose(), until: "Failed" },
    { what: "replaced", act: ({ send }) => send("replace"), until: "Running" },
    { what: "volumes detached", act: ({ world }) => world.detachVolumes(), until: "Running" },
    { what: "deleted", act: (hands) => hands.delete(), until: "gone" },
  ],
  outcome: async ({ world, client }) => ({
    made: world.made,
    left: world.left,
    cordoned: (await client.get(Node, { name: "one" })).spec?.unschedulable,
    pods: (await client.list(Pod)).items.length,
  }),
  expected: { made: ["small", "small"], left: 0, cordoned: true, pods: 0 },
});
