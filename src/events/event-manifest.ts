// One Kubernetes Event as it is sent: its limits are the server's, an event beyond them would be refused as a whole.
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/events.go
import type { KubernetesEvent } from "../kinds/builtin/events.ts";
import type { ObjectReference } from "../kinds/builtin/parts.ts";
import type { KubeObject, ManifestOf } from "../meta/object.ts";
import { toMicroTime } from "../meta/micro-time.ts";

/** What happened to an object. */
export interface EventOptions {
  /** `Warning` for what a person should look at. */
  readonly type: "Normal" | "Warning";
  /** Why: one PascalCase word. */
  readonly reason: string;
  /** What was done or tried: one PascalCase word; default the reason. */
  readonly action?: string;
  /** A sentence for people; cut at 1 kB. */
  readonly note: string;
  /** A second object that took part. */
  readonly related?: KubeObject;
}

/** Who reports. */
export interface EventReporter {
  /** Name of the operator: shown as `From`. */
  readonly component: string;
  /** Identity of the process. */
  readonly instance: string;
}

/** An Event ready to be created. */
export type EventManifest = ManifestOf<KubernetesEvent>;

/** Bytes of a note that the server accepts. */
export const noteLimit = 1024;
const wordLimit = 128;

/** The Event, without its name: the name carries the instant, and a free one is found when it is sent. */
export function eventManifest(
  regarding: KubeObject,
  options: EventOptions,
  reporter: EventReporter,
  name: string,
  now: number,
): EventManifest {
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    // An Event about a cluster-scoped object lives in the namespace "default".
    metadata: { name, namespace: regarding.metadata.namespace ?? "default" },
    eventTime: toMicroTime(now),
    type: options.type,
    reason: truncate(options.reason, wordLimit),
    action: truncate(options.action ?? options.reason, wordLimit),
    note: truncate(options.note, noteLimit),
    regarding: referenceTo(regarding),
    ...(options.related === undefined ? {} : { related: referenceTo(options.related) }),
    reportingController: truncate(reporter.component, wordLimit),
    reportingInstance: truncate(reporter.instance, wordLimit),
  };
}

/** What makes two events the same, so that the second one only counts. */
export function seriesKeyOf(regarding: KubeObject, options: EventOptions): string {
  return JSON.stringify([
    subjectKeyOf(regarding),
    options.type,
    options.reason,
    options.action ?? options.reason,
    truncate(options.note, noteLimit),
    options.related === undefined ? "" : subjectKeyOf(options.related),
  ]);
}

/** Identifies the object that an event is about. */
export function subjectKeyOf({ apiVersion, kind, metadata }: KubeObject): string {
  return `${apiVersion}/${kind}/${metadata.namespace ?? ""}/${metadata.name}/${metadata.uid}`;
}

/** The text, cut at a whole character so that it has at most `limit` bytes of UTF-8. */
export function truncate(text: string, limit: number): string {
  // No character takes more than three bytes for each of its units.
  if (text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= limit) return text;
  const ellipsis = "…";
  let end = limit - Buffer.byteLength(ellipsis);
  // A byte 10xxxxxx continues the character before it.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end) + ellipsis;
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion };
}
