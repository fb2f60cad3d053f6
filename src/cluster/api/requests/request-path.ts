// What a URL path names: a resource, or something that is not one (discovery, health, OpenAPI).

/** A path below a group and version. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  /** Empty for a cluster-scoped path or one over all namespaces. */
  readonly namespace: string;
  /** Absent: the path names the group and version itself. */
  readonly plural: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The `/watch/` prefix, which is long deprecated and still served. */
  readonly watchPrefix: boolean;
}

/** The resource a path names; undefined when it names none or is malformed. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const segments = path.split("/").filter((segment) => segment !== "");
  let group = "";
  let version: string | undefined;
  let rest: string[];
  if (segments[0] === "api") {
    version = segments[1];
    rest = segments.slice(2);
  } else if (segments[0] === "apis") {
    group = segments[1] ?? "";
    version = segments[2];
    rest = segments.slice(3);
    if (group === "") return undefined;
  } else return undefined;
  if (version === undefined) return undefined;
  const watchPrefix = rest[0] === "watch";
  if (watchPrefix) rest = rest.slice(1);
  let namespace = "";
  // `/namespaces/NAME` and its subresources are the namespace itself, not a scope.
  const isScope =
    rest[0] === "namespaces" && rest.length > 2 && !["status", "finalize"].includes(rest[2] ?? "");
  if (isScope) {
    namespace = decode(rest[1]) ?? "";
    rest = rest.slice(2);
  }
  if (rest.length > 3) return undefined;
  const [plural, name, subresource] = rest.map(decode);
  return { group, version, namespace, plural, name, subresource, watchPrefix };
}

function decode(segment: string | undefined): string | undefined {
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
