// The query of a list or a watch: read, and checked by the real server's rules.
import { forbiddenValue, unsupportedValue, type StatusCause } from "../../../schema/status-cause.ts";
import { readFieldSelector } from "../selectors/field-selector.ts";
import { parseLabelSelector } from "../selectors/parse-label-selector.ts";
import { badRequest, invalidOptions, StatusError } from "../status-error.ts";

/** What a list or a watch asks for. */
export interface ListQuery {
  readonly watch: boolean;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  /** Absent: the newest; 0: any. */
  readonly resourceVersion: number | undefined;
  readonly resourceVersionMatch: string;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/** Reads and checks the query. Errors: 400, 422; 500 for a watch from a revision that is not a number, as the real server has it. */
export function parseListQuery(query: URLSearchParams, watchPath: boolean): ListQuery {
  const isAskedFor = isTrue(query.get("watch"));
  const watch = watchPath || isAskedFor;
  const token = query.get("continue") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const initial = query.has("sendInitialEvents") ? isTrue(query.get("sendInitialEvents")) : undefined;
  const limit = readInteger(query.get("limit")) ?? 0;
  const timeoutSeconds = readInteger(query.get("timeoutSeconds"));
  // What cannot be read is said before what may not be asked for.
  parseLabelSelector(query.get("labelSelector") ?? "");
  readFieldSelector(query.get("fieldSelector") ?? "");
  // Where only the path says that it is a watch, that is seen later.
  const errors = isAskedFor ? watchErrors(match, token, initial) : listErrors(match, version, token, initial);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  if (!watch && token !== "" && version !== "" && version !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  return {
    watch,
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    limit: watch ? 0 : limit,
    continue: token,
    // It is read last: what is wrong with the selectors is said first.
    get resourceVersion() {
      return parseRevision(version, !watch);
    },
    resourceVersionMatch: match,
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: initial,
    timeoutSeconds,
  };
}

/** A revision of a query; undefined when it is empty. Errors: 400 for a list, else 500. */
export function parseRevision(version: string, ofList: boolean): number | undefined {
  if (version === "") return undefined;
  if (/^\d+$/.test(version)) return Number(version);
  const detail = `resourceVersion: Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
  if (ofList) throw badRequest(`invalid resource version: ${detail}`);
  throw new StatusError(500, undefined, detail);
}

/** Whether a query value is true the way Kubernetes reads its options: everything is that does not say otherwise. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

/** A whole number of a query; undefined where there is none. Errors: 400. */
export function readInteger(value: string | null): number | undefined {
  if (value === null || value === "") return undefined;
  if (!/^-?\d+$/.test(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  if (BigInt.asIntN(64, BigInt(value)) !== BigInt(value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  }
  return Number(value);
}

function watchErrors(match: string, token: string, initial: boolean | undefined): StatusCause[] {
  const field = "resourceVersionMatch";
  const isOther = match !== "NotOlderThan";
  const errors: StatusCause[] = [];
  const forbid = (why: string): unknown => errors.push(forbiddenValue(field, why));
  if (initial !== undefined && isOther) {
    forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match !== "" && initial === undefined) {
    forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (match !== "" && isOther) errors.push(unsupportedValue(field, match, ["NotOlderThan"]));
  if (token !== "") forbid("resourceVersionMatch is forbidden when continue is provided");
  return errors;
}

function listErrors(
  match: string,
  version: string,
  token: string,
  initial: boolean | undefined,
): StatusCause[] {
  const field = "resourceVersionMatch";
  const errors: StatusCause[] = [];
  if (match !== "") {
    if (version === "") {
      errors.push(
        forbiddenValue(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (token !== "")
      errors.push(forbiddenValue(field, "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(unsupportedValue(field, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && version === "0") {
      errors.push(forbiddenValue(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (initial !== undefined) {
    errors.push(forbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}
