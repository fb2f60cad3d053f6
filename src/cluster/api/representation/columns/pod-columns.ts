// The columns of pods; the status is pieced together from containers, as the real server does.
import { fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { formatAgeOf } from "../age.ts";
import { age, named, numberOf, orNone, specOf, statusOf, text, wide } from "./column.ts";

/** The columns of pods. */
export const podColumns: readonly Column[] = named(
  text("Ready", (pod) => {
    const containers = fieldsList(specOf(pod)["containers"]).length;
    const ready = fieldsList(statusOf(pod)["containerStatuses"]).filter((each) => each["ready"] === true);
    return `${ready.length}/${containers}`;
  }),
  text("Status", statusText),
  text("Restarts", restartsText),
  age,
  wide("IP", (pod) => orNone(textOf(statusOf(pod)["podIP"]))),
  wide("Node", (pod) => orNone(textOf(specOf(pod)["nodeName"]))),
  wide("Nominated Node", (pod) => orNone(textOf(statusOf(pod)["nominatedNodeName"]))),
  wide("Readiness Gates", readinessGates),
);

function statusText(pod: ApiObject): string {
  const status = statusOf(pod);
  let reason = textOf(status["reason"]) || textOf(status["phase"]);
  const scheduled = fieldsList(status["conditions"]).find((each) => each["type"] === "PodScheduled");
  if (scheduled?.["reason"] === "SchedulingGated") reason = "SchedulingGated";
  const initReason = initText(pod);
  if (initReason !== undefined) reason = initReason;
  else {
    let hasRunning = false;
    for (const container of fieldsList(status["containerStatuses"]).toReversed()) {
      const { waiting, terminated, running } = fieldsOf(container["state"]);
      if (textOf(fieldsOf(waiting)["reason"]) !== "") reason = textOf(fieldsOf(waiting)["reason"]);
      else if (terminated !== undefined) reason = terminatedText(fieldsOf(terminated));
      else if (container["ready"] === true && running !== undefined) hasRunning = true;
    }
    const isReady = fieldsList(status["conditions"]).some(
      (each) => each["type"] === "Ready" && each["status"] === "True",
    );
    if (reason === "Completed" && hasRunning) reason = isReady ? "Running" : "NotReady";
  }
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (status["reason"] === "NodeLost") return "Unknown";
  const isOver = status["phase"] === "Succeeded" || status["phase"] === "Failed";
  return isOver ? reason : "Terminating";
}

function initText(pod: ApiObject): string | undefined {
  const total = fieldsList(specOf(pod)["initContainers"]).length;
  const statuses = fieldsList(statusOf(pod)["initContainerStatuses"]);
  for (const [index, container] of statuses.entries()) {
    const state = fieldsOf(container["state"]);
    const terminated = state["terminated"];
    if (terminated !== undefined && fieldsOf(terminated)["exitCode"] === 0) continue;
    if (terminated !== undefined) return `Init:${terminatedText(fieldsOf(terminated))}`;
    const waiting = textOf(fieldsOf(state["waiting"])["reason"]);
    if (waiting !== "" && waiting !== "PodInitializing") return `Init:${waiting}`;
    return `Init:${index}/${total}`;
  }
  return undefined;
}

function terminatedText(terminated: Fields): string {
  const reason = textOf(terminated["reason"]);
  if (reason !== "") return reason;
  const signal = numberOf(terminated["signal"]);
  return signal === 0 ? `ExitCode:${numberOf(terminated["exitCode"])}` : `Signal:${signal}`;
}

function restartsText(pod: ApiObject, now: number): string {
  const statuses = fieldsList(statusOf(pod)["containerStatuses"]);
  const restarts = statuses.reduce((sum, each) => sum + numberOf(each["restartCount"]), 0);
  const finished = statuses
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
  const conditions = fieldsList(statusOf(pod)["conditions"]);
  const open = gates.filter((gate) =>
    conditions.some((each) => each["type"] === gate["conditionType"] && each["status"] === "True"),
  );
  return `${open.length}/${gates.length}`;
}
