// What keeps an object, or a child that is being deleted, from being gone: each finalizer, and what it waits for.
import type { Child } from "../meta/child.ts";
import type { KubeObject } from "../meta/object.ts";
import type { Blocker } from "./explanation.ts";

/** What is known of the finalizers that Kubernetes itself sets. */
const knownFinalizers: Readonly<Record<string, string>> = {
  foregroundDeletion: "the garbage collector, which first deletes the children that block their owner",
  orphan: "the garbage collector, which first removes the owner reference from the children",
  "kubernetes.io/pvc-protection": "the cluster, until no pod uses the claim",
  "kubernetes.io/pv-protection": "the cluster, until no claim uses the volume",
  "batch.kubernetes.io/job-tracking": "the job controller, until it has counted the pod",
  "service.kubernetes.io/load-balancer-cleanup": "the cloud provider, until the load balancer is gone",
};

/** What {@link deletionBlockersOf} reads. */
export interface DeletionQuestion {
  readonly object: KubeObject;
  /** The finalizer of the object's own operator. */
  readonly ours: string;
  /** No operator has the kind any more. */
  readonly abandoned: boolean;
  /** What our finalizer waits for, as a clause. */
  readonly oursWaitsFor: string;
  readonly children: readonly Child[];
}

/** The finalizers that hold the object, if it is being deleted, and those that hold its children that are. */
export function deletionBlockersOf(question: DeletionQuestion): readonly Blocker[] {
  const { object, children } = question;
  const own = object.metadata.deletionTimestamp === undefined ? [] : (object.metadata.finalizers ?? []);
  return [
    ...own.map((finalizer) => ownBlocker(question, finalizer)),
    ...children
      .filter(({ deletingSince }) => deletingSince !== undefined)
      .flatMap((child) => child.finalizers.map((finalizer) => childBlocker(child, finalizer))),
  ];
}

function ownBlocker(
  { ours, abandoned, oursWaitsFor, children }: DeletionQuestion,
  finalizer: string,
): Blocker {
  if (finalizer === ours && abandoned) {
    return {
      reason: "Finalizer",
      finalizer,
      message: `nobody is there to remove the former operator's finalizer ${finalizer}`,
      remedy:
        "Only an operator that has the kind shuts the application down; `install --release --release` removes the finalizer, and leaves behind what the object stands for.",
    };
  }
  if (finalizer === ours) {
    return {
      reason: "Finalizer",
      finalizer,
      message: `the operator's own finalizer ${finalizer} waits: ${oursWaitsFor}`,
      remedy: "Do not remove it: the application would not be shut down properly.",
    };
  }
  const waiting = children.filter(({ blocksOwner }) => finalizer === "foregroundDeletion" && blocksOwner);
  const list = waiting.map(describeChild).join(", ");
  return {
    reason: "Finalizer",
    finalizer,
    message: `the finalizer ${finalizer} of ${holderOf(finalizer)} blocks the deletion${list === "" ? "" : `: ${list}`}`,
    ...remedyFor(finalizer),
  };
}

function childBlocker(child: Child, finalizer: string): Blocker {
  const { kind, namespace, name } = child;
  return {
    reason: "ChildFinalizer",
    child: { kind, ...(namespace === undefined ? {} : { namespace }), name },
    finalizer,
    message: `${describeChild(child)} is being deleted and is blocked by the finalizer ${finalizer} of ${holderOf(finalizer)}`,
    ...remedyFor(finalizer),
  };
}

/** `ConfigMap shop/settings`. */
function describeChild({ kind, namespace, name }: Child): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function holderOf(finalizer: string): string {
  const known = Object.hasOwn(knownFinalizers, finalizer) ? knownFinalizers[finalizer] : undefined;
  return known ?? "an unknown controller";
}

function remedyFor(finalizer: string): Pick<Blocker, "remedy"> {
  if (Object.hasOwn(knownFinalizers, finalizer)) return {};
  const [owner = finalizer] = finalizer.split("/");
  return {
    remedy: `The controller that set it (${owner}) removes it; check that this controller is running.`,
  };
}
