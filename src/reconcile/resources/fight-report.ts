// Reports that another client keeps overwriting what we declare: an Event and a log line when it is found, and the
// condition FieldFight for as long as it lasts.
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import { managersOf } from "../../meta/field-managers.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { FieldFight } from "../comparison/field-fights.ts";
import { kindNameOf } from "./resource.ts";
import type { ResourceScope } from "./resource-scope.ts";
import type { StatusDraft } from "../status/status-draft.ts";

/** Type of the condition; True while a field of an object is overwritten again and again. */
export const fieldFightCondition = "FieldFight";

/** Fields named in a text, and objects. */
const namedPaths = 3;
const namedObjects = 10;

/**
 * Who else writes fields of an object, by the server's managedFields; undefined when nobody can tell. To be asked before they
 * are repaired, as they are the other's until then.
 *
 * **RBAC**: `get` on the object, once for each fight: the cache keeps no managedFields.
 */
export async function otherWriterOf(
  scope: Pick<ResourceScope, "client" | "fieldManager" | "signal" | "log">,
  type: ResourceType,
  live: KubeObject,
  paths: readonly string[],
): Promise<string | undefined> {
  const { client, fieldManager, signal, log } = scope;
  try {
    const { metadata } = await client.get(type, keyOf(live), { signal });
    const writers = paths.flatMap((path) => managersOf(metadata.managedFields, path));
    return (writers.find(({ manager }) => manager !== fieldManager) ?? writers[0])?.manager;
  } catch (error) {
    const resource = kindNameOf(type, keyOf(live));
    log.debug({ resource, error: messageOf(error) }, "the other writer could not be determined");
    return undefined;
  }
}

/** Reports a fight that has begun. */
export function reportFight(
  { fieldManager, events, log }: Pick<ResourceScope, "fieldManager" | "events" | "log">,
  fight: FieldFight,
): void {
  events.record("Warning", fieldFightCondition, sentenceOf(fight, fieldManager));
  const { name: resource, paths, writer } = fight;
  log.warn(
    { resource, paths, writer },
    "another client keeps overwriting a field; it is corrected less often",
  );
}

/** Sets the condition: True in a fight, False after one, none without. */
export function contributeFights(
  status: StatusDraft,
  fights: readonly FieldFight[],
  fieldManager: string,
): void {
  if (fights.length > 0) {
    const named = fights.slice(0, namedObjects).map((fight) => sentenceOf(fight, fieldManager));
    const more = fights.length - named.length;
    const message = `${named.join("; ")}${more > 0 ? `; and the same of ${more} more` : ""}`;
    status.setCondition({ type: fieldFightCondition, status: "True", reason: "FieldOverwritten", message });
  } else if (status.condition(fieldFightCondition)?.status === "True") {
    status.setCondition({
      type: fieldFightCondition,
      status: "False",
      reason: "Recovered",
      message: "declared fields are no longer overwritten",
    });
  }
}

/** The same text for as long as the fight lasts. */
export function sentenceOf({ name, paths, writer }: FieldFight, fieldManager: string): string {
  const more = paths.length - namedPaths;
  const fields = paths.slice(0, namedPaths).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const who =
    writer === undefined
      ? "another client"
      : writer === fieldManager
        ? `another process that calls itself "${writer}"`
        : `field manager "${writer}"`;
  return (
    `${who} keeps overwriting ${fields} of ${name}, which this operator declares; it is corrected less and less often ` +
    `until that ends`
  );
}
