// One controller on a server without sockets, through a faulty client: what its hooks see and what it writes is recorded.
import { inspect } from "node:util";
import { createSharedCache } from "../../../src/cache/shared-cache.ts";
import type { SharedCache } from "../../../src/cache/informer.ts";
import type { KubeClient } from "../../../src/client/kube-client.ts";
import { createController, type Controller } from "../../../src/controller/controller.ts";
import { defineController } from "../../../src/controller/declaration/define-controller.ts";
import type { ControllerOptions } from "../../../src/controller/declaration/controller-options.ts";
import { defineKind, type InstanceOf } from "../../../src/index.ts";
import { ConfigMap } from "../../../src/kinds/index.ts";
import type { KubeObject } from "../../../src/meta/object.ts";
import { formatKey } from "../../../src/meta/object-key.ts";
import type { Logger } from "../../../src/ports/logger.ts";
import type { SimulatedServer } from "../../../src/testing/simulation/simulated-server.ts";
import { startSimulatedServer } from "../../../src/testing/simulation/simulated-server.ts";
import { createCoreClient } from "../../../src/cluster/api/in-process/core-client.ts";
import type { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { z } from "zod";
import { FaultyClient } from "./faulty-client.ts";

/** The kind of the tests. */
export const Widget = defineKind({
  group: "faults.example.com",
  version: "v1",
  kind: "Widget",
  spec: z.object({ size: z.int().default(1), fail: z.boolean().default(false) }),
  status: z.object({ seen: z.int(), phase: z.string() }),
});

export type Widget = InstanceOf<typeof Widget>;

export const namespace = "default";

/** Told of each log line: as a text with everything in it, and as it was given. */
export type LineListener = (
  text: string,
  line: { readonly message: string; readonly fields: Record<string, unknown> },
) => void;

/** An Event that was recorded. */
export interface ToldEvent {
  readonly object: string;
  readonly reason: string;
  readonly note: string;
}

export class FaultyController {
  readonly server: SimulatedServer;
  readonly faults: FaultyClient;
  readonly events: ToldEvent[] = [];
  /** Reconciles ended so far, by key. */
  readonly runs: string[] = [];
  readonly controller: Controller;
  readonly cache: SharedCache;
  readonly #stop = new AbortController();
  readonly #onLine: LineListener;

  private constructor(server: SimulatedServer, options: ControllerOptions<Widget>, onLine: LineListener) {
    this.server = server;
    this.#onLine = onLine;
    const { clock, core, random } = server;
    this.faults = new FaultyClient(createCoreClient({ core, userAgent: "widgets" }), clock);
    const { client } = this.faults;
    const log = this.#recorder();
    this.cache = createSharedCache({ client, clock, random, log });
    this.controller = createController({
      definition: defineController(Widget, { owns: [ConfigMap], ...options }),
      operator: "widgets",
      client,
      cache: this.cache,
      events: {
        record: (regarding, { reason, note }) =>
          this.events.push({ object: formatKey(keyOfObject(regarding)), reason, note }),
        flush: () => Promise.resolve(),
        dropped: 0,
      },
      namespaces: [],
      clock,
      random,
      log,
    });
  }

  static async start(
    options: ControllerOptions<Widget>,
    seed = 1,
    onLine: LineListener = () => undefined,
  ): Promise<FaultyController> {
    const server = await startSimulatedServer([Widget], seed);
    const started = new FaultyController(server, options, onLine);
    started.cache.start(started.#stop.signal);
    await started.cache.whenSynced();
    void started.controller.run();
    await server.clock.settle();
    return started;
  }

  get clock(): VirtualClock {
    return this.server.clock;
  }

  /** The person at the keyboard. */
  get person(): KubeClient {
    return this.server.client;
  }

  async create(name: string, spec: Partial<Widget["spec"]> = {}): Promise<Widget> {
    return this.person.create(Widget, {
      apiVersion: "faults.example.com/v1",
      kind: "Widget",
      metadata: { name, namespace },
      spec,
    });
  }

  /** Changes a field as a person, with a merge patch. */
  edit(name: string, body: object, subresource?: "status"): Promise<Widget> {
    return this.person.patch(
      Widget,
      { name, namespace },
      { type: "merge", body },
      subresource === undefined ? {} : { subresource },
    );
  }

  get(name: string): Promise<Widget> {
    return this.person.get(Widget, { name, namespace });
  }

  async children(): Promise<readonly ConfigMap[]> {
    const { items } = await this.person.list(ConfigMap, { namespace });
    return items.filter(({ metadata }) => metadata.ownerReferences !== undefined);
  }

  /** Reconciles of a widget so far. */
  runsOf(name: string): number {
    return this.runs.filter((key) => key === `${namespace}/${name}`).length;
  }

  async stop(): Promise<void> {
    this.controller.abort();
    this.#stop.abort();
    await this.clock.settle();
  }

  #recorder(bound: Readonly<Record<string, unknown>> = {}): Logger {
    const at = (own: Readonly<Record<string, unknown>>, message: string): void => {
      const fields = { ...bound, ...own };
      if (message === "reconcile ended") this.runs.push(String(bound["object"]));
      this.#onLine(`${message} ${inspect(fields, { depth: 8 })}`, { message, fields });
    };
    return {
      child: (fields) => this.#recorder({ ...bound, ...fields }),
      debug: at,
      info: at,
      warn: at,
      error: at,
    };
  }
}

function keyOfObject({ metadata: { name, namespace: space } }: KubeObject): {
  name: string;
  namespace?: string;
} {
  return space === undefined ? { name } : { name, namespace: space };
}
