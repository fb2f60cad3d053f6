// Admission of pods by the security level of their namespace: pods are refused, workloads warned about, and a change of a namespace says which of
// its pods a new level would refuse.
import type { ApiCore } from "../../api-core.ts";
import { fieldsList, fieldsOf, isFields, type ApiObject, type Fields } from "../../api-object.ts";
import type { ServedType } from "../../served-type.ts";
import { forbiddenObject, invalidObject } from "../../status-error.ts";
import { checkedPod, type CheckedPod } from "./pod-checks.ts";
import { violationsOf } from "./security-checks.ts";
import { isStricter, levelText, securityPolicyOf, type LevelVersion } from "./security-labels.ts";

/** A write that is looked at. */
export interface SecuredWrite {
  readonly type: ServedType;
  readonly subresource: string | undefined;
  /** Texts for the answer's Warning headers, which are added to. */
  readonly warnings: string[];
}

/** How many pods whoever changes a namespace is warned about at most. */
const mostPods = 3_000;
const podSubresources = new Set<string | undefined>([undefined, "ephemeralcontainers", "resize"]);

/** Where the types that make pods have the template of them. */
const templatePaths: Readonly<Record<string, readonly string[]>> = {
  "cronjobs.batch": ["spec", "jobTemplate", "spec", "template"],
  "daemonsets.apps": ["spec", "template"],
  "deployments.apps": ["spec", "template"],
  "jobs.batch": ["spec", "template"],
  podtemplates: ["template"],
  "replicasets.apps": ["spec", "template"],
  replicationcontrollers: ["spec", "template"],
  "statefulsets.apps": ["spec", "template"],
};

/** Looks at a write, whose `previous` state is absent on create. Errors: 403 for a pod; 422 for a namespace whose labels are wrong. */
export function assertSecure(
  core: Pick<ApiCore, "store">,
  request: SecuredWrite,
  object: ApiObject,
  previous?: ApiObject,
): void {
  const { type, subresource } = request;
  if (type.custom) return;
  if (type.storageKey === "namespaces") {
    if (subresource === undefined) checkNamespace(core, request, object, previous);
  } else if (type.storageKey === "pods") {
    if (!podSubresources.has(subresource)) return;
    if (previous === undefined || hasOtherImages(object, previous)) checkPod(core, request, object);
  } else if (subresource === undefined && Object.hasOwn(templatePaths, type.storageKey)) {
    checkWorkload(core, request, object);
  }
}

function checkNamespace(
  { store }: Pick<ApiCore, "store">,
  { type, warnings }: SecuredWrite,
  { metadata: { name, labels } }: ApiObject,
  previous: ApiObject | undefined,
): void {
  const policy = securityPolicyOf(labels);
  const before = securityPolicyOf(previous?.metadata.labels);
  // Labels that were wrong before may stay so.
  if (JSON.stringify(policy.faults) !== JSON.stringify(before.faults) && policy.faults.length > 0) {
    throw invalidObject(type.group, type.kind, name, policy.faults);
  }
  if (previous === undefined || !isStricter(policy.enforce, before.enforce)) return;
  const pods = oneOfEachController(store.list("pods").filter(({ metadata }) => metadata.namespace === name));
  if (pods.length > mostPods) {
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${mostPods} of ${pods.length} existing pods`,
    );
  }
  const byReason = new Map<string, string[]>();
  for (const pod of pods.slice(0, mostPods)) {
    const found = violations(policy.enforce, checkedPod(pod.metadata, fieldsOf(pod["spec"])));
    if (found.length === 0) continue;
    const reason = found.map((each) => each.reason).join(", ");
    byReason.set(reason, [...(byReason.get(reason) ?? []), pod.metadata.name]);
  }
  if (byReason.size === 0) return;
  const level = JSON.stringify(levelText(policy.enforce));
  warnings.push(
    `existing pods in namespace ${JSON.stringify(name)} violate the new PodSecurity enforce level ${level}`,
    ...[...byReason].map(([reason, names]) => `${podsText(names)}: ${reason}`).toSorted(),
  );
}

/** The pods, of which those that are like another one of their controller come last. */
function oneOfEachController(pods: readonly ApiObject[]): readonly ApiObject[] {
  const seen = new Set<unknown>();
  const alike: ApiObject[] = [];
  const first = pods.filter((pod) => {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (owner === undefined || !seen.has(owner)) {
      seen.add(owner);
      return true;
    }
    alike.push(pod);
    return false;
  });
  return [...first, ...alike];
}

function podsText(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}

function checkPod(core: Pick<ApiCore, "store">, { type, warnings }: SecuredWrite, pod: ApiObject): void {
  const { enforce, warn } = policyIn(core, pod);
  const checked = checkedPod(pod.metadata, fieldsOf(pod["spec"]));
  const detail = violationText("violates", enforce, checked);
  if (detail !== undefined) throw forbiddenObject(type, pod.metadata.name, detail);
  const warning = violationText("would violate", warn, checked);
  if (warning !== undefined) warnings.push(warning);
}

function checkWorkload(
  core: Pick<ApiCore, "store">,
  { type, warnings }: SecuredWrite,
  object: ApiObject,
): void {
  const { warn } = policyIn(core, object);
  if (warn.level === "privileged") return;
  const template = (templatePaths[type.storageKey] ?? []).reduce<unknown>(
    (part, field) => fieldsOf(part)[field],
    object,
  );
  if (!isFields(template)) return;
  const checked = checkedPod(template["metadata"], fieldsOf(template["spec"]));
  const warning = violationText("would violate", warn, checked);
  if (warning !== undefined) warnings.push(warning);
}

function policyIn(
  { store }: Pick<ApiCore, "store">,
  { metadata }: ApiObject,
): ReturnType<typeof securityPolicyOf> {
  return securityPolicyOf(store.get("namespaces", undefined, metadata.namespace ?? "")?.metadata.labels);
}

function violations({ level, minor }: LevelVersion, pod: CheckedPod): ReturnType<typeof violationsOf> {
  return level === "privileged" ? [] : violationsOf(level, minor, pod);
}

function violationText(word: string, level: LevelVersion, pod: CheckedPod): string | undefined {
  const found = violations(level, pod);
  if (found.length === 0) return undefined;
  const said = found.map(({ reason, detail }) => `${reason} (${detail})`).join(", ");
  return `${word} PodSecurity ${JSON.stringify(levelText(level))}: ${said}`;
}

/** Of what can be changed of a pod, only images and new ephemeral containers are looked at again. */
function hasOtherImages(pod: ApiObject, previous: ApiObject): boolean {
  const [spec, before] = [fieldsOf(pod["spec"]), fieldsOf(previous["spec"])];
  const imagesIn = (of: Fields, name: string): string =>
    JSON.stringify(fieldsList(of[name]).map(({ image }) => image ?? ""));
  if (["containers", "initContainers"].some((name) => imagesIn(spec, name) !== imagesIn(before, name)))
    return true;
  const known = fieldsList(before["ephemeralContainers"]);
  return fieldsList(spec["ephemeralContainers"]).some(
    ({ name, image }) => known.find((each) => each["name"] === name)?.["image"] !== image,
  );
}
