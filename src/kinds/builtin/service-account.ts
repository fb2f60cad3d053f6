// ServiceAccount: the identity of pods.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { LocalObjectReference, ObjectReference } from "./local-reference.ts";

/** A ServiceAccount (core v1). */
export interface ServiceAccount extends NamespacedObject {
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly secrets?: readonly ObjectReference[];
}

/** The type of {@link ServiceAccount}. */
export const ServiceAccount: ResourceType<ServiceAccount> = builtin<ServiceAccount>(
  "v1",
  "ServiceAccount",
  "serviceaccounts",
);
