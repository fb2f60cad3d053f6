// Who runs a pod and its containers, and what the kernel lets them do.
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf, type Fields } from "../../api-object.ts";
import {
  all,
  each,
  fields,
  invalidStruct,
  isEmpty,
  oneOf,
  optional,
  required,
  text,
  type Rule,
} from "./rule.ts";
import { descending } from "./volume-source-rules.ts";

const userId = optional((value, at) =>
  Number(value) >= 0 && Number(value) <= 2_147_483_647
    ? []
    : [invalidValue(at, value, "must be between 0 and 2147483647, inclusive")],
);

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

/** What kind of profile it is. */
function profileType(what: string): Rule {
  return all(required(`type is required when ${what} is set`), (value, at, parent) =>
    isEmpty(value) ? [] : oneOf(...profileTypes)(value, at, parent),
  );
}

const seccomp: Rule = optional(
  fields({
    type: profileType("seccompProfile"),
    localhostProfile: (value, at, parent) => {
      if (parent["type"] === "Localhost") {
        if (value !== undefined) return descending(value, at, parent);
        return [requiredValue(at, "must be set when seccomp type is Localhost")];
      }
      const detail = "can only be set when seccomp type is Localhost";
      const struct = { Type: parent["type"] ?? "", LocalhostProfile: value };
      return value === undefined ? [] : [invalidStruct(at, struct, detail)];
    },
  }),
);

const appArmor: Rule = optional(
  fields({
    type: profileType("appArmorProfile"),
    localhostProfile: (value, at, { type }) => {
      if (type === "Localhost") {
        const path = textOf(value);
        if (path.trim() !== path) return [invalidValue(at, path, "must not be padded with whitespace")];
        return [
          ...(path === "" ? [requiredValue(at, "must be set when AppArmor type is Localhost")] : []),
          ...(path.length > 4_095 ? [tooLong(at, 4_095)] : []),
        ];
      }
      if (value === undefined || (type !== "RuntimeDefault" && type !== "Unconfined")) return [];
      return [invalidValue(at, value, "can only be set when AppArmor type is Localhost")];
    },
  }),
);

const netBiosDomain = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsDomain =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** What is wrong with the name of a user of Windows, with or without a domain. */
function windowsUserFaults(name: string): readonly string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [user = "", domain] = [...parts].reverse();
  const isKnownForm = domain === undefined || netBiosDomain.test(domain) || dnsDomain.test(domain);
  return [
    ...((domain ?? "").length >= 256 ? ["runAsUserName's Domain length must be under 256 characters"] : []),
    ...(isKnownForm ? [] : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"]),
    ...(user === "" ? ["runAsUserName's User cannot be empty"] : []),
    ...(user.length > 104 ? ["runAsUserName's User length must not be longer than 104 characters"] : []),
    ...(/^[. ]+$/.test(user) ? ["runAsUserName's User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]
      : []),
  ];
}

const longestCredential = 64 * 1_024;

const windowsOptions: Rule = optional(
  fields({
    gmsaCredentialSpecName: optional((value, at) => {
      return subdomainFaults(textOf(value)).map((fault) => invalidValue(at, value, fault));
    }),
    gmsaCredentialSpec: text((credential) =>
      credential === ""
        ? "gmsaCredentialSpec cannot be an empty string"
        : credential.length > longestCredential
          ? "gmsaCredentialSpec size must be under 64 KiB"
          : undefined,
    ),
    runAsUserName: optional((value, at) =>
      windowsUserFaults(textOf(value)).map((fault) => invalidValue(at, value, fault)),
    ),
  }),
);

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const sysctlFault =
  "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const shared: readonly (readonly [field: string, names: RegExp])[] = [
  ["hostNetwork", /^net\./],
  ["hostIPC", /^(?:kernel\.(?:sem$|shm|msg)|fs\.mqueue\.)/],
];

