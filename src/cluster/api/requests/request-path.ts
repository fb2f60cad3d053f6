// What a path names: a resource, or something that is not one (discovery, health, OpenAPI).

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

/** The resource that a decoded path names; undefined when it names none. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [root, ...segments] = segmentsOf(path);
  if (root !== "api" && root !== "apis") return undefined;
  const group = root === "api" ? "" : segments.shift();
  const version = segments.shift();
  if (version === undefined || (root === "apis" && group === "")) return undefined;
  const watchPrefix = segments[0] === "watch";
  let rest = watchPrefix ? segments.slice(1) : segments;
  let namespace = "";
  // `/namespaces/NAME` and its subresources are the namespace itself, not a scope.
  const isScope =
    rest[0] === "namespaces" && rest.length > 2 && !["status", "finalize"].includes(rest[2] ?? "");
  if (isScope) {
    namespace = rest[1] ?? "";
    rest = rest.slice(2);
  }
  const [plural, name, ...further] = rest;
  const subresource = further.length === 0 ? undefined : further.join("/");
  return { group: group ?? "", version, namespace, plural, name, subresource, watchPrefix };
}

/** The parts of a decoded path, without slashes at its end. Empty parts before it stay: they name nothing. */
export function segmentsOf(path: string): string[] {
  const trimmed = path.replace(/^\//, "").replace(/\/+$/, "");
  return trimmed === "" ? [] : trimmed.split("/");
}
