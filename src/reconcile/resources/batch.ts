// What a call of the registry works on and reports: its entries, its options, and what it has done.
import type { KubeObject } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { isPromise, type Eventual } from "../../ports/eventual.ts";
import { isUnanswered } from "../../client/api-error.ts";
import { resourceIndexOf, type Resource, type StepReport } from "./resource.ts";
import type { ClusterReader } from "./resource-scope.ts";

/** A registered resource and what was done with it so far. */
export class RegistryEntry {
  readonly resource: Resource;
  /** The states that it belongs to; undefined: all. */
  readonly states: readonly string[] | undefined;
  /** Whether it is known to exist or not. */
  lookedUp = false;
  /** Whether it is known what it shall be. */
  mutated = false;
  /** Whether it was created, changed or found right: nothing is done twice in a run. */
  done = false;
  /** What failed: nothing more is done with it in this run. */
  failure: Error | undefined;
  /** Whether its write was put off, to be made together with others. */
  isPutOff = false;
  /** What it is written after, as it was named. */
  readonly named: readonly object[];
  /** The same, once it is known what that is; and what comes after it. See resource-order.ts. */
  after: readonly RegistryEntry[] = [];
  followers: RegistryEntry[] = [];
  /** What it was registered as: by that it is named. */
  readonly registeredAs: object;

  constructor(resource: Resource, { as = resource, states, named = [] }: EntryFacts = {}) {
    this.resource = resource;
    this.registeredAs = as;
    this.states = states;
    this.named = named;
  }
}

/** How a resource was registered. */
export interface EntryFacts {
  readonly as?: object;
  readonly states?: readonly string[] | undefined;
  readonly named?: readonly object[];
}

/** Options of the registry's calls. */
export interface BatchOptions {
  /** Ends the call at the first failure; default false: every resource is tried. */
  readonly stopOnError?: boolean;
  /**
   * Of calls that create: creations of this custom resource in four seconds, in however many runs; what was refused does not
   * count. 0 or absent: the controller's limit.
   */
  readonly maxCreations?: number;
}

/** What a call did. */
export interface BatchReport {
  /** `Kind/name` of the resources that were written. */
  readonly written: readonly string[];
  /** `Kind/name` of the resources whose creation waits for the next run. */
  readonly delayed: readonly string[];
  /** Every failure, in the order of registration. */
  readonly failures: readonly {
    /** `Kind/name`. */
    readonly resource: string;
    /** Why. */
    readonly error: Error;
  }[];
}

/** A report while it is being made. */
export interface Batch {
  readonly written: string[];
  readonly delayed: string[];
  readonly failures: BatchReport["failures"][number][];
  /** Whether nobody knows what became of a write. */
  isUnsure: boolean;
  /** Requests of peers that are made together; undefined where each is made in its turn. */
  readonly together: PendingRequest[] | undefined;
  readonly of: RequestKind;
}

/** What the requests of a call are for. */
type RequestKind = "reads" | "writes" | "deletions";

/** A request that is due. */
export interface PendingRequest {
  readonly send: () => Eventual<StepReport>;
  /** Takes note of its outcome. */
  readonly settle: (outcome: PromiseSettledResult<StepReport>) => void;
}

/** Requests of one run that are under way at the same time: over a distance, what counts is the round trip. */
const requestsAtOnce = 16;
/** Of so few peers one may follow from the other; more of them are a collection. So few reads come from a cache mostly. */
const mostInOrder: Readonly<Record<RequestKind, number>> = { reads: 4, writes: 16, deletions: 16 };

/** Whether so many requests are made one after the other. */
export function isInOrder(count: number, kind: RequestKind): boolean {
  return count <= mostInOrder[kind];
}

/**
 * Makes the requests, many at the same time and few in their order, and takes note of them in their order, so that the same failures
 * are reported in the same way. None is begun after one whose outcome nobody knows, or once `isOver`.
 */
export async function sendTogether(
  pending: readonly PendingRequest[],
  kind: RequestKind,
  isOver: () => boolean,
): Promise<void> {
  const outcomes: (PromiseSettledResult<StepReport> | undefined)[] = pending.map(() => undefined);
  let next = 0;
  let isUnsure = false;
  const work = async (): Promise<void> => {
    for (let at = next; at < pending.length && !isUnsure && !isOver(); at = next) {
      next += 1;
      try {
        const sent = pending[at]?.send();
        outcomes[at] = { status: "fulfilled", value: isPromise(sent) ? await sent : sent };
      } catch (reason) {
        outcomes[at] = { status: "rejected", reason };
        isUnsure ||= isUnanswered(reason);
      }
    }
  };
  const most = isInOrder(pending.length, kind) ? 1 : requestsAtOnce;
  const workers: Promise<void>[] = [];
  // What is answered at once is done by the first of them.
  while (workers.length < most && next < pending.length) workers.push(work());
  await Promise.all(workers);
  for (const [at, outcome] of outcomes.entries()) if (outcome !== undefined) pending[at]?.settle(outcome);
}

/** A report of nothing yet. */
export function emptyBatch(together?: PendingRequest[], kind: RequestKind = "writes"): Batch {
  return { written: [], delayed: [], failures: [], isUnsure: false, together, of: kind };
}

/** An object with its type. */
export interface TypedObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** The controlled objects of these types whose index is not registered and that are not being deleted already. */
export function unregistered(
  reader: Pick<ClusterReader, "owned">,
  types: readonly ResourceType[],
  isRegistered: (index: string) => boolean,
): readonly TypedObject[] {
  return types.flatMap((type) =>
    reader
      .owned(type)
      .filter(
        (object) =>
          object.metadata.deletionTimestamp === undefined &&
          !isRegistered(resourceIndexOf(type, keyOf(object))),
      )
      .map((object) => ({ type, object })),
  );
}
