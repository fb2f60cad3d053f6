// Where a Database's server and its sidecar are right now, from the cache: its pod and its Secret.
import type { HookContext } from "xstate-operator";
import { Pod, Secret, secretValue } from "xstate-operator/kinds";
import { createSidecarClient } from "xstate-operator/remote";
import type { Database } from "./database.ts";
import type { ServerAddress } from "../postgres/connection.ts";
import { keyFor, podKey } from "./resources/names.ts";

/** What is needed of a hook's context. */
export type Lookup = Pick<HookContext<Database>, "cr" | "lookUp">;

/** The sidecars of all Databases: each has a token of its own. */
export const sidecars = createSidecarClient<Database>({
  url: (_cr, call) => {
    const place = placeOf(call, "sidecar");
    return place === undefined ? undefined : `http://${place.host}:${place.port}`;
  },
  token: (_cr, call) => secretOf(call, "sidecar-token"),
  timeout: "3s",
});

/** The address of the server with the superuser's password, or undefined while there is no pod that could answer. */
export function serverAddress(call: Lookup): ServerAddress | undefined {
  const place = placeOf(call, "postgresql");
  const password = secretOf(call, "superuser-password");
  if (place === undefined || password === undefined) return undefined;
  return { ...place, user: "postgres", password, database: "postgres" };
}

/** A port by its name, as the pod has it: the Database may already ask for another one. */
function placeOf({ cr, lookUp }: Lookup, name: string): Pick<ServerAddress, "host" | "port"> | undefined {
  const pod = lookUp(Pod, podKey(cr));
  const host = pod?.metadata.deletionTimestamp === undefined ? pod?.status?.podIP : undefined;
  const port = pod?.spec.containers
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === name)?.containerPort;
  return host === undefined || port === undefined ? undefined : { host, port };
}

function secretOf({ cr, lookUp }: Lookup, name: string): string | undefined {
  const secret = lookUp(Secret, keyFor(cr, "-secret"));
  return secret && secretValue(secret, name);
}
