// The defaults that the real API server writes into a pod's spec, wherever a pod template occurs.
import { imageParts } from "../../../image-name.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  setDefault,
  type Fields,
} from "../../api-object.ts";
import { setSourceDefaults } from "./volume-defaults.ts";

/** Adds the defaults of a pod spec, as it is in a template, in place. */
export function setPodSpecDefaults(spec: Fields): void {
  dropDisabled(spec);
  for (const container of fieldsList(spec["initContainers"])) setContainerDefaults(container);
  for (const container of fieldsList(spec["containers"])) setContainerDefaults(container);
  for (const container of fieldsList(spec["ephemeralContainers"])) setContainerDefaults(container);
  setDefault(spec, "restartPolicy", "Always");
  setDefault(spec, "terminationGracePeriodSeconds", 30);
  setDefault(spec, "dnsPolicy", "ClusterFirst");
  // The deprecated name is kept equal to the new one, as the real server does.
  if (spec["serviceAccountName"] !== undefined) spec["serviceAccount"] = spec["serviceAccountName"];
  else if (spec["serviceAccount"] !== undefined) spec["serviceAccountName"] = spec["serviceAccount"];
  setDefault(spec, "securityContext", {});
  setDefault(spec, "schedulerName", "default-scheduler");
  for (const volume of fieldsList(spec["volumes"])) setVolumeDefaults(volume);
  const nodes = fieldsOf(fieldsOf(spec["affinity"])["nodeAffinity"]);
  for (const term of fieldsList(nodes["preferredDuringSchedulingIgnoredDuringExecution"])) {
    ensureFields(term, "preference");
  }
}

/** What belongs to features of Kubernetes that are off by default. */
function dropDisabled(spec: Fields): void {
  delete spec["schedulingGroup"];
  for (const volume of fieldsList(spec["volumes"])) {
    for (const source of fieldsList(fieldsOf(volume["projected"])["sources"])) {
      delete source["clusterTrustBundle"];
      delete source["podCertificate"];
    }
  }
  for (const list of ["initContainers", "containers", "ephemeralContainers"]) {
    for (const container of fieldsList(spec[list])) {
      const { stopSignal, ...lifecycle } = fieldsOf(container["lifecycle"]);
      if (stopSignal === undefined) continue;
      if (Object.keys(lifecycle).length === 0) delete container["lifecycle"];
      else container["lifecycle"] = lifecycle;
    }
  }
}

/** What is not limited from below is limited by the limit; only in pods, not in templates. */
export function setRequestDefaults(spec: Fields): void {
  setPodRequestDefaults(spec);
  for (const list of ["initContainers", "containers"]) {
    for (const container of fieldsList(spec[list])) {
      const resources = container["resources"];
      if (!isFields(resources) || !isFields(resources["limits"])) continue;
      const requests = ensureFields(resources, "requests");
      for (const [name, quantity] of Object.entries(resources["limits"]))
        setDefault(requests, name, quantity);
    }
  }
}

/** A pod in the network of its node has each of its ports there; only in pods, not in templates. */
export function setHostPortDefaults(spec: Fields): void {
  if (spec["hostNetwork"] !== true) return;
  for (const list of ["initContainers", "containers"]) {
    for (const port of fieldsList(spec[list]).flatMap((container) => fieldsList(container["ports"]))) {
      if ((port["hostPort"] ?? 0) === 0) port["hostPort"] = port["containerPort"];
    }
  }
}

/** The same for the pod as a whole, but for what its containers ask for. */
function setPodRequestDefaults(spec: Fields): void {
  const resources = spec["resources"];
  if (!isFields(resources) || !isFields(resources["limits"])) return;
  const asked = ["initContainers", "containers"].flatMap((list) =>
    fieldsList(spec[list]).flatMap((container) => {
      const { limits, requests } = fieldsOf(container["resources"]);
      return Object.keys({ ...fieldsOf(limits), ...fieldsOf(requests) });
    }),
  );
  for (const [name, quantity] of Object.entries(resources["limits"])) {
    const isOfPods = name === "cpu" || name === "memory" || name.startsWith("hugepages-");
    if (isOfPods && !asked.includes(name)) setDefault(ensureFields(resources, "requests"), name, quantity);
  }
}

