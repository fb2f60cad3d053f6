// The client of a process that may be killed at any of its writes: what a dead process has under way never comes back.
import type { KubeClient } from "../../client/kube-client.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";

/** One write of a simulated process. */
export interface SimulatedWrite {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  readonly kind: string;
  /** Empty when the server makes the name. */
  readonly name: string;
  readonly subresource: string | undefined;
}

/** When a process dies, seen from a write: before the server looks at it, or after it is stored and before it is answered. */
export type DeathMoment = "before" | "after";

/** What a process lives by. */
export interface Mortality {
  isAlive(): boolean;
  /** Decides at each write and moment whether the process dies there; told of every write while it lives. */
  dies(write: SimulatedWrite, moment: DeathMoment): boolean;
  kill(): void;
  /** A write was stored. */
  onWrite(write: SimulatedWrite): void;
}

/** The client as a mortal process has it. */
export function mortalClient(client: KubeClient, life: Mortality): KubeClient {
  const alive = async <T>(call: () => Promise<T>): Promise<T> => {
    if (!life.isAlive()) return never();
    try {
      const result = await call();
      return life.isAlive() ? result : await never();
    } catch (error) {
      if (!life.isAlive()) return never();
      throw error;
    }
  };
  const write = <T>(
    verb: SimulatedWrite["verb"],
    type: ResourceType,
    { name }: ObjectKey,
    subresource: string | undefined,
    call: () => Promise<T>,
  ): Promise<T> =>
    alive(async () => {
      const told: SimulatedWrite = { verb, kind: type.kind, name, subresource };
      if (life.dies(told, "before")) {
        life.kill();
        return never();
      }
      const result = await call();
      life.onWrite(told);
      if (life.isAlive() && life.dies(told, "after")) life.kill();
      return result;
    });
  return {
    server: client.server,
    get: (type, key, options) => alive(() => client.get(type, key, options)),
    list: (type, options) => alive(() => client.list(type, options)),
    watch: (type, options) => client.watch(type, options),
    create: (type, manifest, options) =>
      write("create", type, keyOf(manifest), options?.subresource, () =>
        client.create(type, manifest, options),
      ),
    update: (type, manifest, options) =>
      write("update", type, keyOf(manifest), options?.subresource, () =>
        client.update(type, manifest, options),
      ),
    patch: (type, key, patch, options) =>
      write("patch", type, key, options?.subresource, () => client.patch(type, key, patch, options)),
    apply: (type, manifest, options) =>
      write("apply", type, keyOf(manifest), options.subresource, () => client.apply(type, manifest, options)),
    delete: (type, key, options) =>
      write("delete", type, key, undefined, () => client.delete(type, key, options)),
    request: (request) => alive(() => client.request(request)),
    close: () => client.close(),
  };
}

/** What a dead process waits for. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
