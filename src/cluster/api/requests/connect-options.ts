// What a connection to a pod is asked for with: the options object that Kubernetes reads from the query, which admission is shown and may change.
import { listOf, type Fields } from "../api-object.ts";
import { isTrue } from "../options/list-options.ts";
import { badRequest } from "../status-error.ts";

/** The subresources of a pod that are connected to. */
export type Connected = "attach" | "exec" | "portforward";

const kinds: Readonly<Record<Connected, string>> = {
  attach: "PodAttachOptions",
  exec: "PodExecOptions",
  portforward: "PodPortForwardOptions",
};
const streams = ["stdin", "stdout", "stderr", "tty"] as const;

/** Reads the options of a connection. Errors: 400 for ports that are no numbers. */
export function readConnectOptions(subresource: Connected, query: URLSearchParams): Fields {
  const head = { kind: kinds[subresource], apiVersion: "v1" };
  if (subresource === "portforward") {
    const ports = query.getAll("ports").flatMap((each) => each.split(","));
    const fault = ports.find((each) => !/^\d+$/.test(each));
    if (fault !== undefined) {
      throw badRequest(
        `cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(fault)}: invalid syntax`,
      );
    }
    return ports.length === 0 ? head : { ...head, ports: ports.map(Number) };
  }
  const container = query.get("container") ?? "";
  const commands = query.getAll("command");
  return {
    ...head,
    ...Object.fromEntries(
      streams.filter((each) => query.has(each) && isTrue(query.get(each))).map((each) => [each, true]),
    ),
    ...(container === "" ? {} : { container }),
    ...(subresource === "attach" ? {} : { command: commands.length === 0 ? null : commands }),
  };
}

/** The query that asks for these options. */
export function queryOfOptions(options: Fields): URLSearchParams {
  const query = new URLSearchParams();
  for (const each of streams) if (options[each] === true) query.set(each, "true");
  if (typeof options["container"] === "string") query.set("container", options["container"]);
  for (const name of ["command", "ports"]) {
    for (const each of listOf(options[name])) query.append(name, String(each));
  }
  return query;
}
