/**
 * What runs beside an application and serves its state and its tasks to the operator.
 *
 * @module xstate-operator/sidecar
 */
export { startSidecar } from "./start-sidecar.ts";
export type { Sidecar } from "./start-sidecar.ts";
export type {
  SidecarOptions,
  SidecarProbe,
  SidecarState,
  SidecarTask,
  SidecarTaskCall,
} from "./sidecar-options.ts";
