// What names may look like, in the words of the real server.
// Read by the embedded API server, and by the checks of operators that are files.
import type { ResourceType } from "./resource-type.ts";

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Groups whose objects may have any name that a path can hold. */
const pathSegmentGroups = new Set([
  "apiregistration.k8s.io",
  "certificates.k8s.io",
  "rbac.authorization.k8s.io",
]);

/** Types of other groups whose objects may have such names, too. */
const pathSegmentTypes = new Set(["events", "poddisruptionbudgets.policy"]);

/** What is wrong with the name of an object of a type, or undefined. */
export function nameFault(type: Pick<ResourceType, "group" | "plural">, name: string): string | undefined {
  return nameFaults(type, name)[0];
}

/** Everything that is wrong with the name of an object of a type. */
export function nameFaults(
  { group, plural }: Pick<ResourceType, "group" | "plural">,
  name: string,
): readonly string[] {
  if (pathSegmentGroups.has(group) || pathSegmentTypes.has(group === "" ? plural : `${plural}.${group}`)) {
    return pathSegmentFaults(name);
  }
  if (group === "" && ["namespaces", "services"].includes(plural)) return labelNameFaults(name);
  if (group === "apps" && plural === "statefulsets") return labelNameFaults(name);
  // Their names are addresses, of which the rules of the type know more.
  if (group === "networking.k8s.io" && plural === "ipaddresses") return [];
  return subdomainFaults(name);
}

/** What is wrong with a qualified name like `example.com/part`, or undefined: the last of it where there is more. */
export function qualifiedNameFault(key: string): string | undefined {
  return qualifiedNameFaults(key).at(-1);
}

const qualifiedForm =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** Everything that is wrong with a qualified name. */
export function qualifiedNameFaults(key: string): readonly string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedForm} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? "";
  const [prefix] = parts.length === 2 ? parts : [];
  const ofPrefix =
    prefix === undefined ? [] : prefix === "" ? ["must be non-empty"] : subdomainFaults(prefix);
  const long = name.length > 63 ? ["must be no more than 63 bytes"] : [];
  const isFormed = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name);
  return [
    ...ofPrefix.map((fault) => `prefix part ${fault.replace("253 characters", "253 bytes")}`),
    ...[...(name === "" ? ["must be non-empty"] : long), ...(isFormed ? [] : [qualifiedForm])].map(
      (fault) => `name part ${fault}`,
    ),
  ];
}

const labelValueForm =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** What is wrong with the value of a label, or undefined. */
export function labelValueFault(value: string): string | undefined {
  return labelValueFaults(value)[0];
}

/** Everything that is wrong with the value of a label. */
export function labelValueFaults(value: string): readonly string[] {
  return [
    ...(value.length > 63 ? ["must be no more than 63 bytes"] : []),
    ...(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value) ? [] : [labelValueForm]),
  ];
}

/** What is wrong with a DNS subdomain, or undefined. */
export function subdomainFault(name: string): string | undefined {
  return subdomainFaults(name)[0];
}

/** Everything that is wrong with a DNS subdomain. */
export function subdomainFaults(name: string): readonly string[] {
  const long = name.length > 253 ? ["must be no more than 253 characters"] : [];
  if (subdomain.test(name)) return long;
  return [
    ...long,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ];
}

/** What is wrong with a DNS label, or undefined. */
export function labelNameFault(name: string): string | undefined {
  return labelNameFaults(name)[0];
}

/** Everything that is wrong with a DNS label. */
export function labelNameFaults(name: string): readonly string[] {
  const long = name.length > 63 ? ["must be no more than 63 characters"] : [];
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return long;
  return [
    ...long,
    subdomain.test(name)
      ? "must not contain dots"
      : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ];
}

/** What is wrong with a DNS label that has to begin with a letter, or undefined. */
export function letteredLabelFault(name: string): string | undefined {
  const faults = letteredLabelFaults(name);
  return faults.length === 0 ? undefined : faults.join(",");
}

/** Everything that is wrong with a DNS label that has to begin with a letter. */
export function letteredLabelFaults(name: string): readonly string[] {
  return [
    ...(name.length > 63 ? ["must be no more than 63 characters"] : []),
    ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)
      ? []
      : [
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ]),
  ];
}

/** What is wrong with a name that only has to be a path segment, or undefined. */
export function pathSegmentFault(name: string): string | undefined {
  return pathSegmentFaults(name)[0];
}

/** Everything that is wrong with a name that only has to be a path segment. */
export function pathSegmentFaults(name: string): readonly string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"]
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}
