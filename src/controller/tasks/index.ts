/**
 * Tasks that apply objects and wait for them, and tasks that ask a service.
 *
 * @module xstate-operator/tasks
 */
export { applyTask } from "./apply-task.ts";
export type { AppliedHealth, ApplyTaskOptions } from "./apply-task.ts";
export { pollTask } from "./poll-task.ts";
export type { PollTaskOptions, Polled } from "./poll-task.ts";
