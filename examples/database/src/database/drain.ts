// The task behind Stopping: nobody new is let in, and those who are connected get some time to finish.
import type { HookContext, TaskCall, TaskDefinition, TaskObservation } from "xstate-operator";
import type { Database } from "./database.ts";
import { messageOf, withConnection } from "../postgres/connection.ts";
import { admitConnections, askHealth, endConnections } from "../postgres/questions.ts";
import { applicationDatabase } from "../postgres/settings.ts";
import { serverAddress } from "./server-address.ts";

type Call = HookContext<Database> & TaskCall;

/** Closes the application's database and waits for its connections to end; those that stay too long are ended. */
export const drain: TaskDefinition<HookContext<Database>> = {
  start: startDrain,
  // Before a start that is known of, there is no deadline yet until which connections may stay.
  observe: (call) => (call.started ? observeDrain(call) : { phase: "NotFound" }),
  cancel: reopen,
  retry: { attempts: 5, delay: "2s" },
  poll: "1s",
};

async function startDrain(call: Call): Promise<{ deadline: string }> {
  const deadline = call.clock.now() + call.cr.spec.drainSeconds * 1_000;
  await observeDrain({ ...call, handle: { deadline: new Date(deadline).toISOString() } });
  return { deadline: new Date(deadline).toISOString() };
}

/** Closes the database if it is open, which it is again after each start of the server, and looks who is left. */
async function observeDrain(call: Call): Promise<TaskObservation> {
  const address = serverAddress(call);
  if (address === undefined) return { phase: "Succeeded", message: "the server is gone already" };
  const left = secondsLeft(call.handle, call.clock.now());
  try {
    return await withConnection(address, call.signal, async (client) => {
      const { open } = await askHealth(client, applicationDatabase);
      if (open) await admitConnections(client, applicationDatabase, false);
      const { connections } = await askHealth(client, applicationDatabase);
      if (connections === 0) return { phase: "Succeeded", message: "no connection is left" };
      if (left > 0) {
        const message = `${connections} ${connections === 1 ? "connection has" : "connections have"} ${left} s left`;
        return { phase: "Running", message };
      }
      const ended = await endConnections(client, applicationDatabase);
      return {
        phase: "Succeeded",
        message: `${ended} ${ended === 1 ? "connection was" : "connections were"} ended`,
      };
    });
  } catch (error) {
    call.signal.throwIfAborted();
    // A server that does not answer has nobody to wait for; but it may come back.
    return { phase: left > 0 ? "Running" : "Succeeded", message: messageOf(error) };
  }
}

/** The stop was called off: clients are welcome again. */
async function reopen(call: Call): Promise<void> {
  const address = serverAddress(call);
  if (address === undefined) return;
  await withConnection(address, call.signal, (client) => admitConnections(client, applicationDatabase, true));
}

/** Whole seconds until the deadline that `start` has handed over; 0 when there is none. */
export function secondsLeft(handle: unknown, now: number): number {
  const deadline = Date.parse(String((handle as { deadline?: unknown } | null | undefined)?.deadline));
  return Number.isNaN(deadline) ? 0 : Math.max(0, Math.ceil((deadline - now) / 1_000));
}
