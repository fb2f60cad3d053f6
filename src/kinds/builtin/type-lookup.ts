// Kubernetes' own types by apiVersion and kind: for manifests that come from YAML, and for owner references. A type that the
// file of its API group exports is among them.
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import * as admissionregistration from "./admissionregistration.ts";
import * as apiextensions from "./apiextensions.ts";
import * as apiregistration from "./apiregistration.ts";
import * as apps from "./apps.ts";
import * as autoscaling from "./autoscaling.ts";
import * as batch from "./batch.ts";
import * as certificates from "./certificates.ts";
import * as coordination from "./coordination.ts";
import * as core from "./core.ts";
import * as discovery from "./discovery.ts";
import * as events from "./events.ts";
import * as flowcontrol from "./flowcontrol.ts";
import * as networking from "./networking.ts";
import * as node from "./node.ts";
import * as policy from "./policy.ts";
import * as rbac from "./rbac.ts";
import * as resource from "./resource.ts";
import * as scheduling from "./scheduling.ts";
import * as storage from "./storage.ts";

/** Every built-in type of a stable version. */
export const builtinTypes: readonly ResourceType[] = [
  core,
  admissionregistration,
  apiextensions,
  apiregistration,
  apps,
  autoscaling,
  batch,
  certificates,
  coordination,
  discovery,
  events,
  flowcontrol,
  networking,
  node,
  policy,
  rbac,
  resource,
  scheduling,
  storage,
].flatMap((group): readonly ResourceType[] => Object.values(group));

const byApiVersionAndKind = new Map(builtinTypes.map((type) => [`${apiVersionOf(type)}/${type.kind}`, type]));

/** The built-in type of an `apiVersion` and `kind`, or undefined when it is none of {@link builtinTypes}. */
export function typeOf(apiVersion: string, kind: string): ResourceType | undefined {
  return byApiVersionAndKind.get(`${apiVersion}/${kind}`);
}
