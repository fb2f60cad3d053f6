// The tags of states that mean something to an operator. Every other tag is the author's own.

/** Tags that decide what a state is for, or whether it may be desired; each beats what the shape of the graph says. */
export const roleTags = [
  "stable",
  "transient",
  "failure",
  "intervention",
  "suspended",
  "notDesired",
] as const;

/** The tag of states that wait for a person: they take what the operator cannot settle by itself. */
export const interventionTag = "intervention";

/** The tag of the final state to which a deletion leads, where there are several. */
const endTag = "end";

/** Tags that decide what the conditions `Ready`, `Reconciling` and `Degraded` say. */
const healthTags = ["ready", "progressing", "degraded"] as const;

/** All of them. */
export const knownTags = [...roleTags, endTag, ...healthTags] as const;

/** A tag of a state. The intersection lets editors offer the known ones, and accepts any other word. */
export type LifecycleTag = (typeof knownTags)[number] | (string & Record<never, never>);
