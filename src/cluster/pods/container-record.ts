// What a pod's life keeps of each container: a container status in which the fields it decides about are always there.
import type { ContainerState } from "../../kinds/builtin/parts.ts";
import type { ContainerStatus } from "../../kinds/builtin/parts.ts";

/** One entry of `status.containerStatuses`, complete. */
export interface ContainerRecord extends ContainerStatus {
  readonly started: boolean;
  readonly state: ContainerState;
  readonly lastState: ContainerState;
}
