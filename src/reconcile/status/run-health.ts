// How a resource is after a run, or in the middle of one: what its application or its children say, unless the run itself has
// failed. Put into the status together with all other conditions, so that no write claims more than was done.
import {
  healthConditionsOf,
  readyCondition,
  transientConditions,
  type Finding,
  type Health,
} from "../../meta/health.ts";
import { isContentRefused } from "../outcome/failure-meaning.ts";
import type { Results } from "../outcome/results.ts";
import { failureCondition } from "./reconciliation-condition.ts";
import type { StatusDraft } from "./status-draft.ts";

/** What is asked how it is: an application, or a resource. */
interface Judged {
  readonly kindName: string;
  health?(): Health | undefined;
}

/** What {@link contributeHealth} decides with. */
export interface RunOutcome {
  readonly results: Results;
  /** Absent for a kind without a lifecycle. */
  readonly application?: Judged | undefined;
  /** The children, in order. */
  readonly children: readonly Judged[];
  readonly deleting: boolean;
}

/**
 * Sets `Ready`, `Reconciling`, `Stalled` and `Degraded`; those that do not stand are removed. Twice is as once.
 *
 * **Guarantees**: a run that failed is not ready; what was refused for good, or given up, is stalled.
 */
export function contributeHealth(draft: StatusDraft, outcome: RunOutcome): void {
  const { application } = outcome;
  const own = application === undefined ? healthOfPlain(draft, outcome) : application.health?.();
  const standing = healthConditionsOf(healthOfRun(outcome, own));
  for (const condition of standing) draft.putCondition(condition);
  for (const type of transientConditions) {
    // Whether an application is degraded that was not observed is not known.
    const isKept = draft.saidByHook(type) !== undefined || (type === "Degraded" && own === undefined);
    if (!isKept && !standing.some((each) => each.type === type)) draft.removeCondition(type);
  }
}

function healthOfRun({ results, deleting, application }: RunOutcome, own: Health | undefined): Health {
  const { kind } = results.consolidated();
  const failure = failureCondition(results);
  if (failure !== undefined && kind !== "waiting") {
    const { reason, message } = failure;
    const finding = { reason, message };
    const isFinal = kind === "gaveUp" || results.operations.some(({ error }) => isContentRefused(error));
    return {
      ready: { status: "False", ...finding },
      ...(deleting || !isFinal ? { reconciling: finding } : { stalled: finding }),
      degraded: own?.degraded,
    };
  }
  const { outstanding } = results;
  const waits =
    outstanding === undefined
      ? undefined
      : { reason: "Pending", message: outstanding.message ?? "something that was asked for is outstanding" };
  if (deleting && own?.ready.status !== "False") return notYet(waits ?? beingDeleted);
  if (own === undefined) return notYet(waits ?? notObserved);
  const isIncomplete = application === undefined && results.count("CreationDelayed") > 0;
  if (isIncomplete && waits !== undefined && own.ready.status === "True") return notYet(waits);
  if (waits === undefined || own.stalled !== undefined) return own;
  return { ...own, reconciling: own.reconciling ?? waits };
}

const beingDeleted: Finding = { reason: "Finalizing", message: "the resource is being deleted" };
const notObserved: Finding = { reason: "Pending", message: "the application has not been observed" };

function notYet(finding: Finding): Health {
  return { ready: { status: "False", ...finding }, reconciling: finding };
}

/** The health of a kind without a lifecycle: what a hook says of `Ready` counts, unless a child has failed. */
function healthOfPlain(draft: StatusDraft, { children, results }: RunOutcome): Health {
  const missing = results.operations.find(({ code }) => code === "Unavailable");
  const health =
    missing === undefined
      ? healthOfChildren(children)
      : notYet({ reason: "TypeUnavailable", message: missing.message ?? "a type is unavailable" });
  const said = draft.saidByHook(readyCondition);
  if (said === undefined || health.stalled !== undefined) return health;
  return { ...health, ready: { status: said.status, reason: said.reason, message: said.message } };
}

/** Ready when all that is declared is. */
function healthOfChildren(children: readonly Judged[]): Health {
  const found = children.flatMap((child) => {
    const health = child.health?.();
    return health === undefined || health.ready.status === "True" ? [] : [{ name: child.kindName, health }];
  });
  const failed = found.filter(({ health }) => health.stalled !== undefined);
  const [first] = failed.length > 0 ? failed : found;
  if (first === undefined) {
    return { ready: { status: "True", reason: "Ready", message: "everything that is declared is ready" } };
  }
  const others = found.length - 1;
  const message = `${first.name}: ${first.health.ready.message}${others === 0 ? "" : `; ${others} more not ready`}`;
  if (failed.length === 0) return notYet({ reason: "ResourcesNotReady", message });
  const finding = { reason: "ResourceFailed", message };
  return { ready: { status: "False", ...finding }, stalled: finding };
}