function setContainerDefaults(container: Fields): void {
  for (const port of fieldsList(container["ports"])) setDefault(port, "protocol", "TCP");
  for (const variable of fieldsList(container["env"])) {
    const source = variable["valueFrom"];
    if (isFields(source) && isFields(source["fieldRef"])) setDefault(source["fieldRef"], "apiVersion", "v1");
    if (isFields(source) && isFields(source["resourceFieldRef"])) {
      setDefault(source["resourceFieldRef"], "divisor", "0");
    }
  }
  ensureFields(container, "resources");
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const probe = container[name];
    if (isFields(probe)) setProbeDefaults(probe);
  }
  const lifecycle = container["lifecycle"];
  if (isFields(lifecycle)) {
    for (const hook of [lifecycle["postStart"], lifecycle["preStop"]])
      if (isFields(hook)) setHttpDefaults(hook);
  }
  setDefault(container, "terminationMessagePath", "/dev/termination-log");
  setDefault(container, "terminationMessagePolicy", "File");
  setDefault(container, "imagePullPolicy", pullPolicyOf(container["image"]));
}

function setProbeDefaults(probe: Fields): void {
  setHttpDefaults(probe);
  if (isFields(probe["grpc"])) setDefault(probe["grpc"], "service", "");
  setDefault(probe, "timeoutSeconds", 1);
  setDefault(probe, "periodSeconds", 10);
  setDefault(probe, "successThreshold", 1);
  setDefault(probe, "failureThreshold", 3);
  for (const name of ["timeoutSeconds", "periodSeconds"])
    if (probe[name] === 0) probe[name] = name === "periodSeconds" ? 10 : 1;
}

function setHttpDefaults(handler: Fields): void {
  const get = handler["httpGet"];
  if (!isFields(get)) return;
  setDefault(get, "path", "/");
  setDefault(get, "scheme", "HTTP");
}

function setVolumeDefaults(volume: Fields): void {
  const sources = Object.keys(volume).filter((name) => name !== "name");
  if (sources.length === 0) volume["emptyDir"] = {};
  for (const name of ["configMap", "secret", "downwardAPI", "projected"]) {
    const source = volume[name];
    if (isFields(source)) setDefault(source, "defaultMode", 420);
  }
  const image = volume["image"];
  if (isFields(image)) setDefault(image, "pullPolicy", pullPolicyOf(image["reference"]));
  setSourceDefaults(volume);
  if (isFields(volume["projected"])) {
    // Lists that are always written are null where they are empty.
    if (listOf(volume["projected"]["sources"]).length === 0) volume["projected"]["sources"] = null;
    for (const source of fieldsList(volume["projected"]["sources"])) {
      if (isFields(source["serviceAccountToken"]))
        setDefault(source["serviceAccountToken"], "expirationSeconds", 3_600);
    }
  }
  setDownwardDefaults(volume["downwardAPI"]);
  for (const source of fieldsList(fieldsOf(volume["projected"])["sources"])) {
    setDownwardDefaults(source["downwardAPI"]);
  }
}

function setDownwardDefaults(source: unknown): void {
  for (const item of fieldsList(fieldsOf(source)["items"])) {
    if (isFields(item["fieldRef"])) setDefault(item["fieldRef"], "apiVersion", "v1");
  }
}

/** What has no tag, or the tag latest, may be another one each time; a digest never is, and of what is no image nothing is known. */
function pullPolicyOf(image: unknown): string {
  const parts = imageParts(typeof image === "string" ? image : "");
  if (parts === undefined) return "IfNotPresent";
  const { tag, digest } = parts;
  return tag === "latest" || (tag === undefined && digest === undefined) ? "Always" : "IfNotPresent";
}
