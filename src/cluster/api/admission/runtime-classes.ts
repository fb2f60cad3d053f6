// What the class of its container runtime gives to a pod, as the admission plugin RuntimeClass settles it: the overhead that counts beside its
// containers, and where such pods can run.
// https://kubernetes.io/docs/concepts/containers/runtime-class/
import { pathSegmentFaults } from "../../../meta/name-rules.ts";
import { nanoOf } from "../../../schema/cel/quantity.ts";
import { equal } from "../../../schema/json-value.ts";
import type { ApiCore } from "../api-core.ts";
import { ensureFields, fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { isSentEmpty } from "../sent-empty.ts";
import type { ServedType } from "../served-type.ts";
import { forbiddenCreation, StatusError } from "../status-error.ts";

type Stored = Pick<ApiCore, "store">;

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/** Settles what the runtime class of a pod gives to it, in place. Errors: 403 for a class that there is not, or that the pod contradicts. */
export function settleRuntimeClass(core: Stored, pod: ApiObject, type: ServedType): void {
  const spec = ensureFields(pod, "spec");
  const runtimeClass = classOf(core, pod, type);
  if (runtimeClass === undefined) return;
  const overhead = overheadOf(runtimeClass);
  if (overhead !== undefined) {
    if (spec["overhead"] !== undefined && !isSameAmounts(fieldsOf(spec["overhead"]), overhead)) {
      throw forbiddenCreation(type, pod, otherOverhead);
    }
    spec["overhead"] = structuredClone(overhead);
  }
  const { scheduling } = runtimeClass;
  if (scheduling === undefined) return;
  const { nodeSelector, tolerations } = fieldsOf(scheduling);
  const selector = { ...fieldsOf(spec["nodeSelector"]) };
  for (const [key, value] of Object.entries(fieldsOf(nodeSelector))) {
    const own = selector[key];
    if (own !== undefined && own !== value) {
      const conflict = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${textOf(value)}; pod.spec.nodeSelector[${key}] = ${textOf(own)}`;
      throw forbiddenCreation(type, pod, conflict);
    }
    selector[key] = value;
  }
  if (Object.keys(selector).length > 0) spec["nodeSelector"] = selector;
  const merged = mergeTolerations([...fieldsList(spec["tolerations"]), ...fieldsList(tolerations)]);
  if (merged.length > 0) spec["tolerations"] = merged;
}

/** Refuses a pod whose overhead is not that of its class, whoever has set it. Errors: 403. */
export function assertOverhead(core: Stored, type: ServedType, pod: ApiObject): void {
  const spec = fieldsOf(pod["spec"]);
  const { overhead } = spec;
  const runtimeClass = classOf(core, pod, type);
  const given = runtimeClass === undefined ? undefined : overheadOf(runtimeClass);
  if (given !== undefined) {
    if (overhead === undefined || !isSameAmounts(fieldsOf(overhead), given)) {
      throw forbiddenCreation(type, pod, otherOverhead);
    }
  } else if (overhead !== undefined || isSentEmpty(spec, "overhead")) {
    const detail = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    throw forbiddenCreation(type, pod, detail);
  }
}

/** What the client of the real server says of a name that no path can hold, or undefined. */
export function unaskable(name: string): string | undefined {
  const faults = pathSegmentFaults(name);
  return faults.length === 0
    ? undefined
    : `invalid resource name ${JSON.stringify(name)}: [${faults.join(" ")}]`;
}

function classOf({ store }: Stored, pod: ApiObject, type: ServedType): ApiObject | undefined {
  const { runtimeClassName } = fieldsOf(pod["spec"]);
  if (runtimeClassName === undefined) return undefined;
  const name = textOf(runtimeClassName);
  const said = name === "" ? "resource name may not be empty" : unaskable(name);
  if (said !== undefined) throw new StatusError(500, undefined, said);
  const found = store.get("runtimeclasses.node.k8s.io", undefined, name);
  if (found !== undefined) return found;
  throw forbiddenCreation(type, pod, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

function overheadOf({ overhead }: ApiObject): Fields | undefined {
  if (overhead === undefined) return undefined;
  return fieldsOf(fieldsOf(overhead)["podFixed"]);
}

function isSameAmounts(one: Fields, other: Fields): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => nanoOf(textOf(one[name])) === nanoOf(textOf(other[name])));
}

/** The tolerations without those that others in the list make needless; of equal ones the first stays. */
function mergeTolerations(all: readonly Fields[]): readonly Fields[] {
  const kept: Fields[] = [];
  for (const [index, each] of all.entries()) {
    const isNeedless =
      kept.some((other) => covers(other, each)) ||
      all.slice(index + 1).some((other) => !equal(other, each) && covers(other, each));
    if (!isNeedless) kept.push(each);
  }
  return kept;
}

/** Whether whatever a toleration tolerates is tolerated by the first one too. */
function covers(wide: Fields, narrow: Fields): boolean {
  if (equal(wide, narrow)) return true;
  const { key = "", operator = "", effect = "", value = "", tolerationSeconds } = wide;
  if (key !== (narrow["key"] ?? "") && (key !== "" || operator !== "Exists")) return false;
  if (effect !== (narrow["effect"] ?? "") && effect !== "") return false;
  if (effect === "NoExecute" && tolerationSeconds !== undefined) {
    const { tolerationSeconds: seconds } = narrow;
    if (seconds === undefined || Number(seconds) > Number(tolerationSeconds)) return false;
  }
  if (operator === "Exists") return true;
  const isEqual = operator === "Equal" || operator === "";
  return isEqual && narrow["operator"] === "Equal" && value === (narrow["value"] ?? "");
}