/** Settings of the kernel, each once, and none of what is the host's. */
function sysctlFaults(spec: Fields, at: string): readonly StatusCause[] {
  const seen = new Set<string>();
  return fieldsList(fieldsOf(spec["securityContext"])["sysctls"]).flatMap(
    (setting, index): readonly StatusCause[] => {
      const field = `${at}.sysctls[${index}].name`;
      const name = textOf(setting["name"]);
      const causes: StatusCause[] = [];
      if (name === "") causes.push(requiredValue(field));
      else if (name.length > 253 || !sysctlName.test(name))
        causes.push(invalidValue(field, name, sysctlFault));
      else if (seen.has(name)) causes.push(duplicateValue(field, name));
      seen.add(name);
      for (const [host, names] of shared) {
        if (spec[host] !== true || !names.test(name.replaceAll("/", "."))) continue;
        causes.push(invalidValue(field, name, `may not be specified when '${host}' is true`));
      }
      return causes;
    },
  );
}

const ofPods = fields({
  fsGroup: userId,
  runAsUser: userId,
  runAsGroup: userId,
  supplementalGroups: each(userId),
});
const policiesOfPods = fields({
  fsGroupChangePolicy: optional(oneOf("Always", "OnRootMismatch")),
  seccompProfile: seccomp,
  windowsOptions,
  appArmorProfile: appArmor,
  supplementalGroupsPolicy: optional(oneOf("Merge", "Strict")),
  // The other one belongs to a feature of Kubernetes that is off by default.
  seLinuxChangePolicy: optional(oneOf("Recursive")),
});

/** The security context of a pod, which the spec is given for. */
export const podSecurity: Rule = (value, at, parent) => {
  const spec = fieldsOf(value);
  const { securityContext, hostPID, shareProcessNamespace } = spec;
  const field = `${at}.securityContext`;
  const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
  return [
    ...ofPods(securityContext, field, parent),
    ...(hostPID === true && shareProcessNamespace === true
      ? [invalidValue(`${field}.shareProcessNamespace`, true, detail)]
      : []),
    ...sysctlFaults(spec, field),
    ...policiesOfPods(securityContext, field, parent),
  ];
};

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

const escalation: Rule = (value, at) => {
  const { allowPrivilegeEscalation, privileged, capabilities } = fieldsOf(value);
  if (allowPrivilegeEscalation !== false) return [];
  const refused = (what: string): StatusCause =>
    invalidStruct(
      at,
      goSecurityContext(fieldsOf(value)),
      `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
    );
  return [
    ...(privileged === true ? [refused("`privileged` to true")] : []),
    ...listOf(fieldsOf(capabilities)["add"])
      .filter((capability) => capability === "CAP_SYS_ADMIN")
      .map(() => refused("`capabilities.Add` CAP_SYS_ADMIN")),
  ];
};

const ofContainers: Rule = optional(
  fields({ runAsUser: userId, runAsGroup: userId }),
  fields({ seccompProfile: seccomp }),
  escalation,
  fields({ windowsOptions, appArmorProfile: appArmor }),
);

/** The security context of a container of a pod, whose spec is given. */
export function containerSecurity(spec: Fields): Rule {
  const ownUsers = spec["hostUsers"] === false;
  return (value, at, parent) => {
    const { procMount } = fieldsOf(value);
    const field = `${at}.procMount`;
    return [
      ...(procMount === undefined ? [] : oneOf("Default", "Unmasked")(procMount, field, parent)),
      ...(procMount === "Unmasked" && !ownUsers
        ? [invalidValue(field, procMount, "`hostUsers` must be false to use `Unmasked`")]
        : []),
      ...ofContainers(value, at, parent),
    ];
  };
}

/** A pod whose users are not the host's shares none of the host's namespaces. */
export const hostUsersRule: Rule = (value, at) => {
  const spec = fieldsOf(value);
  if (spec["hostUsers"] !== false) return [];
  const shown = { hostNetwork: "hostNetwork", hostPID: "HostPID", hostIPC: "HostIPC" };
  return Object.entries(shown).flatMap(([name, field]) =>
    spec[name] === true ? [forbiddenValue(`${at}.${field}`, "when `pod.Spec.HostUsers` is false")] : [],
  );
};

/** Containers of pods that run as processes of a host of Windows: all of them, or none. */
export const hostProcessRule: Rule = (value, at) => {
  const spec = fieldsOf(value);
  const processOf = (of: unknown): unknown =>
    fieldsOf(fieldsOf(fieldsOf(of)["securityContext"])["windowsOptions"])["hostProcess"];
  const ofPod = processOf(spec);
  const causes: StatusCause[] = [];
  const containers = containersOf(spec, at);
  let count = 0;
  for (const [container, field] of containers) {
    const own = processOf(container);
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${JSON.stringify(ofPod)}`;
      causes.push(invalidValue(`${field}.securityContext.windowsOptions.hostProcess`, own, detail));
    }
    if ((own ?? ofPod) === true) count += 1;
  }
  if (count === 0) return causes;
  if (count !== containers.length) {
    const detail =
      "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    causes.push(invalidValue(at, "", detail));
  }
  if (spec["hostNetwork"] !== true) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    causes.push(invalidValue(`${at}.hostNetwork`, false, detail));
  }
  return causes;
};

