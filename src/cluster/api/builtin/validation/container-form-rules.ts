// The forms of the rest of a container, and of the volumes that pods mount.
import {
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf } from "../../api-object.ts";
import { subdomainFault } from "../../../../meta/name-rules.ts";
import { configKeyFault } from "./config-rules.ts";
import { filled, identityRules } from "./pod-form-rules.ts";
import {
  all,
  each,
  fields,
  forbidden,
  isEmpty,
  oneOf,
  optional,
  portNumber,
  required,
  text,
  type Rule,
} from "./rule.ts";

/** What is wrong with the name of a port, part for part. */
function portNameFaults(name: string): readonly string[] {
  if (name.length > 15) return ["must be no more than 15 characters"];
  return [
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
    ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(/^-|-$/.test(name) ? ["must not begin or end with a hyphen"] : []),
  ];
}

const portName: Rule = filled((value, at) =>
  portNameFaults(textOf(value)).map((fault) => invalidValue(at, value, fault)),
);
const portOrName: Rule = (value, at, parent) =>
  typeof value === "string" ? portName(value, at, parent) : portNumber(value, at, parent);

const variableFault = (name: string): string | undefined =>
  /^[ -<>-~]+$/.test(name)
    ? undefined
    : "a valid environment variable name must consist only of printable ASCII characters other than '='";
const resourceSelectors = ["cpu", "ephemeral-storage", "memory"];
const resourcePaths = ["limits", "requests"].flatMap((part) =>
  resourceSelectors.map((name) => `${part}.${name}`),
);
const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

/** A key in a ConfigMap or a Secret, which may be named by nothing only where it may be absent. */
const keyReference = optional(
  fields({
    name: (value, at) => {
      const fault = subdomainFault(textOf(value));
      return fault === undefined ? [] : [invalidValue(at, value ?? "", fault)];
    },
    key: all(required(), filled(text(configKeyFault))),
  }),
);

const variable: Rule = fields({
  name: filled(text(variableFault)),
  valueFrom: optional(
    (value, at) =>
      sources.some((name) => fieldsOf(value)[name] !== undefined)
        ? []
        : [
            invalidValue(
              at,
              "",
              "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
            ),
          ],
    fields({
      configMapKeyRef: keyReference,
      secretKeyRef: keyReference,
      resourceFieldRef: optional(fields({ resource: oneOf(...resourcePaths) })),
    }),
  ),
});

const variables: Rule = (value, at) =>
  fieldsList(value).flatMap((each_, index): readonly StatusCause[] => {
    const { prefix, configMapRef, secretRef } = each_;
    const fault = isEmpty(prefix) ? undefined : variableFault(textOf(prefix));
    return [
      ...(fault === undefined ? [] : [invalidValue(`${at}[${index}].prefix`, prefix, fault)]),
      ...(configMapRef === undefined && secretRef === undefined
        ? [invalidValue(at, "", "must specify one of: `configMapRef` or `secretRef`")]
        : []),
    ];
  });

const standard = ["cpu", "memory", "ephemeral-storage"];
const resources: Rule = (value, at) => {
  const { requests, limits } = fieldsOf(value);
  const causes: StatusCause[] = [];
  for (const [part, amounts] of Object.entries({ limits, requests })) {
    for (const [name, amount] of Object.entries(fieldsOf(amounts))) {
      const field = `${at}.${part}[${name}]`;
      if (standard.includes(name) || name.startsWith("hugepages-")) continue;
      if (!name.includes("/")) {
        causes.push(
          invalidValue(field, name, "must be a standard resource type or fully qualified"),
          invalidValue(field, name, "must be a standard resource for containers"),
        );
        continue;
      }
      const quantity = parseQuantity(String(amount));
      if (quantity !== undefined && quantity.nano % 1_000_000_000n !== 0n) {
        causes.push(invalidValue(field, amount, "must be an integer"));
      }
    }
  }
  for (const name of Object.keys(fieldsOf(requests))) {
    if (!name.includes("/") || Object.hasOwn(fieldsOf(limits), name)) continue;
    causes.push(requiredValue(`${at}.limits`, "Limit must be set for non overcommitable resources"));
  }
  return causes;
};

const header: Rule = (value, at) =>
  fieldsList(value).flatMap(({ name }) =>
    /^[-A-Za-z0-9]+$/.test(textOf(name))
      ? []
      : [
          invalidValue(
            at,
            name ?? "",
            "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
          ),
        ],
  );
const handlerFields: Readonly<Record<string, Rule>> = {
  exec: optional(fields({ command: required() })),
  httpGet: optional(fields({ port: portOrName, scheme: oneOf("HTTP", "HTTPS"), httpHeaders: header })),
  tcpSocket: optional(fields({ port: portOrName })),
  grpc: optional(fields({ port: portNumber })),
};
const handler = optional(fields(handlerFields));
const once: Rule = optional((value, at) =>
  value === 1 || value === 0 ? [] : [invalidValue(at, value, "must be 1")],
);
const living = optional(fields({ ...handlerFields, successThreshold: once }));
const ready = optional(
  fields({
    ...handlerFields,
    terminationGracePeriodSeconds: optional((value, at) => [
      invalidValue(at, value, "must not be set for readinessProbes"),
    ]),
  }),
);

