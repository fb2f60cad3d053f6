// What is gathered of a step that failed: logs of pods, Events, and what a command prints.
import { objectPath, withQuery } from "../../client/request-path.ts";
import { listAll } from "../../client/paging.ts";
import { Pod } from "../../kinds/builtin/core.ts";
import { KubernetesEvent } from "../../kinds/builtin/events.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { Collector } from "../files/test-forms.ts";
import type { TestCluster } from "./test-cluster.ts";
import { runTestCommand, type CommandPlace } from "./run-command.ts";

/** Lines of each pod that is found by its labels; all of one that is named. */
const linesBySelector = 10;
/** Events that are shown, the last ones. */
const mostEvents = 20;

/** Logs what a collector gathers; what goes wrong in it is logged, too. */
export async function collect(
  collector: Collector,
  cluster: TestCluster,
  place: CommandPlace,
): Promise<void> {
  const { command, namespace = place.namespace } = collector;
  const type = (collector.type ?? (command === undefined ? "pod" : "command")).toLowerCase();
  try {
    if (type === "command")
      await runTestCommand({ ...(command === undefined ? {} : { command }), ignoreFailure: true }, place);
    else if (type === "events") await logEvents(cluster, namespace, place, collector.pod);
    else if (type === "pod") await logPods(collector, cluster, namespace, place);
    else place.log(`a collector has the type ${type}, and known are pod, events and command`);
  } catch (error) {
    place.signal.throwIfAborted();
    place.log(`a collector of ${type} fails: ${messageOf(error)}`);
  }
}

/** Logs the last Events of a namespace; of one object where a name is given. */
export async function logEvents(
  { client }: TestCluster,
  namespace: string,
  { log, signal }: Pick<CommandPlace, "log" | "signal">,
  name?: string,
): Promise<void> {
  const fieldSelector = name === undefined ? {} : { fieldSelector: `regarding.name=${name}` };
  const { items } = await listAll(client, KubernetesEvent, { namespace, signal, ...fieldSelector });
  const timeOf = ({ deprecatedLastTimestamp: last, eventTime, metadata }: KubernetesEvent): string =>
    last ?? eventTime ?? metadata.creationTimestamp;
  const last = items.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))).slice(-mostEvents);
  log(last.length === 0 ? `no Events in ${namespace}` : `Events in ${namespace}:`);
  for (const { type, reason, regarding, note } of last) {
    log(
      `  ${type ?? "Normal"} ${reason ?? ""} ${regarding?.kind ?? ""}/${regarding?.name ?? ""}: ${note ?? ""}`,
    );
  }
}

async function logPods(
  collector: Collector,
  { client }: TestCluster,
  namespace: string,
  { log, signal }: CommandPlace,
): Promise<void> {
  const { pod, selector: labelSelector, container, tail } = collector;
  if (pod === undefined && labelSelector === undefined) {
    log("a collector of pods names neither pod nor selector");
    return;
  }
  const pods =
    pod === undefined
      ? (
          await listAll(client, Pod, {
            namespace,
            signal,
            ...(labelSelector === undefined ? {} : { labelSelector }),
          })
        ).items
      : [await client.get(Pod, { namespace, name: pod }, { signal })];
  if (pods.length === 0) log(`no pods with ${labelSelector ?? ""} in ${namespace}`);
  const lines = tail === undefined || tail === 0 ? (pod === undefined ? linesBySelector : -1) : tail;
  for (const { metadata, spec } of pods) {
    for (const name of container === undefined
      ? (spec?.containers ?? []).map((each) => each.name)
      : [container]) {
      const query = { container: name, ...(lines < 0 ? {} : { tailLines: lines }) };
      const path = withQuery(objectPath(Pod, { namespace, name: metadata.name }, "log"), query);
      log(`log of ${metadata.name}/${name}:`);
      try {
        const text = await client.request({ method: "GET", path, accept: "application/json, */*", signal });
        for (const line of asText(text).replace(/\n$/, "").split("\n")) log(`  ${line}`);
      } catch (error) {
        signal.throwIfAborted();
        log(`  ${messageOf(error)}`);
      }
    }
  }
}

/** The log of a pod is a text, of which one that looks like JSON has been read. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
