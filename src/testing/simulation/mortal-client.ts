// The client of a process that may be killed at any of its writes: what a dead process has under way never comes back.
import { isWrite, layered, type Send, type WriteCall } from "../../client/client-layers.ts";
import type { KubeClient } from "../../client/kube-client.ts";

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
  /** Decides at each write and moment whether the process dies there; called with every write while it lives. */
  dies(write: SimulatedWrite, moment: DeathMoment): boolean;
  kill(): void;
  /** A write was stored. */
  onWrite(write: SimulatedWrite): void;
}

/** The client as a mortal process has it. */
export function mortalClient(client: KubeClient, life: Mortality): KubeClient {
  return layered(client, {
    place: "life",
    request: async (call, send) => {
      if (!life.isAlive()) return never();
      try {
        const answer = await (isWrite(call) ? write(life, call, send) : send(call));
        return life.isAlive() ? answer : await never();
      } catch (error) {
        if (!life.isAlive()) return never();
        throw error;
      }
    },
  });
}

async function write(life: Mortality, call: WriteCall, send: Send): Promise<unknown> {
  const { verb, type, options } = call;
  const subresource = "subresource" in options ? options.subresource : undefined;
  const { name } = "key" in call ? call.key : call.manifest.metadata;
  const sent: SimulatedWrite = { verb, kind: type.kind, name, subresource };
  if (life.dies(sent, "before")) {
    life.kill();
    return never();
  }
  const answer = await send(call);
  life.onWrite(sent);
  if (life.isAlive() && life.dies(sent, "after")) life.kill();
  return answer;
}

/** What a dead process waits for. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