/** The containers of a pod that start first, and the others, each with where it is. */
function containersOf(spec: Fields, at: string): readonly (readonly [container: Fields, at: string])[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    fieldsList(spec[list]).map((container, index) => [container, `${at}.${list}[${index}]`] as const),
  );
}

const notOfWindows = {
  pod: "appArmorProfile seLinuxOptions",
  spec: "hostUsers hostPID hostIPC",
  podAfter: "seccompProfile fsGroup fsGroupChangePolicy sysctls",
  specAfter: "shareProcessNamespace",
  podLast: "runAsUser runAsGroup supplementalGroups supplementalGroupsPolicy seLinuxChangePolicy",
  container:
    "appArmorProfile seLinuxOptions seccompProfile capabilities readOnlyRootFilesystem privileged " +
    "allowPrivilegeEscalation procMount runAsUser runAsGroup",
} as const;

/** The operating system of a pod, and what it has not. */
export const operatingSystem: Rule = (value, at) => {
  const spec = fieldsOf(value);
  if (spec["os"] === undefined) return [];
  const name = textOf(fieldsOf(spec["os"])["name"]);
  if (name === "") return [requiredValue(`${at}.os.name`)];
  if (name !== "linux" && name !== "windows") {
    return [unsupportedValue(`${at}.os`, name, ["linux", "windows"])];
  }
  const refused = (of: unknown, field: string, names: string, detail: string): readonly StatusCause[] =>
    names.split(" ").flatMap((each_) => {
      const given = fieldsOf(of)[each_];
      // What is off in the namespaces of the host is as good as not said.
      const isSet =
        given !== undefined && !(given === false && each_.startsWith("host") && each_ !== "hostUsers");
      return isSet ? [forbiddenValue(`${field}.${each_}`, detail)] : [];
    });
  const context = `${at}.securityContext`;
  const ofPod = spec["securityContext"];
  if (name === "linux") {
    const detail = "windows options cannot be set for a linux pod";
    return [
      ...refused(ofPod, context, "windowsOptions", detail),
      ...containersOf(spec, at).flatMap(([container, field]) =>
        refused(container["securityContext"], `${field}.securityContext`, "windowsOptions", detail),
      ),
    ];
  }
  const detail = "cannot be set for a windows pod";
  return [
    ...refused(ofPod, context, notOfWindows.pod, detail),
    ...refused(spec, at, notOfWindows.spec, detail),
    ...refused(ofPod, context, notOfWindows.podAfter, detail),
    ...refused(spec, at, notOfWindows.specAfter, detail),
    ...refused(ofPod, context, notOfWindows.podLast, detail),
    ...containersOf(spec, at).flatMap(([container, field]) =>
      refused(container["securityContext"], `${field}.securityContext`, notOfWindows.container, detail),
    ),
  ];
};
