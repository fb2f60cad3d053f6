// What Services, their endpoints, ingresses and network policies must be.
import { isIP } from "node:net";
import { duplicateValue, invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { labelNameFault, qualifiedNameFaults, subdomainFault } from "../../../../meta/name-rules.ts";
import { portNameFaults } from "./port-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  forbidden,
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
import {
  endpointsFormRules,
  ingressFormRules,
  networkPolicyFormRules,
  rangeFault,
  serviceFormRules,
} from "./network-form-rules.ts";

function addressFault(address: string): string | undefined {
  return isIP(address) === 0 ? "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" : undefined;
}

/** As Go prints a port, which is how a duplicate is shown. */
function goPort(given: Fields): unknown {
  return {
    Name: given["name"] ?? "",
    Protocol: given["protocol"] ?? "TCP",
    AppProtocol: given["appProtocol"] ?? null,
    Port: given["port"] ?? 0,
    TargetPort: 0,
    NodePort: given["nodePort"] ?? 0,
  };
}

const servicePorts: Rule = (value, at, spec) => {
  const ports = fieldsList(value);
  const seen = new Set<string>();
  const names = new Set<unknown>();
  return ports
    .flatMap((given, index) => {
      const place = `${at}[${index}]`;
      const causes = [...portRules(given, place, spec)];
      if (ports.length > 1 && isEmpty(given["name"])) causes.unshift(requiredValue(`${place}.name`));
      const { name } = given;
      if (!isEmpty(name) && names.has(name)) causes.unshift(duplicateValue(`${place}.name`, name));
      names.add(name);
      if (spec["type"] === "ClusterIP") {
        causes.push(
          ...forbidden("may not be used when `type` is 'ClusterIP'")(
            given["nodePort"],
            `${place}.nodePort`,
            given,
          ),
        );
      }
      return causes;
    })
    .concat(
      ports.flatMap((given, index) => {
        const key = `${String(given["protocol"])}/${String(given["port"])}`;
        if (!seen.has(key)) {
          seen.add(key);
          return [];
        }
        const message = `Duplicate value: ${JSON.stringify(goPort(given))}`;
        return [{ reason: "FieldValueDuplicate" as const, message, field: `${at}[${index}]` }];
      }),
    );
};

const portRules: Rule = fields({
  port: portNumber,
  protocol,
  targetPort: (value, at, parent) =>
    typeof value === "number"
      ? portNumber(value, at, parent)
      : portNameFaults(textOf(value)).map((fault) => invalidValue(at, value, fault)),
});

/** `Service` of v1. */
export const serviceRules: Rule = fields({
  spec: all(
    fields({
      ports: all(
        when(({ clusterIP, type }) => clusterIP !== "None" && type !== "ExternalName", required()),
        servicePorts,
      ),
      type: oneOf("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
      sessionAffinity: oneOf("ClientIP", "None"),
      externalName: when(({ type }) => type === "ExternalName", required()),
      externalTrafficPolicy: when(
        ({ type, externalIPs }) =>
          (type === "ClusterIP" && listOf(externalIPs).length === 0) || type === "ExternalName",
        optional((value, at) => [
          invalidValue(at, value, "may only be set for externally-accessible services"),
        ]),
      ),
      internalTrafficPolicy: optional(oneOf("Cluster", "Local")),
    }),
    serviceFormRules,
  ),
});

const endpointAddress: Rule = all(
  fields({
    ip: (value, at, parent) => text(addressFault)(textOf(value), at, parent),
    hostname: filled(text(labelNameFault)),
    nodeName: optional(text(subdomainFault)),
  }),
  fields({
    ip: (value, at) =>
      isIP(textOf(value)) === 0 ? [invalidValue(at, textOf(value), "must be a valid IP address")] : [],
  }),
);

const endpointsFields: Rule = fields({
  subsets: each(
    fields({
      addresses: each(endpointAddress),
      notReadyAddresses: each(endpointAddress),
      ports: each(
        fields({
          name: filled(text(labelNameFault)),
          port: portNumber,
          protocol,
          appProtocol: optional((value, at) =>
            qualifiedNameFaults(textOf(value)).map((fault) => invalidValue(at, value, fault)),
          ),
        }),
      ),
    }),
  ),
});

/** `Endpoints` of v1. */
export const endpointsRules: Rule = all(endpointsFields, endpointsFormRules);

const ingressPath: Rule = fields({
  pathType: (value, at) =>
    value === undefined
      ? [requiredValue(at, "pathType must be specified")]
      : oneOf("Exact", "ImplementationSpecific", "Prefix")(value, at, {}),
});

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
      rules: each(
        fields({
          host: text((host) => (host.startsWith("*.") ? undefined : subdomainFault(host))),
          http: optional(fields({ paths: all(required(), each(ingressPath)) })),
        }),
      ),
    }),
    ingressFormRules,
  ),
});

const peers: Rule = each(
  fields({ ipBlock: optional(fields({ cidr: all(required(), filled(text(rangeFault))) })) }),
);

/** `NetworkPolicy` of networking.k8s.io/v1. */
export const networkPolicyRules: Rule = fields({
  spec: all(
    fields({
      ingress: each(fields({ from: peers, ports: each(fields({ protocol: optional(protocol) })) })),
      egress: each(fields({ to: peers, ports: each(fields({ protocol: optional(protocol) })) })),
    }),
    networkPolicyFormRules,
  ),
});
