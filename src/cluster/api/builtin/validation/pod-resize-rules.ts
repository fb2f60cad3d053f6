// What a resize may change of a pod: how much of the processors and of the memory its containers, or all of them together, get.
import { equal } from "../../../../schema/json-value.ts";
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, isFields, type Fields } from "../../api-object.ts";
import { qualityOf } from "../quality-of-service.ts";
import type { ChangeRule } from "./rule.ts";

const lists = ["containers", "initContainers"] as const;

/** Containers are neither added nor removed, nor named otherwise. */
function orderFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  return lists.flatMap((list): readonly StatusCause[] => {
    const [now, old] = [fieldsList(spec[list]), fieldsList(before[list])];
    const field = `spec.${list}`;
    if (now.length !== old.length) {
      return [forbiddenValue(field, `${list} may not be added or removed on resize`)];
    }
    const detail = `${list} may not be renamed or reordered on resize`;
    return old.flatMap(({ name }, index) =>
      now[index]?.["name"] === name ? [] : [forbiddenValue(`${field}[${index}].name`, detail)],
    );
  });
}

function isMissing(amounts: unknown, before: unknown): boolean {
  return Object.keys(fieldsOf(before)).some((name) => !Object.hasOwn(fieldsOf(amounts), name));
}

/** What was asked for is changed, but still asked for. */
function removals(
  resources: unknown,
  before: unknown,
  at: string,
  what = "resource",
): readonly StatusCause[] {
  return ["requests", "limits"].flatMap((name) =>
    isMissing(fieldsOf(resources)[name], fieldsOf(before)[name])
      ? [forbiddenValue(`${at}.${name}`, `${what} ${name} cannot be removed`)]
      : [],
  );
}

/** Amounts with the processors and the memory of others. */
function withFormer(amounts: unknown, before: unknown): Fields {
  const { cpu: _cpu, memory: _memory, ...rest } = fieldsOf(amounts);
  const { cpu, memory } = fieldsOf(before);
  return { ...rest, ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
}

/** What is asked for, as far as it is settled; no claims of devices are kept. */
function settledAmounts(resources: unknown, before: unknown): Fields {
  const [{ limits, requests }, old] = [fieldsOf(resources), fieldsOf(before)];
  return withoutEmpty({
    limits: withFormer(limits, old["limits"]),
    requests: withFormer(requests, old["requests"]),
  });
}

function withoutEmpty(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isFields(value) || Object.keys(value).length > 0),
  );
}

/** Whether a container is another one but for its processors and its memory. */
function isOther(container: Fields, before: Fields): boolean {
  const now = { ...container, resources: settledAmounts(container["resources"], before["resources"]) };
  return !equal(now, { ...before, resources: withoutEmpty(fieldsOf(before["resources"])) });
}

function initFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  return fieldsList(spec["initContainers"]).flatMap((container, index): readonly StatusCause[] => {
    const old = fieldsList(before["initContainers"])[index] ?? {};
    const field = `spec.initContainers[${index}]`;
    const isRestarted = fieldsList(container["resizePolicy"]).filter(
      ({ restartPolicy }) => restartPolicy === "RestartContainer",
    );
    const isRefused = container["restartPolicy"] !== "Always" && !equal(container, old);
    const mutable = "only cpu and memory resources for init or sidecar containers are mutable";
    const restarted =
      "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
    return [
      ...(isOther(container, old) ? [forbiddenValue(field, mutable)] : []),
      ...(isRefused ? isRestarted : []).map(() => forbiddenValue(field, restarted)),
    ];
  });
}

const hasAmounts = (resources: unknown): boolean =>
  ["limits", "requests"].some((name) => Object.keys(fieldsOf(fieldsOf(resources)[name])).length > 0);

/** What all containers together get. */
function wholeFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  const [now, old] = [spec["resources"], before["resources"]];
  if (!hasAmounts(now) && !hasAmounts(old)) return [];
  const at = "spec.resources";
  if (isFields(old) && !isFields(now)) return [forbiddenValue(at, "pod-level resources cannot be removed")];
  const { claims: _claims, ...rest } = fieldsOf(old);
  const isAlike = equal(settledAmounts(now, old), withoutEmpty(rest));
  return [
    ...(isFields(old) ? removals(now, old, at, "pod-level resource") : []),
    ...(isAlike ? [] : [forbiddenValue("spec", "only cpu and memory resources are mutable at pod-level")]),
  ];
}

const onlyAmounts = "only cpu and memory resources are mutable";

/** What a resize may not change. */
export const resizeChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  const status = fieldsOf(previous["status"]);
  const causes: StatusCause[] = [];
  if (qualityOf(spec) !== (status["qosClass"] ?? qualityOf(before))) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    causes.push(invalidValue("spec", status["qosClass"] ?? "", detail));
  }
  // A node that can resize says so by what it tells of the containers that run.
  const running = fieldsList(status["containerStatuses"]).find(
    ({ state }) => fieldsOf(state)["running"] !== undefined,
  );
  if (running !== undefined && running["resources"] === undefined) {
    causes.push(forbiddenValue("spec", "Pod running on node without support for resize"));
  }
  causes.push(...wholeFaults(spec, before));
  if (fieldsList(status["nodeAllocatableResourceClaimStatuses"]).length > 0) {
    causes.push(forbiddenValue("spec", "pods with node allocatable resource claims cannot be resized"));
  }
  const order = orderFaults(spec, before);
  if (order.length > 0) return [...causes, ...order];
  for (const list of ["initContainers", "containers"]) {
    fieldsList(before[list]).forEach((old, index) => {
      const now = fieldsList(spec[list])[index]?.["resources"];
      causes.push(...removals(now, old["resources"], `spec.${list}[${index}].resources`));
    });
  }
  const old = fieldsList(before["containers"]);
  const others = fieldsList(spec["containers"]).filter((each, index) => isOther(each, old[index] ?? {}));
  return [...causes, ...others.map(() => forbiddenValue("spec", onlyAmounts)), ...initFaults(spec, before)];
};
