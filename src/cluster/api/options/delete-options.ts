// The options of a deletion: from the body, else from the query; checked by the real server's rules.
import { isFields, textOf, type Fields } from "../api-object.ts";
import { invalidValue, unsupportedValue, type StatusCause } from "../../../schema/status-cause.ts";
import { isTrue } from "./list-options.ts";
import { badRequest, invalidOptions } from "../status-error.ts";

/** What a deletion asks for. */
export interface DeleteQuery {
  readonly dryRun: boolean;
  /** Absent: what the type does by default, which is Background but for Jobs. */
  readonly propagationPolicy: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  /** What was given, as an options object without kind and version. */
  readonly options: Fields;
}

/** Reads and checks the options. Errors: 400, 422. */
export function parseDeleteQuery(query: URLSearchParams, body: unknown): DeleteQuery {
  const given: Fields = isFields(body) ? body : {};
  const kind = textOf(given["kind"]);
  if (kind !== "" && kind !== "DeleteOptions") {
    const version = textOf(given["apiVersion"]) === "" ? "v1" : textOf(given["apiVersion"]);
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const options = Object.keys(given).some((key) => key !== "kind" && key !== "apiVersion")
    ? given
    : fromQuery(query);
  const errors: StatusCause[] = [];
  const dryRun = Array.isArray(options["dryRun"]) ? (options["dryRun"] as unknown[]) : [];
  const policy =
    options["propagationPolicy"] === undefined ? undefined : textOf(options["propagationPolicy"]);
  const orphan = options["orphanDependents"] ?? undefined;
  if (policy !== undefined && orphan !== undefined) {
    errors.push(
      invalidValue(
        "propagationPolicy",
        policy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy)) {
    errors.push(unsupportedValue("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  if (dryRun.some((value) => value !== "All")) errors.push(unsupportedValue("dryRun", dryRun, ["All"]));
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  const preconditions = isFields(options["preconditions"]) ? options["preconditions"] : {};
  const grace = options["gracePeriodSeconds"];
  return {
    dryRun: dryRun.length > 0,
    propagationPolicy:
      policy === undefined ? policyFor(orphan) : (policy as "Background" | "Foreground" | "Orphan"),
    gracePeriodSeconds: typeof grace === "number" ? (grace < 0 ? 1 : grace) : undefined,
    uid: textOrNone(preconditions["uid"]),
    resourceVersion: textOrNone(preconditions["resourceVersion"]),
    options: settled(options),
  };
}

/** What the former option of a deletion means. */
function policyFor(orphanDependents: unknown): DeleteQuery["propagationPolicy"] {
  if (typeof orphanDependents !== "boolean") return undefined;
  return orphanDependents ? "Orphan" : "Background";
}

function fromQuery(query: URLSearchParams): Fields {
  const grace = query.get("gracePeriodSeconds");
  if (grace !== null && !/^-?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  const orphan = query.get("orphanDependents");
  return {
    ...(query.has("dryRun") ? { dryRun: query.getAll("dryRun") } : {}),
    ...(query.has("propagationPolicy") ? { propagationPolicy: query.get("propagationPolicy") } : {}),
    ...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
  };
}

/** An empty text is one that no object has. */
function textOrNone(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function settled(options: Fields): Fields {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = options;
  return rest;
}
