// What the checks of the Pod Security Standards are made of: a pod as they look at it, and the words that they have in common. Pure.
// https://kubernetes.io/docs/concepts/security/pod-security-standards/
import { fieldsList, fieldsOf, textOf, type Fields } from "../../api-object.ts";

/** What a check finds forbidden. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A pod as checks look at it. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
  /** Init containers first, then the others, then the ephemeral ones. */
  readonly containers: readonly Fields[];
}

/** What is wrong with a pod; undefined: nothing. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

/** One check of a level, from the minor version of Kubernetes on that its form names. */
export interface Check {
  readonly id: string;
  readonly forms: readonly { readonly from: number; readonly check: CheckPod }[];
  /** The check of the baseline whose place it takes. */
  readonly overrides?: string;
}

/** The pod of a template or of a pod itself. */
export function checkedPod(metadata: unknown, spec: Fields): CheckedPod {
  const annotations = fieldsOf(fieldsOf(metadata)["annotations"]) as Record<string, string>;
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((name) =>
    fieldsList(spec[name]),
  );
  return { annotations, spec, containers };
}

/** Texts as a list in quotes. */
export const quoted = (items: readonly string[]): string => `"${items.join('", "')}"`;
/** A word for one or for several. */
export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);
/** Texts in their order, each once. */
export const sorted = (items: Iterable<string>): string[] => [...new Set(items)].toSorted();
/** The names of parts. */
export const namesOf = (objects: readonly Fields[]): string[] => objects.map(({ name }) => textOf(name));
/** The security context of a pod or a container. */
export const contextOf = (part: Fields): Fields => fieldsOf(part["securityContext"]);
/** Containers as messages name them. */
export const containersNamed = (containers: readonly Fields[]): string =>
  `${plural("container", containers.length)} ${quoted(namesOf(containers))}`;
/** A word about what some of these do: `uses` of one, `use` of several. */
export const uses = (count: number): string => (count === 1 ? "uses" : "use");

/** Who sets what is forbidden in a security context: the pod, and its containers. */
export function settersOf(pod: CheckedPod, isBad: (context: Fields) => boolean): readonly string[] {
  const bad = pod.containers.filter((each) => isBad(contextOf(each)));
  return [
    ...(isBad(contextOf(pod.spec)) ? ["pod"] : []),
    ...(bad.length === 0 ? [] : [containersNamed(bad)]),
  ];
}

/** The security contexts of a pod and its containers. */
export const contextsOf = ({ spec, containers }: CheckedPod): Fields[] =>
  [spec, ...containers].map(contextOf);

/** Whether a pod has users of its own, to whom less can be forbidden. */
const hasOwnUsers = ({ spec }: CheckedPod): boolean => spec["hostUsers"] === false;
/** The check, but of pods on Windows. */
export const unlessWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    fieldsOf(pod.spec["os"])["name"] === "windows" ? undefined : check(pod);
/** The check, but of pods that have users of their own, to whom less is forbidden. */
export const unlessOwnUsers =
  (check: CheckPod): CheckPod =>
  (pod) =>
    hasOwnUsers(pod) ? undefined : check(pod);
