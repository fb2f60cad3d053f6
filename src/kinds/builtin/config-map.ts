// ConfigMap: configuration that is no secret.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";

/** A ConfigMap (core v1). */
export interface ConfigMap extends NamespacedObject {
  /** True: the data can never change; only delete and create. */
  readonly immutable?: boolean;
  /** At most 1 MiB together with `binaryData`. */
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** The type of {@link ConfigMap}. */
export const ConfigMap: ResourceType<ConfigMap> = builtin<ConfigMap>("v1", "ConfigMap", "configmaps");
