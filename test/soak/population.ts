// The resources of the soak and the people who change them: every change is tried until the API server has taken it, so
// that in the end everybody knows what each resource was asked for last.
import { setTimeout as delay } from "node:timers/promises";
import type { Manifest } from "../../src/index.ts";
import { isAlreadyExists, isNotFound, type KubeClient } from "../../src/client/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { isInvalid } from "../../src/client/api-error.ts";
import type { Random } from "../../src/ports/random.ts";
import { childOf, Engine, group, Widget } from "./soak-operator.ts";

export const namespace = "default";

/** What a resource was asked for last. */
export interface Asked {
  readonly kind: "Widget" | "Engine";
  readonly name: string;
  size: number;
  /** Services asked for in this life, each of them after the one before was done. */
  services: number;
}

/** What people do, and how often in a hundred times. */
const deeds = [
  ["resize", 70],
  ["service", 15],
  ["deleteChild", 5],
  ["spoilChild", 5],
  ["bearAnew", 5],
] as const;

type Deed = (typeof deeds)[number][0];

/** The resources and those who change them. */
export class Population {
  readonly resources: readonly Asked[];
  /** Changes that were taken, by kind. */
  readonly done = new Map<Deed, number>();
  /** Changes that could not be made within three minutes. */
  readonly failures: string[] = [];
  readonly #client: KubeClient;
  readonly #random: Random;
  readonly #busy = new Set<Asked>();
  #under = new Set<Promise<void>>();

  /** One in five has a life. */
  constructor(client: KubeClient, count: number, random: Random) {
    this.#client = client;
    this.#random = random;
    this.resources = Array.from({ length: count }, (_, index) => ({
      kind: index % 5 === 0 ? "Engine" : "Widget",
      name: `n${index}`,
      size: 1,
      services: 0,
    }));
  }

  /** Creates all of them. */
  create(): Promise<void> {
    return this.#each((resource) => this.#create(resource));
  }

  /** Deletes all of them; the operator and the garbage collector have yet to do their part. */
  delete(): Promise<void> {
    return this.#each((resource) => this.#delete(resource));
  }

  /** Changes so many resources a second until the signal is aborted; then waits for those that are under way. */
  async change(rate: number, signal: AbortSignal): Promise<void> {
    const started = performance.now();
    let begun = 0;
    while (!signal.aborted) {
      const due = Math.floor(((performance.now() - started) / 1_000) * rate);
      // What could not be done in time is not made up for: a person does not type faster after a pause.
      for (; begun < due; begun += 1) if (this.#under.size < 64) this.#begin();
      await delay(1_000 / rate);
    }
    await Promise.all(this.#under);
  }

  /** Does it for all of them, 16 at a time. */
  async #each(act: (resource: Asked) => Promise<void>): Promise<void> {
    const left = [...this.resources];
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) await act(next);
      }),
    );
  }

  get changes(): number {
    return [...this.done.values()].reduce((sum, count) => sum + count, 0);
  }

  #begin(): void {
    const resource = this.resources[Math.floor(this.#random() * this.resources.length)];
    if (resource === undefined || this.#busy.has(resource)) return;
    this.#busy.add(resource);
    const work = this.#change(this.#choose(), resource).finally(() => {
      this.#busy.delete(resource);
      this.#under.delete(work);
    });
    this.#under.add(work);
  }

  async #change(deed: Deed, resource: Asked): Promise<void> {
    try {
      if (await this.#do(deed, resource)) this.done.set(deed, (this.done.get(deed) ?? 0) + 1);
    } catch (error) {
      this.failures.push(`${deed} ${resource.kind}/${resource.name}: ${String(error)}`);
    }
  }

  #choose(): Deed {
    let left = this.#random() * 100;
    for (const [deed, share] of deeds) {
      left -= share;
      if (left < 0) return deed;
    }
    return "resize";
  }

  /** Whether there was something to be done. */
  async #do(deed: Deed, resource: Asked): Promise<boolean> {
    const child = childKeyOf(resource);
    if (deed === "service") return resource.kind === "Engine" && this.#service(resource);
    if (deed === "resize") {
      resource.size += 1;
      await this.#patch(resource, { spec: { size: resource.size } });
    } else if (deed === "deleteChild") {
      await persist(() => unlessGone(this.#client.delete(ConfigMap, child)));
    } else if (deed === "spoilChild") {
      const body = { data: { size: "spoilt" } };
      await persist(() => unlessGone(this.#client.patch(ConfigMap, child, { type: "merge", body })));
    } else {
      await this.#bearAnew(resource);
    }
    return true;
  }

  /** Asks for a service, if the one before is done. */
  async #service(resource: Asked): Promise<boolean> {
    const { status } = await persist(() => this.#client.get(Engine, keyOf(resource)));
    const target = status?.lifecycle?.target;
    if (target === undefined || !target.reached || target.request !== requestOf(resource)) return false;
    resource.services += 1;
    const lifecycle = { desiredState: "Servicing", request: requestOf(resource) };
    await this.#patch(resource, { spec: { lifecycle } });
    return true;
  }

  async #bearAnew(resource: Asked): Promise<void> {
    const type = typeOf(resource.kind);
    const before = await persist(() => this.#client.get(type, keyOf(resource)));
    await this.#delete(resource);
    await persist(async () => {
      const left = await unlessGone<Widget | Engine>(this.#client.get(type, keyOf(resource)));
      if (left !== undefined)
        throw new Error(
          `still there: ${JSON.stringify({ ...left.metadata, managedFields: [], status: left.status })}`,
        );
    });
    resource.services = 0;
    await this.#create(resource);
    // Else it would be taken for a new one.
    const { uid } = (await persist(() => this.#client.get(type, keyOf(resource)))).metadata;
    if (uid === before.metadata.uid)
      throw new Error(`${uid} is still there, after the API server had said that it is gone`);
  }

  async #delete(resource: Asked): Promise<void> {
    const options = { propagationPolicy: "Background" } as const;
    const type = typeOf(resource.kind);
    await persist(() => unlessGone(this.#client.delete(type, keyOf(resource), options)));
  }

  async #create(resource: Asked): Promise<void> {
    const { kind, size } = resource;
    const manifest: Manifest & { readonly spec: object } = {
      apiVersion: `${group}/v1`,
      kind,
      metadata: keyOf(resource),
      spec: { size },
    };
    await persist(async () => {
      try {
        await this.#client.create(typeOf(kind), manifest);
      } catch (error) {
        // The answer to an earlier attempt was lost.
        if (!isAlreadyExists(error)) throw error;
      }
    });
  }

  async #patch(resource: Asked, body: object): Promise<void> {
    await persist(() => this.#client.patch(typeOf(resource.kind), keyOf(resource), { type: "merge", body }));
  }
}

export function keyOf({ name }: Asked): { readonly name: string; readonly namespace: string } {
  return { name, namespace };
}

/** The text by which the last service was asked for. */
export function requestOf({ services }: Asked): string | undefined {
  return services === 0 ? undefined : String(services);
}

function typeOf(kind: Asked["kind"]): typeof Widget | typeof Engine {
  return kind === "Widget" ? Widget : Engine;
}

function childKeyOf({ kind, name, size }: Asked): { readonly name: string; readonly namespace: string } {
  const parent = { kind, metadata: { name, namespace }, spec: { size } } as Widget;
  return { name: childOf(parent).metadata.name, namespace };
}

async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Tries until it is done: the API server may be away for a while. What it refuses for good fails. */
async function persist<T>(act: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 180_000;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (isInvalid(error) || performance.now() > deadline) throw error;
      await delay(250);
    }
  }
}
