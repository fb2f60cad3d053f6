// What pod specs must be, of pods and in templates, besides what pod-validation.ts checks of names and volumes.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
} from "../../../../schema/status-cause.ts";
import type { StatusCause } from "../../../../schema/status-cause.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { fieldsList, fieldsOf, isFields, textOf, type Fields } from "../../api-object.ts";
import { qualifiedNameFault } from "../../../../meta/name-rules.ts";
import { containerFormRules, volumeFormRules } from "./container-form-rules.ts";
import { podFormRules } from "./pod-form-rules.ts";
import {
  all,
  atLeast,
  between,
  each,
  fields,
  invalidStruct,
  isEmpty,
  oneOf,
  optional,
  portNumber,
  protocol,
  required,
  text,
  when,
  type Rule,
} from "./rule.ts";

const handlerKinds = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
/** In the order in which the real server looks at them. */
const volumeSources = (
  "emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker " +
  "persistentVolumeClaim rbd cinder cephfs fc downwardAPI configMap azureFile vsphereVolume quobyte azureDisk " +
  "photonPersistentDisk portworxVolume scaleIO projected storageos csi ephemeral image"
).split(" ");
const podFields = new Set(
  "metadata.name metadata.namespace metadata.uid metadata.labels metadata.annotations spec.nodeName spec.serviceAccountName status.hostIP status.hostIPs status.podIP status.podIPs".split(
    " ",
  ),
);

const securityFields = (
  "capabilities privileged seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot readOnlyRootFilesystem " +
  "allowPrivilegeEscalation procMount seccompProfile appArmorProfile"
).split(" ");

/** As Go prints it: every field, in the order of the struct. */
function goSecurityContext(context: Fields): Fields {
  const goName = (name: string): string =>
    name === "seLinuxOptions" ? "SELinuxOptions" : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return Object.fromEntries(securityFields.map((name) => [goName(name), context[name] ?? null]));
}

/** Exactly one of several fields is set, for instance the handler of a probe. */
function exactlyOne(names: readonly string[], what: string, isNeeded: boolean): Rule {
  return (value, at) => {
    const set = names.filter((name) => fieldsOf(value)[name] !== undefined);
    if (set.length === 0) return isNeeded ? [requiredValue(at, `must specify a ${what} type`)] : [];
    return set
      .slice(1)
      .map((name) => forbiddenValue(`${at}.${name}`, `may not specify more than 1 ${what} type`));
  };
}

const handler = exactlyOne(handlerKinds, "handler", true);
const probe = optional(
  handler,
  fields({
    initialDelaySeconds: atLeast(0),
    periodSeconds: atLeast(0),
    timeoutSeconds: atLeast(0),
    successThreshold: atLeast(0),
    failureThreshold: atLeast(0),
  }),
);

const fieldPath: Rule = (value, at) => {
  const path = textOf(value);
  if (path === "") return [requiredValue(at)];
  if (podFields.has(path) || /^metadata\.(?:labels|annotations)\['.+'\]$/.test(path)) return [];
  return [invalidValue(at, path, `error converting fieldPath: field label not supported: ${path}`)];
};

const resources: Rule = (value, at) => {
  const { requests, limits } = fieldsOf(value);
  const negative = Object.entries({ limits, requests }).flatMap(([part, amounts]) =>
    Object.entries(fieldsOf(amounts)).flatMap(([name, amount]) => {
      const quantity = parseQuantity(String(amount));
      if (quantity === undefined || quantity.nano >= 0n) return [];
      return [invalidValue(`${at}.${part}[${name}]`, amount, "must be greater than or equal to 0")];
    }),
  );
  const excessive = Object.entries(fieldsOf(requests)).flatMap(([name, amount]) => {
    const limit = Object.hasOwn(fieldsOf(limits), name) ? fieldsOf(limits)[name] : undefined;
    const [asked, most] = [parseQuantity(String(amount)), parseQuantity(String(limit))];
    if (asked === undefined || most === undefined || asked.nano <= most.nano) return [];
    const detail = `must be less than or equal to ${name} limit of ${String(limit)}`;
    return [invalidValue(`${at}.requests`, amount, detail)];
  });
  return [...negative, ...excessive];
};

