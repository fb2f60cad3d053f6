// What Ingresses must be: where requests come in, by host and path, and what answers them.
import { isIP } from "node:net";
import {
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelNameFaults, pathSegmentFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, listOf, textOf } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { portNameFaults } from "./port-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  isEmpty,
  optional,
  portNumber,
  required,
  text,
  type Rule,
} from "./rule.ts";

const pathSegment = all(required(), filled(text(pathSegmentFaults)));
const resourceRule = fields({
  apiGroup: optional(text(subdomainFaults)),
  kind: pathSegment,
  name: pathSegment,
});

function portFaults(port: unknown, at: string): readonly StatusCause[] {
  const { name, number } = fieldsOf(port);
  const [isNamed, isNumbered] = [!isEmpty(name), !isEmpty(number)];
  if (isNamed && isNumbered) return [invalidValue(at, "", "cannot set both port name & port number")];
  if (isNumbered) return portNumber(number, `${at}.service.port.number`, {});
  if (!isNamed) return [requiredValue(at, "port name or number is required")];
  const field = `${at}.service.port.name`;
  return portNameFaults(textOf(name)).map((fault) => invalidValue(field, name, fault));
}

const backendRule: Rule = (value, at, parent) => {
  const { service, resource } = fieldsOf(value);
  if (service !== undefined && resource !== undefined) {
    return [invalidValue(at, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) return resourceRule(resource, `${at}.resource`, parent);
  if (service === undefined) return [invalidValue(at, "", "resource or service backend is required")];
  const { name, port } = fieldsOf(service);
  const named = all(required(), filled(text(labelNameFaults)));
  return [...named(name, `${at}.service.name`, parent), ...portFaults(port, at)];
};

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function pathFaults(path: string, type: string): readonly string[] {
  const relative = path.startsWith("/") ? [] : ["must be an absolute path"];
  if (type === "ImplementationSpecific") return path === "" ? [] : relative;
  return [
    ...relative,
    ...["//", "/./", "/../", "%2f", "%2F"]
      .filter((part) => path.includes(part))
      .map((part) => `must not contain '${part}'`),
    ...["/..", "/."].filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`),
  ];
}

const pathRule: Rule = (value, at, parent) => {
  const { path, pathType, backend } = fieldsOf(value);
  if (pathType === undefined) return [requiredValue(`${at}.pathType`, "pathType must be specified")];
  const type = textOf(pathType);
  const faults = pathTypes.includes(type)
    ? pathFaults(textOf(path), type).map((fault) => invalidValue(`${at}.path`, textOf(path), fault))
    : [unsupportedValue(`${at}.pathType`, pathType, pathTypes)];
  return [...faults, ...backendRule(backend, `${at}.backend`, parent)];
};

const wildcard = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const wildcardForm =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** What is wrong with a host that may stand for all below another one. */
function hostFaults(host: string): readonly string[] {
  if (!host.includes("*")) return subdomainFaults(host);
  return [
    ...(host.length > 253 ? ["must be no more than 253 characters"] : []),
    ...(wildcard.test(host) ? [] : [wildcardForm]),
  ];
}

function ruleHostFaults(host: string): readonly string[] {
  const address = isIP(host) === 0 ? [] : ["must be a DNS name, not an IP address"];
  return [...address, ...hostFaults(host)];
}

const classAnnotation = "kubernetes.io/ingress.class";

/** A new `Ingress`: its class is said once, or twice the same. */
export const newIngressRules: Rule = (value) => {
  const { metadata, spec } = fieldsOf(value);
  const noted = fieldsOf(fieldsOf(metadata)["annotations"])[classAnnotation];
  const { ingressClassName: named } = fieldsOf(spec);
  if (noted === undefined || named === undefined || noted === named) return [];
  const detail = "must match `ingressClassName` when both are specified";
  return [invalidValue(`annotations.${classAnnotation}`, noted, detail)];
};

/** `Ingress` of networking.k8s.io/v1. */
export const ingressRules: Rule = fields({
  spec: all(
    (value, at) => {
      const spec = fieldsOf(value);
      if (listOf(spec["rules"]).length > 0 || spec["defaultBackend"] !== undefined) return [];
      const shown = isSentEmpty(spec, "rules") ? [] : null;
      return [invalidValue(at, shown, "either `defaultBackend` or `rules` must be specified")];
    },
    fields({
      defaultBackend: optional(backendRule),
      rules: each(
        fields({
          host: filled(text(ruleHostFaults)),
          http: optional(fields({ paths: all(required(), each(pathRule)) })),
        }),
      ),
      tls: each(fields({ hosts: each(text(hostFaults)), secretName: filled(text(subdomainFaults)) })),
      ingressClassName: text(subdomainFaults),
    }),
  ),
});
