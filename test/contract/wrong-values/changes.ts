// The ways in which a change of one field of a stored object is sent.
import { isFields } from "../../../src/cluster/api/api-object.ts";
import type { Body, RawOptions } from "../api-server/raw-request.ts";
import type { SweptType } from "./type-schemas.ts";
import { withValue, type OddValue } from "./wrong-values.ts";

/** The whole object, or only what is changed of it. */
export type ChangeWay = "put" | "merge" | "apply";

/** A request. */
export interface ChangeRequest {
  readonly method: string;
  readonly query: string;
  readonly body: Body;
  readonly options?: RawOptions;
}

/** The request that changes one field of an object. */
export function changeRequest(
  way: ChangeWay,
  { apiVersion, kind }: SweptType,
  stored: Body,
  odd: Pick<OddValue, "steps" | "value">,
): ChangeRequest {
  const changed = withValue(stored, odd);
  const dryRun = "?dryRun=All";
  if (way === "put") return { method: "PUT", query: dryRun, body: changed };
  const part = partOf(changed, odd.steps);
  if (way === "merge") {
    const options = { contentType: "application/merge-patch+json" };
    return { method: "PATCH", query: dryRun, body: part, options };
  }
  const { name } = stored["metadata"] as Body;
  const body = { apiVersion, kind, metadata: { name }, ...part };
  const options = { contentType: "application/apply-patch+yaml" };
  return { method: "PATCH", query: `${dryRun}&fieldManager=sweep&force=true`, body, options };
}

/** What an object has at a place, in the objects around it: a list as a whole. */
function partOf(object: Body, steps: OddValue["steps"]): Body {
  const [first = "", ...rest] = steps;
  const value = object[first] ?? null;
  const [next] = rest;
  const isWhole = next === undefined || typeof next === "number" || !isFields(value);
  return { [first]: isWhole ? value : partOf(value, rest) };
}
