// When the server's objects are left as they are: what would restart it waits for a state that is made for it.
import type { StatefulSet } from "xstate-operator/kinds";
import type { Database } from "./database.ts";
import { settingsAnnotation, settingsDigest } from "./resources/config.ts";

/**
 * Whether nothing is rolled out for now. In Servicing and Stopping nothing is, also not by a new version of the operator: the
 * task under way needs the server that it began with. In Running, a changed configuration waits for Reconfiguring.
 */
export function isHeldBack(database: Database, server: StatefulSet | undefined): boolean {
  if (server === undefined) return false;
  const state = database.status?.lifecycle?.state;
  if (state === "Servicing" || state === "Stopping") return true;
  if (state !== "Running") return false;
  // One that an older operator has made does not say what it was asked for.
  const settings = server.metadata.annotations?.[settingsAnnotation];
  return settings !== undefined && settings !== settingsDigest(database);
}
