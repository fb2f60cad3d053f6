// One run of the reconciliation pipeline for one request: which stage follows which.
// src/reconcile/pipeline.ts makes an actor of it for each run and gives each stage its worker; what the worker found is the
// event that leads on.
// The events are ordered by weight: a failure beats a give-up, a give-up beats finalizing, finalizing beats success.
import { setup } from "xstate";
import type { JournalCause } from "../src/ports/run-journal.ts";

/** What may happen to a run: the request that begins it, then what each stage finds. */
export type ReconciliationEvent =
  /** A worker has taken the key from the queue; `causes` is what has changed meanwhile. */
  | { type: "request.received"; causes: readonly JournalCause[] }
  /** The stage did its work. */
  | { type: "stage.succeeded" }
  /** The stage did its work, and the application has moved to a state on which nothing hangs: its next cycle follows in this run. */
  | { type: "stage.moved" }
  /** Something failed, or the run gave up for a reason that people should see. */
  | { type: "stage.failed" }
  /** The run gave up: retrying is useless until something changes. */
  | { type: "stage.gaveUp" }
  /** The custom resource is being deleted and carries our finalizer. */
  | { type: "stage.finalizing" }
  /** The custom resource is being deleted and none of our clean-up is left. */
  | { type: "stage.nothingToDo" };

/**
 * The reconciliation pipeline: from the request to `End`. The only cycle is that of an application that moves on at once, and
 * the pipeline limits how often a run goes through it.
 */
export const reconciliationMachine = setup({
  types: { events: {} as ReconciliationEvent },
}).createMachine({
  id: "reconciliation",
  initial: "Requested",
  description: "One run of the reconciliation pipeline for one custom resource.",
  options: { maxIterations: 100 },
  states: {
    Requested: {
      description: "Receives the request with the changes since the last run.",
      on: {
        "request.received": {
          target: "CRChecker",
          description: "The changes are only the cause: the state is read from the cache.",
        },
      },
    },
    CRChecker: {
      description:
        "Reads the custom resource from the cache, adds the finalizer before any child exists, and runs the author's checks.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "The check failed." },
        "stage.gaveUp": { target: "GiveUp", description: "No retry until something changes." },
        "stage.finalizing": {
          target: "CRFinalizer",
          description: "Being deleted, with the operator's finalizer.",
        },
        "stage.nothingToDo": {
          target: "End",
          description: "Being deleted, without the operator's finalizer.",
        },
        "stage.succeeded": { target: "ObjectsGetter", description: "The custom resource passed the checks." },
      },
    },
    ObjectsGetter: {
      description: "The resources are registered, and each is looked up in the cache or on the cluster.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "A resource could not be read." },
        "stage.gaveUp": { target: "GiveUp", description: "No retry until something changes." },
        "stage.succeeded": { target: "Mutator", description: "The existing objects are known." },
      },
    },
    Mutator: {
      description: "Renders each resource as desired: initial data, then the custom resource's data.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "A resource could not be rendered." },
        "stage.gaveUp": { target: "GiveUp", description: "No retry until something changes." },
        "stage.succeeded": {
          target: "Updater",
          description: "The desired state of every resource is known.",
        },
      },
    },
    Updater: {
      description:
        "Each resource is created, updated or left unchanged; the application, one of the resources, moves one step.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "A write was rejected." },
        "stage.gaveUp": { target: "GiveUp", description: "No retry until something changes." },
        "stage.moved": {
          target: "ObjectsGetter",
          description:
            "The application is in another state now, and nothing hangs on that one: its next cycle follows.",
        },
        "stage.succeeded": {
          target: "SuccessManager",
          description: "The cluster is as desired, or is converging.",
        },
      },
    },
    SuccessManager: {
      description: "Sets the author's status fields and the conditions; writes the status if it differs.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "The status could not be computed." },
        "stage.gaveUp": { target: "GiveUp", description: "No retry until something changes." },
        "stage.succeeded": { target: "End", description: "Done." },
      },
    },
    CRFinalizer: {
      description:
        "Runs the author's cleanup, then shuts the application down, with its resources for each state; the finalizer is removed only after success.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "The finalizer stays." },
        "stage.gaveUp": { target: "GiveUp", description: "The finalizer stays." },
        "stage.succeeded": { target: "End", description: "Cleaned up, or still cleaning up." },
      },
    },
    ErrorManager: {
      description: "Sets the condition, emits a Kubernetes Event, and delays the next attempt with backoff.",
      on: {
        "stage.gaveUp": { target: "GiveUp", description: "The reason for giving up is reported." },
        "stage.succeeded": { target: "End", description: "The error is reported." },
        "stage.failed": { target: "End", description: "The error could not be reported." },
      },
    },
    GiveUp: {
      description: "No requeue: reconciled again on the next change, and on a slow timer.",
      on: { "stage.succeeded": { target: "End", description: "No retry for now." } },
    },
    End: { type: "final", description: "The run has ended." },
  },
});
