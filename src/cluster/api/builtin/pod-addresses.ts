// Which addresses pods have: the processes that are pods of an embedded cluster listen on the loopback network, whose addresses lead nowhere else.
import { fieldsList, fieldsOf, type ApiObject } from "../api-object.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** Says of an address whether a pod has it. */
export function ofPods(store: Pick<ObjectStore, "list">): (address: string) => boolean {
  return (address) => store.list("pods").some((pod) => hasAddress(pod, address));
}

/** Whether an address is one of a pod's. */
export function hasAddress({ status }: ApiObject, address: unknown): boolean {
  const { podIP, podIPs } = fieldsOf(status);
  return podIP === address || fieldsList(podIPs).some(({ ip }) => ip === address);
}
