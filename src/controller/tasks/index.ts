/**
 * Tasks that apply objects and wait for them, and tasks that ask a service.
 *
 * @module xstate-operator/tasks
 */
export { applyTask } from "./apply-task.ts";
export type { AppliedHealth, ApplyTaskOptions } from "./apply-task.ts";
export { pollTask } from "./poll-task.ts";
export type { PollTaskOptions, Polled } from "./poll-task.ts";
export { httpTask } from "./http-task.ts";
export type { HttpTaskOptions, HttpTaskRequest } from "./http-task.ts";
export { execTask } from "./exec-task.ts";
export type { ExecTaskCommand, ExecTaskOptions } from "./exec-task.ts";
export { sidecarTask } from "./sidecar-task.ts";
export type { SidecarTaskOptions } from "./sidecar-task.ts";