const ports: Rule = (value, at) => {
  const seen = new Set<unknown>();
  return fieldsList(value).flatMap((port, index) => {
    const { name, hostPort } = port;
    const causes: StatusCause[] = [];
    if (!isEmpty(name) && seen.has(name)) causes.push(duplicateValue(`${at}[${index}].name`, name));
    seen.add(name);
    if (!isEmpty(hostPort)) causes.push(...portNumber(hostPort, `${at}[${index}].hostPort`, {}));
    causes.push(...protocol(port["protocol"], `${at}[${index}].protocol`, {}));
    return causes;
  });
};

const valueSources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

/** Where the value of a variable comes from: one source, and no value beside it. */
const valueSource: Rule = (value, at, parent) => {
  const set = valueSources.filter((name) => fieldsOf(value)[name] !== undefined);
  const detail = !isEmpty(parent["value"])
    ? "may not be specified when `value` is not empty"
    : set.length > 1
      ? "may not have more than one field specified at a time"
      : undefined;
  return detail === undefined ? [] : [invalidValue(at, "", detail)];
};

const container: Rule = fields({
  image: text((image) =>
    image.trim() === image ? undefined : "must not have leading or trailing whitespace",
  ),
  imagePullPolicy: oneOf("Always", "IfNotPresent", "Never"),
  env: each(
    fields({
      name: required(),
      valueFrom: optional(valueSource, fields({ fieldRef: optional(fields({ fieldPath })) })),
    }),
  ),
  ports,
  resources,
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: fields({ postStart: optional(handler), preStop: optional(handler) }),
  volumeMounts: (value, at) =>
    fieldsList(value).flatMap(({ subPath }) =>
      textOf(subPath).split("/").includes("..")
        ? [invalidValue(`${at}.subPath`, subPath, "must not contain '..'")]
        : [],
    ),
  securityContext: optional((value, at) =>
    fieldsOf(value)["privileged"] === true && fieldsOf(value)["allowPrivilegeEscalation"] === false
      ? [
          invalidStruct(
            at,
            goSecurityContext(fieldsOf(value)),
            "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
          ),
        ]
      : [],
  ),
});

const toleration: Rule = fields({
  operator: optional(oneOf("", "Equal", "Exists", "Gt", "Lt"), (value, at, parent) =>
    value === "Exists" && !isEmpty(parent["value"])
      ? [invalidValue(at, parent["value"], "value must be empty when `operator` is 'Exists'")]
      : [],
  ),
  effect: optional(oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")),
});

/** A pod's spec, wherever it stands. */
export const podSpecRules: Rule = all(
  fields({
    initContainers: each(container, containerFormRules),
    containers: each(container, containerFormRules),
    volumes: each(exactlyOne(volumeSources, "volume", false)),
    activeDeadlineSeconds: optional(between(1, 2_147_483_647)),
    dnsPolicy: optional(oneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")),
    dnsConfig: when(
      ({ dnsPolicy }) => dnsPolicy === "None",
      required("must provide `dnsConfig` when `dnsPolicy` is None"),
    ),
    tolerations: each(toleration),
    topologySpreadConstraints: each(
      fields({
        maxSkew: (value, at) =>
          typeof value === "number" && value > 0
            ? []
            : [invalidValue(at, value ?? 0, "must be greater than zero")],
        topologyKey: required(),
        whenUnsatisfiable: oneOf("DoNotSchedule", "ScheduleAnyway"),
      }),
    ),
    nodeSelector: (value, at) =>
      Object.keys(fieldsOf(value)).flatMap((key) => {
        const fault = qualifiedNameFault(key);
        return fault === undefined ? [] : [invalidValue(at, key, fault)];
      }),
  }),
  podFormRules,
  volumeFormRules,
  (value, at) => hostPortFaults(fieldsOf(value), at),
);

/** `Pod` of v1. */
export const podRules: Rule = fields({ spec: podSpecRules });

/** Objects with a template of pods below their spec. */
export const templateRules: Rule = fields({ template: fields({ spec: podSpecRules }) });

/** A pod in the host's network has the host's ports. */
function hostPortFaults(spec: Fields, at: string): StatusCause[] {
  if (spec["hostNetwork"] !== true) return [];
  return fieldsList(spec["containers"]).flatMap((each, index) =>
    (Array.isArray(each["ports"]) ? each["ports"] : []).flatMap((given: unknown, place: number) => {
      const { hostPort, containerPort } = isFields(given) ? given : {};
      if (hostPort === undefined || hostPort === containerPort) return [];
      const field = `${at}.containers[${index}].ports[${place}].hostPort`;
      return [invalidValue(field, hostPort, "must match `containerPort` when `hostNetwork` is true")];
    }),
  );
}
