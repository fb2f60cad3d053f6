// What somebody needs to be allowed on an API type: declared by authors, and read by those who make roles of it. Pure.
import type { ResourceType } from "./resource-type.ts";

/** The verbs of Kubernetes' authorization, in the order in which roles list them. */
export const permissionVerbs = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "bind",
  "escalate",
] as const;

/** Verbs on one API type, or on a subresource of it. */
export interface Permission {
  /** The type that is asked for; a kind of yours or of Kubernetes. */
  readonly type: ResourceType;
  /** What is asked: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs: readonly (typeof permissionVerbs)[number][];
  /** For instance `scale` or `exec`; default the objects themselves. */
  readonly subresource?: string;
  /** Only objects of these names; it cannot limit `create`, `list` and `watch`. Default all. */
  readonly names?: readonly string[];
}
