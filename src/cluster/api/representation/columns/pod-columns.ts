// The columns of pods; the status is pieced together from containers, as the real server does.
import { fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { formatAgeOf } from "../age.ts";
import { age, named, numberOf, orNone, specOf, statusOf, text, wide } from "./column.ts";

/** The columns of pods. */
export const podColumns: readonly Column[] = named(
  text("Ready", (pod) => {
    const { ready, total } = standingOf(pod);
    return `${ready}/${total}`;
  }),
  text("Status", (pod) => standingOf(pod).reason),
  text("Restarts", restartsText),
  age,
  wide("IP", (pod) => orNone(textOf(statusOf(pod)["podIP"]))),
  wide("Node", (pod) => orNone(textOf(specOf(pod)["nodeName"]))),
  wide("Nominated Node", (pod) => orNone(textOf(statusOf(pod)["nominatedNodeName"]))),
  wide("Readiness Gates", readinessGates),
);

/** That a pod is over, which its row says besides. */
export function podRowConditions(pod: ApiObject): readonly object[] {
  const { phase } = statusOf(pod);
  if (phase === "Succeeded") return [completed(phase, "The pod has completed successfully.")];
  return phase === "Failed" ? [completed(phase, "The pod failed.")] : [];
}

const completed = (reason: string, message: string): object => ({
  type: "Completed",
  status: "True",
  reason,
  message,
});

/** What the cells of a pod say, as far as its containers have been looked at. */
interface Standing {
  /** Why it is where it is. */
  readonly reason: string;
  readonly ready: number;
  /** Its containers; sidecars are among them. */
  readonly total: number;
  /** Those whose restarts count. */
  readonly counted: readonly Fields[];
}

function standingOf(pod: ApiObject): Standing {
  const spec = specOf(pod);
  const status = statusOf(pod);
  const initContainers = fieldsList(spec["initContainers"]);
  const sidecars = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  const total = fieldsList(spec["containers"]).length + sidecars.size;
  const initial = lookAtInit(pod, initContainers.length, (container) => sidecars.has(container["name"]));
  const { seen, ready, reason: initReason } = initial;
  if (initReason !== undefined && !hasTrue(status, "Initialized"))
    return { reason: ended(pod, initReason), ready, total, counted: seen };
  const containers = fieldsList(status["containerStatuses"]);
  const running = containers.filter(isReadyAndRunning).length;
  let reason = containers.reduceRight<string>(
    (known, container) => containerReason(container) ?? known,
    initReason ?? podReason(status),
  );
  // What still runs says more than what is done.
  if (reason === "Completed" && running > 0) reason = hasTrue(status, "Ready") ? "Running" : "NotReady";
  return {
    reason: ended(pod, reason),
    ready: ready + running,
    total,
    counted: [...seen.filter(({ name }) => sidecars.has(name)), ...containers],
  };
}

function isSidecar(container: Fields): boolean {
  return container["restartPolicy"] === "Always";
}

/** The init containers up to the first that has more to do, and what is said of it. */
function lookAtInit(
  pod: ApiObject,
  total: number,
  isOneOfThem: (container: Fields) => boolean,
): { readonly seen: readonly Fields[]; readonly ready: number; readonly reason?: string } {
  const statuses = fieldsList(statusOf(pod)["initContainerStatuses"]);
  let ready = 0;
  for (const [index, container] of statuses.entries()) {
    const { terminated, waiting } = fieldsOf(container["state"]);
    if (terminated !== undefined && numberOf(fieldsOf(terminated)["exitCode"]) === 0) continue;
    if (isOneOfThem(container) && container["started"] === true) {
      if (container["ready"] === true) ready += 1;
      continue;
    }
    const seen = statuses.slice(0, index + 1);
    if (terminated !== undefined)
      return { seen, ready, reason: `Init:${terminatedText(fieldsOf(terminated))}` };
    const waitsFor = textOf(fieldsOf(waiting)["reason"]);
    const isNamed = waitsFor !== "" && waitsFor !== "PodInitializing";
    return { seen, ready, reason: isNamed ? `Init:${waitsFor}` : `Init:${index}/${total}` };
  }
  return { seen: statuses, ready };
}

/** What is said of a pod whose containers say nothing. */
function podReason(status: Fields): string {
  const isGated = fieldsList(status["conditions"]).some(
    (each) => each["type"] === "PodScheduled" && each["reason"] === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : textOf(status["reason"]) || textOf(status["phase"]);
}

function containerReason(container: Fields): string | undefined {
  const { waiting, terminated } = fieldsOf(container["state"]);
  const waitsFor = textOf(fieldsOf(waiting)["reason"]);
  if (waitsFor !== "") return waitsFor;
  return terminated === undefined ? undefined : terminatedText(fieldsOf(terminated));
}

function isReadyAndRunning(container: Fields): boolean {
  const { running } = fieldsOf(container["state"]);
  return containerReason(container) === undefined && container["ready"] === true && running !== undefined;
}

/** What is said of a pod that is being deleted. */
function ended(pod: ApiObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  const { reason: said, phase } = statusOf(pod);
  if (said === "NodeLost") return "Unknown";
  return phase === "Succeeded" || phase === "Failed" ? reason : "Terminating";
}

function hasTrue(status: Fields, type: string): boolean {
  const condition = fieldsList(status["conditions"]).find((each) => each["type"] === type);
  return condition?.["status"] === "True";
}

function terminatedText(terminated: Fields): string {
  const reason = textOf(terminated["reason"]);
  if (reason !== "") return reason;
  const signal = numberOf(terminated["signal"]);
  return signal === 0 ? `ExitCode:${numberOf(terminated["exitCode"])}` : `Signal:${signal}`;
}

function restartsText(pod: ApiObject, now: number): string {
  const { counted } = standingOf(pod);
  const restarts = counted.reduce((sum, each) => sum + numberOf(each["restartCount"]), 0);
  const finished = counted
    .map((each) => textOf(fieldsOf(fieldsOf(each["lastState"])["terminated"])["finishedAt"]))
    .filter((each) => each !== "")
    .sort()
    .at(-1);
  return restarts > 0 && finished !== undefined
    ? `${restarts} (${formatAgeOf(finished, now)} ago)`
    : String(restarts);
}

function readinessGates(pod: ApiObject): string {
  const gates = fieldsList(specOf(pod)["readinessGates"]);
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) => hasTrue(statusOf(pod), textOf(gate["conditionType"])));
  return `${open.length}/${gates.length}`;
}
