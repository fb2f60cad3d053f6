// Whether a fault concerns a request. Pure.
import type { RequestMatch, RequestVerb } from "../../cluster-faults.ts";
import type { Exchange } from "../requests/exchange.ts";
import { parseResourcePath } from "../requests/request-path.ts";
import { httpVerbOf } from "../requests/request-verb.ts";
import { controllersUser } from "../requests/users.ts";
import { isTrue } from "../options/list-options.ts";

/** What a fault sees of a request. */
export interface RequestSeen {
  readonly verb: RequestVerb;
  readonly group: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly userAgent: string;
  readonly user: string;
}

/** What a request for a resource asks for; undefined for any other path. */
export function seenOf(
  exchange: Pick<Exchange, "method" | "path" | "query" | "user" | "userAgent"> & {
    readonly request: Pick<Exchange["request"], "headers">;
  },
): RequestSeen | undefined {
  const path = parseResourcePath(exchange.path);
  if (path?.plural === undefined) return undefined;
  const { group, plural, namespace, name = "", subresource = "", watchPrefix } = path;
  const watch = watchPrefix || isTrue(exchange.query.get("watch"));
  const verb = httpVerbOf(exchange.method, name !== "", watch);
  const apply = exchange.request.headers["content-type"]?.includes("apply-patch") === true;
  return {
    verb: verb === "patch" && apply ? "apply" : verb,
    group,
    plural,
    namespace,
    name,
    subresource,
    userAgent: exchange.userAgent.split("/")[0] ?? "",
    user: exchange.user.name,
  };
}

/** Whether a request agrees with every field of a match. */
export function matchesRequest(match: RequestMatch, seen: RequestSeen): boolean {
  const { verb, user, ...fields } = match;
  if (user === undefined ? seen.user === controllersUser.name : seen.user !== user) return false;
  if (verb !== undefined && !(typeof verb === "string" ? [verb] : verb).includes(seen.verb)) return false;
  return Object.entries(fields).every(
    ([name, value]) => value === undefined || seen[name as keyof RequestSeen] === value,
  );
}
