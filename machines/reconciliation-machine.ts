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
  /** Something failed, or the run gave up for a reason that people should see. */
  | { type: "stage.failed" }
  /** The run gave up: retrying is useless until something changes. */
  | { type: "stage.gaveUp" }
  /** The custom resource is being deleted and carries our finalizer. */
  | { type: "stage.finalizing" }
  /** The custom resource is being deleted and none of our clean-up is left. */
  | { type: "stage.nothingToDo" };

/** The reconciliation pipeline: from the request to `End`, at most eight moves, no cycle. */
export const reconciliationMachine = setup({
  types: { events: {} as ReconciliationEvent },
}).createMachine({
  id: "reconciliation",
  initial: "Requested",
  description: "One run of the reconciliation pipeline for one custom resource.",
  options: { maxIterations: 100 },
  states: {
    Requested: {
      description: "Takes the request with what has changed since the last run.",
      on: {
        "request.received": {
          target: "CRChecker",
          description: "The changes are only why: all is read from the cache.",
        },
      },
    },
    CRChecker: {
      description:
        "The custom resource as the cache has it: our finalizer is added before any child exists; the author's checks.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "The check failed." },
        "stage.gaveUp": { target: "GiveUp", description: "Nothing to be done until something changes." },
        "stage.finalizing": { target: "CRFinalizer", description: "Being deleted, and it waits for us." },
        "stage.nothingToDo": { target: "End", description: "Being deleted, and it does not wait for us." },
        "stage.succeeded": { target: "ObjectsGetter", description: "It makes sense." },
      },
    },
    ObjectsGetter: {
      description: "The resources are registered, and each is looked up in the cache or on the cluster.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "A resource could not be read." },
        "stage.gaveUp": { target: "GiveUp", description: "Nothing to be done until something changes." },
        "stage.succeeded": { target: "Mutator", description: "What exists is known." },
      },
    },
    Mutator: {
      description: "What each resource shall be: initial data, then the custom resource's data.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "A resource could not be rendered." },
        "stage.gaveUp": { target: "GiveUp", description: "Nothing to be done until something changes." },
        "stage.succeeded": { target: "Updater", description: "What shall be is known." },
      },
    },
    Updater: {
      description:
        "Each resource is created, updated or left alone; the application, one of them, moves one step.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "A write was refused." },
        "stage.gaveUp": { target: "GiveUp", description: "Nothing to be done until something changes." },
        "stage.succeeded": {
          target: "SuccessManager",
          description: "The cluster is as desired, or on its way.",
        },
      },
    },
    SuccessManager: {
      description: "The author's status fields, then the status with its conditions, written if it differs.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "The status could not be made." },
        "stage.gaveUp": { target: "GiveUp", description: "Nothing to be done until something changes." },
        "stage.succeeded": { target: "End", description: "Done." },
      },
    },
    CRFinalizer: {
      description:
        "The author's clean-up, then the application is brought to its end; only after success our finalizer goes.",
      on: {
        "stage.failed": { target: "ErrorManager", description: "The finalizer stays." },
        "stage.gaveUp": { target: "GiveUp", description: "The finalizer stays." },
        "stage.succeeded": { target: "End", description: "Cleaned up, or still cleaning up." },
      },
    },
    ErrorManager: {
      description: "The condition, a Kubernetes Event, and the throttled delay of the next attempt.",
      on: {
        "stage.gaveUp": { target: "GiveUp", description: "The reason for giving up is reported." },
        "stage.succeeded": { target: "End", description: "The error is reported." },
        "stage.failed": { target: "End", description: "The error could not be reported." },
      },
    },
    GiveUp: {
      description: "No requeue: reconciled again on the next change, and on a slow timer.",
      on: { "stage.succeeded": { target: "End", description: "Given up for now." } },
    },
    End: { type: "final", description: "The run is over." },
  },
});
