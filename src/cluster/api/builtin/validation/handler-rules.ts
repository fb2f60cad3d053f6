// What probes and hooks of containers must be: one handler each, and numbers that make sense.
import { forbiddenValue, invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, textOf } from "../../api-object.ts";
import { portNameFaults } from "./port-rules.ts";
import { all, atLeast, fields, oneOf, optional, portNumber, required, type Rule } from "./rule.ts";

const portOrName: Rule = (value, at, parent) =>
  typeof value === "string"
    ? portNameFaults(value).map((fault) => invalidValue(at, value, fault))
    : portNumber(value, at, parent);

const headerFault =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const headers: Rule = (value, at) =>
  fieldsList(value).flatMap(({ name }) =>
    /^[-A-Za-z0-9]+$/.test(textOf(name)) ? [] : [invalidValue(at, name ?? "", headerFault)],
  );

const kinds: Readonly<Record<string, Rule>> = {
  exec: fields({ command: required() }),
  httpGet: fields({
    path: required(),
    port: portOrName,
    scheme: oneOf("HTTP", "HTTPS"),
    httpHeaders: headers,
  }),
  tcpSocket: fields({ port: portOrName }),
  grpc: fields({ port: portNumber }),
  sleep: () => [],
};

/** Exactly one handler; the first one is looked into. */
const handler: Rule = (value, at, parent) => {
  const given = fieldsOf(value);
  const [first, ...others] = Object.keys(kinds).filter((name) => given[name] !== undefined);
  if (first === undefined) return [requiredValue(at, "must specify a handler type")];
  return [
    ...(kinds[first]?.(given[first], `${at}.${first}`, parent) ?? []),
    ...others.map((name) => forbiddenValue(`${at}.${name}`, "may not specify more than 1 handler type")),
  ];
};

const probe = all(
  handler,
  fields({
    initialDelaySeconds: atLeast(0),
    timeoutSeconds: atLeast(0),
    periodSeconds: atLeast(0),
    successThreshold: atLeast(0),
    failureThreshold: atLeast(0),
    terminationGracePeriodSeconds: optional((value, at) =>
      Number(value) > 0 ? [] : [invalidValue(at, value, "must be greater than 0")],
    ),
  }),
);

/** Tells when a container is to be started again; one success is enough. */
const living: Rule = optional(
  probe,
  fields({
    successThreshold: optional((value, at) =>
      value === 1 || value === 0 ? [] : [invalidValue(at, value, "must be 1")],
    ),
  }),
);

const ready: Rule = optional(
  probe,
  fields({
    terminationGracePeriodSeconds: optional((value, at) => [
      invalidValue(at, value, "must not be set for readinessProbes"),
    ]),
  }),
);

/** A hook, which sleeps no longer than the pod has for its end. */
function hook(gracePeriod: unknown): Rule {
  return optional(handler, (value, at) => {
    const { sleep, exec, httpGet, tcpSocket } = fieldsOf(value);
    if (sleep === undefined || (exec ?? httpGet ?? tcpSocket) !== undefined) return [];
    const { seconds = 0 } = fieldsOf(sleep);
    if (Number(seconds) >= 0 && Number(seconds) <= Number(gracePeriod)) return [];
    const detail = `must be non-negative and less than terminationGracePeriodSeconds (${String(gracePeriod)})`;
    return [invalidValue(`${at}.sleep`, seconds, detail)];
  });
}

/** The probes and hooks of a container of a pod that has so many seconds for its end. */
export function handlerRules(gracePeriod: unknown): Rule {
  const lifecycle = fields({ postStart: hook(gracePeriod), preStop: hook(gracePeriod) });
  return fields({ lifecycle, livenessProbe: living, readinessProbe: ready, startupProbe: living });
}
