// The checks of the level baseline, with the words of k8s.io/pod-security-admission. Pure.
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import {
  containersNamed,
  contextOf,
  contextsOf,
  namesOf,
  plural,
  quoted,
  settersOf,
  sorted,
  unlessOwnUsers,
  uses,
  type Check,
  type CheckedPod,
  type CheckPod,
} from "./pod-checks.ts";

const appArmorProfile: CheckPod = (pod) => {
  const typeOf = (context: Fields): unknown => {
    const { appArmorProfile: profile } = context;
    return profile === undefined ? undefined : textOf(fieldsOf(profile)["type"]);
  };
  const isBad = (type: unknown): type is string =>
    type !== undefined && type !== "RuntimeDefault" && type !== "Localhost";
  const annotations = Object.entries(pod.annotations)
    .filter(
      ([name, value]) =>
        name.startsWith("container.apparmor.security.beta.kubernetes.io/") &&
        value !== "" &&
        value !== "runtime/default" &&
        !value.startsWith("localhost/"),
    )
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .toSorted();
  const setters = [...settersOf(pod, (context) => isBad(typeOf(context)))];
  if (annotations.length > 0) setters.push(plural("annotation", annotations.length));
  if (setters.length === 0) return undefined;
  const values = [...sorted(contextsOf(pod).map(typeOf).filter(isBad)), ...annotations];
  return {
    reason: plural("forbidden AppArmor profile", values.length),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const usualCapabilities = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

const addedBy = (container: Fields): string[] =>
  listOf(fieldsOf(contextOf(container)["capabilities"])["add"]).map(String);

/** The containers that add capabilities which are forbidden, in words. */
export function addedCapabilities(
  { containers }: CheckedPod,
  isBad: (name: string) => boolean,
): string | undefined {
  const bad = containers.filter((each) => addedBy(each).some(isBad));
  if (bad.length === 0) return undefined;
  const names = sorted(bad.flatMap(addedBy).filter(isBad));
  return `${containersNamed(bad)} must not include ${quoted(names)} in securityContext.capabilities.add`;
}

const capabilities: CheckPod = (pod) => {
  const detail = addedCapabilities(pod, (name) => !usualCapabilities.has(name));
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

const hostNamespaces: CheckPod = ({ spec }) => {
  const shared = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const bad = fieldsList(spec["volumes"]).filter(({ hostPath }) => hostPath !== undefined);
  if (bad.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", bad.length)} ${quoted(namesOf(bad))}` };
};

const hostPorts: CheckPod = ({ containers }) => {
  const portsOf = (container: Fields): string[] =>
    fieldsList(container["ports"])
      .map(({ hostPort }) => Number(hostPort ?? 0))
      .filter((port) => port !== 0)
      .map(String);
  const bad = containers.filter((each) => portsOf(each).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sorted(bad.flatMap(portsOf));
  return {
    reason: "hostPort",
    detail: `${containersNamed(bad)} ${uses(bad.length)} ${plural("hostPort", ports.length)} ${ports.join(", ")}`,
  };
};

const hostProbes: CheckPod = ({ containers }) => {
  const hostsOf = (container: Fields): string[] => {
    const { postStart, preStop } = fieldsOf(container["lifecycle"]);
    const { livenessProbe, readinessProbe, startupProbe } = container;
    return [livenessProbe, readinessProbe, startupProbe, postStart, preStop].flatMap((each) => {
      const { httpGet, tcpSocket } = fieldsOf(each);
      return [httpGet, tcpSocket]
        .map((action) => textOf(fieldsOf(action)["host"]))
        .filter((host) => host !== "");
    });
  };
  const bad = containers.filter((each) => hostsOf(each).length > 0);
  if (bad.length === 0) return undefined;
  const hosts = sorted(bad.flatMap(hostsOf));
  const names = sorted(namesOf(bad));
  const what = plural("probe or lifecycle host", hosts.length);
  return {
    reason: "probe or lifecycle host",
    detail: `${plural("container", names.length)} ${quoted(names)} ${uses(names.length)} ${what} ${quoted(hosts)}`,
  };
};

const privileged: CheckPod = ({ containers }) => {
  const bad = containers.filter((each) => contextOf(each)["privileged"] === true);
  if (bad.length === 0) return undefined;
  const detail = `${containersNamed(bad)} must not set securityContext.privileged=true`;
  return { reason: "privileged", detail };
};

/** How the processes are mounted. */
export const procMount: CheckPod = ({ containers }) => {
  const mountOf = (container: Fields): unknown => contextOf(container)["procMount"];
  const bad = containers.filter((each) => ![undefined, "Default"].includes(mountOf(each) as string));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((each) => textOf(mountOf(each))));
  const detail = `${containersNamed(bad)} must not set securityContext.procMount to ${quoted(types)}`;
  return { reason: "procMount", detail };
};

const seLinuxOptions =
  (...more: readonly string[]): CheckPod =>
  (pod) => {
    const allowed = new Set(["", "container_t", "container_init_t", "container_kvm_t", ...more]);
    const optionsOf = (context: Fields): Fields => fieldsOf(context["seLinuxOptions"]);
    const setsText = (context: Fields, field: string): boolean => textOf(optionsOf(context)[field]) !== "";
    const typeOf = (context: Fields): string => textOf(optionsOf(context)["type"]);
    const setters = settersOf(
      pod,
      (each) => !allowed.has(typeOf(each)) || setsText(each, "user") || setsText(each, "role"),
    );
    if (setters.length === 0) return undefined;
    const contexts = contextsOf(pod);
    const types = sorted(contexts.map(typeOf).filter((type) => !allowed.has(type)));
    const faults = [
      ...(types.length === 0 ? [] : [`${plural("type", types.length)} ${quoted(types)}`]),
      ...["user", "role"]
        .filter((field) => contexts.some((each) => setsText(each, field)))
        .map((field) => `${field} may not be set`),
    ];
    return {
      reason: "seLinuxOptions",
      detail: `${setters.join(" and ")} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`,
    };
  };

const seccompAnnotations: CheckPod = ({ annotations, containers }) => {
  const names = [
    "seccomp.security.alpha.kubernetes.io/pod",
    ...namesOf(containers).map((name) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ];
  const bad = sorted(
    names
      .filter((name) => {
        const value = annotations[name];
        const isKnown = value === undefined || value === "runtime/default" || value === "docker/default";
        return !isKnown && !value.startsWith("localhost/");
      })
      .map((name) => `${name}=${JSON.stringify(annotations[name])}`),
  );
  if (bad.length === 0) return undefined;
  const detail = `forbidden ${plural("annotation", bad.length)} ${bad.join(", ")}`;
  return { reason: "seccompProfile", detail };
};

/** The type of the seccomp profile in a security context; undefined: there is none. */
export const seccompOf = (context: Fields): string | undefined => {
  const { seccompProfile: profile } = context;
  return profile === undefined ? undefined : textOf(fieldsOf(profile)["type"]);
};
const isBadSeccomp = (type: string | undefined): type is string =>
  type !== undefined && type !== "Localhost" && type !== "RuntimeDefault";

/** Which seccomp profiles are named. */
export const seccompProfile: CheckPod = (pod) => {
  const setters = settersOf(pod, (context) => isBadSeccomp(seccompOf(context)));
  if (setters.length === 0) return undefined;
  const types = sorted(contextsOf(pod).map(seccompOf).filter(isBadSeccomp));
  return {
    reason: "seccompProfile",
    detail: `${setters.join(" and ")} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  };
};

const safeSysctls = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const safeSince27 = [...safeSysctls, "net.ipv4.ip_local_reserved_ports"];
const safeSince29 = [
  ...safeSince27,
  ...["time", "intvl", "probes"].map((name) => `net.ipv4.tcp_keepalive_${name}`),
  "net.ipv4.tcp_fin_timeout",
];
const safeSince32 = [...safeSince29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls =
  (safe: readonly string[]): CheckPod =>
  ({ spec }) => {
    const bad = namesOf(fieldsList(contextOf(spec)["sysctls"])).filter((name) => !safe.includes(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  };

const hostProcess: CheckPod = (pod) => {
  const setters = settersOf(pod, (context) => fieldsOf(context["windowsOptions"])["hostProcess"] === true);
  if (setters.length === 0) return undefined;
  const detail = `${setters.join(" and ")} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: "hostProcess", detail };
};

/** In the order in which they are named. */
export const baselineChecks: readonly Check[] = [
  { id: "appArmorProfile", forms: [{ from: 0, check: appArmorProfile }] },
  { id: "capabilities_baseline", forms: [{ from: 0, check: capabilities }] },
  { id: "hostNamespaces", forms: [{ from: 0, check: hostNamespaces }] },
  { id: "hostPathVolumes", forms: [{ from: 0, check: hostPathVolumes }] },
  { id: "hostPorts", forms: [{ from: 0, check: hostPorts }] },
  { id: "hostProbesAndHostLifecycle", forms: [{ from: 34, check: hostProbes }] },
  { id: "privileged", forms: [{ from: 0, check: privileged }] },
  {
    id: "procMount",
    forms: [
      { from: 0, check: procMount },
      { from: 35, check: unlessOwnUsers(procMount) },
    ],
  },
  {
    id: "seLinuxOptions",
    forms: [
      { from: 0, check: seLinuxOptions() },
      { from: 31, check: seLinuxOptions("container_engine_t") },
    ],
  },
  {
    id: "seccompProfile_baseline",
    forms: [
      { from: 0, check: seccompAnnotations },
      { from: 19, check: seccompProfile },
    ],
  },
  {
    id: "sysctls",
    forms: [
      { from: 0, check: sysctls(safeSysctls) },
      { from: 27, check: sysctls(safeSince27) },
      { from: 29, check: sysctls(safeSince29) },
      { from: 32, check: sysctls(safeSince32) },
    ],
  },
  { id: "windowsHostProcess", forms: [{ from: 0, check: hostProcess }] },
];
