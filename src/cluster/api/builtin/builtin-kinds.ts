// Which kinds are Kubernetes' own, by their names alone.

/** The kinds of all built-in types that were made, with their versions. */
const madeKinds = new Set<string>();

/** What every version has beside its own kinds, and what there is only once. */
const commonKinds = /^(?:WatchEvent|(?:List|Get|Delete|Create|Update|Patch)Options)$/;
const singleKinds = /^(?:Status|List|APIVersions|APIGroup|APIGroupList|APIResourceList)$/;

/** Remembers the kind of a built-in type that is made. */
export function noteBuiltinKind(apiVersion: string, kind: string): void {
  madeKinds.add(`${apiVersion} ${kind}`);
}

/** Whether Kubernetes itself has a kind in a version, lists and options included. */
export function isBuiltinKind(apiVersion: string, kind: string): boolean {
  const isMade = (each: string): boolean => madeKinds.has(`${apiVersion} ${each}`);
  if (isMade(kind) || (kind.endsWith("List") && isMade(kind.slice(0, -4)))) return true;
  if (apiVersion === "v1" && singleKinds.test(kind)) return true;
  return commonKinds.test(kind) && [...madeKinds].some((each) => each.startsWith(`${apiVersion} `));
}
