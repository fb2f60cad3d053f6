// The public entry `xstate-operator/jobs`: tasks that are Kubernetes Jobs. An entry of its own, because the types of a Job bring
// along those of nearly everything that a pod can have.
export { jobTask } from "./job-task.ts";
export type { JobManifest, JobTaskOptions } from "./job-task.ts";
