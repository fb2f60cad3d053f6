/**
 * Tasks that are Kubernetes Jobs. An entry of its own, because the types of a Job bring along those of nearly everything that a pod
 * can have.
 *
 * @module xstate-operator/jobs
 */
export { jobTask } from "./job-task.ts";
export type { JobManifest, JobTaskOptions } from "./job-task.ts";
