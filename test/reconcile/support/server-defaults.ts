// The defaults and rewritings that a real API server makes, for the kinds that the tests use.

type Fields = Record<string, unknown>;

/** Fills in what the server would. */
export function applyDefaults(object: Fields): void {
  switch (object["kind"]) {
    case "Secret":
      encodeStringData(object);
      object["type"] ??= "Opaque";
      break;
    case "Service":
      serviceDefaults(spec(object));
      break;
    case "Deployment":
    case "StatefulSet":
      workloadDefaults(spec(object));
      break;
    default:
  }
}

function encodeStringData(object: Fields): void {
  const texts = object["stringData"] as Record<string, string> | undefined;
  if (texts === undefined) return;
  const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  object["data"] = { ...(object["data"] as Fields), ...Object.fromEntries(encoded) };
  delete object["stringData"];
}

function serviceDefaults(service: Fields): void {
  service["type"] ??= "ClusterIP";
  service["clusterIP"] ??= "10.0.0.1";
  service["sessionAffinity"] ??= "None";
  for (const port of list(service["ports"])) {
    port["protocol"] ??= "TCP";
    port["targetPort"] ??= port["port"];
  }
}

function workloadDefaults(workload: Fields): void {
  workload["replicas"] ??= 1;
  workload["revisionHistoryLimit"] ??= 10;
  const template = (workload["template"] ??= {}) as Fields;
  const pod = (template["spec"] ??= {}) as Fields;
  pod["restartPolicy"] ??= "Always";
  pod["dnsPolicy"] ??= "ClusterFirst";
  pod["schedulerName"] ??= "default-scheduler";
  for (const container of list(pod["containers"])) {
    container["imagePullPolicy"] ??= "IfNotPresent";
    container["terminationMessagePath"] ??= "/dev/termination-log";
    for (const port of list(container["ports"])) port["protocol"] ??= "TCP";
    const resources = (container["resources"] ??= {}) as Fields;
    for (const amounts of Object.values(resources) as Fields[]) {
      for (const [name, amount] of Object.entries(amounts)) {
        // The server writes quantities in its own form.
        if (amount === "1000m") amounts[name] = "1";
        if (typeof amount === "number") amounts[name] = String(amount);
      }
    }
    // What is empty and no pointer is left out.
    if (container["stdin"] === false) delete container["stdin"];
    if (Array.isArray(container["args"]) && container["args"].length === 0) delete container["args"];
  }
  for (const volume of list(pod["volumes"])) {
    const secret = volume["secret"] as Fields | undefined;
    if (secret !== undefined) secret["defaultMode"] ??= 420;
  }
}

function spec(object: Fields): Fields {
  return (object["spec"] ??= {}) as Fields;
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}