const mounts: Rule = (value, at) =>
  fieldsList(value).flatMap((mount, index): readonly StatusCause[] => {
    const { subPath, subPathExpr, mountPropagation } = mount;
    const causes: StatusCause[] = [];
    if (textOf(subPath).startsWith("/")) {
      causes.push(invalidValue(`${at}.subPath`, subPath, "must be a relative path"));
    }
    if (!isEmpty(subPath) && !isEmpty(subPathExpr)) {
      const detail = "subPathExpr and subPath are mutually exclusive";
      causes.push(invalidValue(`${at}[${index}].subPathExpr`, subPathExpr, detail));
    }
    const known = ["Bidirectional", "HostToContainer", "None"];
    if (mountPropagation !== undefined && !known.includes(textOf(mountPropagation))) {
      causes.push(unsupportedValue(`${at}.mountPropagation`, mountPropagation, known));
    }
    return causes;
  });

const resizePolicy: Rule = (value, at) =>
  fieldsList(value).flatMap(({ resourceName, restartPolicy }): readonly StatusCause[] => [
    ...(["cpu", "memory"].includes(textOf(resourceName))
      ? []
      : [unsupportedValue(at, resourceName, ["cpu", "memory"])]),
    ...(["NotRequired", "RestartContainer"].includes(textOf(restartPolicy))
      ? []
      : [unsupportedValue(at, restartPolicy, ["NotRequired", "RestartContainer"])]),
  ]);

/** What a container must be, besides what pod-rules.ts asks. */
export const containerFormRules: Rule = fields({
  ports: each(fields({ name: portName })),
  env: each(variable),
  envFrom: variables,
  resources,
  livenessProbe: living,
  startupProbe: living,
  readinessProbe: ready,
  lifecycle: fields({ postStart: handler, preStop: handler }),
  volumeMounts: mounts,
  terminationMessagePolicy: filled(oneOf("File", "FallbackToLogsOnError")),
  securityContext: optional(fields({ ...identityRules, procMount: optional(oneOf("Default", "Unmasked")) })),
  resizePolicy,
});

const mode: Rule = optional((value, at) =>
  Number(value) >= 0 && Number(value) <= 511
    ? []
    : [invalidValue(at, value, "must be a number between 0 and 0777 (octal), both inclusive")],
);
const withoutDots: Rule = filled((value, at) =>
  textOf(value).split("/").includes("..") ? [invalidValue(at, value, "must not contain '..'")] : [],
);
const absolute: Rule = filled((value, at) =>
  textOf(value).startsWith("/") ? [] : [invalidValue(at, value, "must be an absolute path")],
);
const items: Rule = each(fields({ key: required(), path: all(required(), withoutDots), mode }));

/** What a volume must be, by its source. */
const volumeFields: Readonly<Record<string, Rule>> = {
  emptyDir: optional(
    fields({
      sizeLimit: optional((value, at, parent) => {
        const quantity = parseQuantity(String(value));
        return quantity !== undefined && quantity.nano < 0n
          ? forbidden("SizeLimit field must be a valid resource quantity")(value, at, parent)
          : [];
      }),
    }),
  ),
  hostPath: optional(
    fields({
      path: all(required(), withoutDots),
      type: filled(
        oneOf(
          "",
          "BlockDevice",
          "CharDevice",
          "Directory",
          "DirectoryOrCreate",
          "File",
          "FileOrCreate",
          "Socket",
        ),
      ),
    }),
  ),
  configMap: optional(fields({ name: required(), defaultMode: mode, items })),
  secret: optional(fields({ secretName: required(), defaultMode: mode, items })),
  persistentVolumeClaim: optional(fields({ claimName: required() })),
  downwardAPI: optional(fields({ defaultMode: mode }), (value, at) =>
    fieldsList(fieldsOf(value)["items"]).flatMap(({ fieldRef, resourceFieldRef }) =>
      fieldRef === undefined && resourceFieldRef === undefined
        ? [requiredValue(at, "one of fieldRef and resourceFieldRef is required")]
        : [],
    ),
  ),
  nfs: optional(fields({ server: required(), path: all(required(), absolute) })),
  csi: optional(fields({ driver: required() })),
  ephemeral: optional(fields({ volumeClaimTemplate: required() })),
};

/** The volumes of a pod; a wrong one is none that a container could mount. */
export const volumeFormRules: Rule = (value, at) => {
  const lost = new Set<unknown>();
  const causes = fieldsList(fieldsOf(value)["volumes"]).flatMap((volume, index) => {
    const found = fields(volumeFields)(volume, `${at}.volumes[${index}]`, fieldsOf(value));
    if (found.length > 0) lost.add(volume["name"]);
    return found;
  });
  const mounting = fieldsList(fieldsOf(value)["containers"]).flatMap((container, place) =>
    listOf(container["volumeMounts"]).flatMap((mount, index): readonly StatusCause[] => {
      const { name } = isFields(mount) ? mount : {};
      if (!lost.has(name)) return [];
      const field = `${at}.containers[${place}].volumeMounts[${index}].name`;
      return [{ reason: "FieldValueNotFound", message: `Not found: ${JSON.stringify(name)}`, field }];
    }),
  );
  return [...causes, ...mounting];
};
