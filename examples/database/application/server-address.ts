// Where a Database's server is right now, from the cache: its pod and its Secret.
import type { HookContext } from "xstate-operator";
import { Pod, Secret, secretValue } from "xstate-operator/kinds";
import type { Database } from "../database.ts";
import type { ServerAddress } from "../postgres/connection.ts";
import { keyFor, podKey } from "../resources/names.ts";

/** What is needed of a hook's context. */
export type Lookup = Pick<HookContext<Database>, "cr" | "lookUp">;

/** The port of a server as its pod has it: the Database may already ask for another one. */
function portOf(pod: Pod | undefined): number | undefined {
  return pod?.spec.containers[0]?.ports?.[0]?.containerPort;
}

/** The address of the server with the superuser's password, or undefined while there is no pod that could answer. */
export function serverAddress({ cr, lookUp }: Lookup): ServerAddress | undefined {
  const pod = lookUp(Pod, podKey(cr));
  const secret = lookUp(Secret, keyFor(cr, "-secret"));
  const host = pod?.metadata.deletionTimestamp === undefined ? pod?.status?.podIP : undefined;
  const password = secret && secretValue(secret, "superuser-password");
  if (host === undefined || password === undefined) return undefined;
  return { host, port: portOf(pod) ?? cr.spec.port, user: "postgres", password, database: "postgres" };
}
