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
    const fault = pathSegmentFault(name);
    return fault === undefined ? [] : [fault];
  }
  if (group === "" && ["namespaces", "services"].includes(plural)) return labelNameFaults(name);
  if (group === "apps" && plural === "statefulsets") return labelNameFaults(name);
  // Their names are addresses, of which the rules of the type know more.
  if (group === "networking.k8s.io" && plural === "ipaddresses") return [];
  return subdomainFaults(name);
}

/** What is wrong with a qualified name like `example.com/part`, or undefined. */
export function qualifiedNameFault(key: string): string | undefined {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix !== undefined && subdomainFault(prefix) !== undefined) {
    return `prefix part ${(subdomainFault(prefix) ?? "").replace("253 characters", "253 bytes")}`;
  }
  if (name.length > 63) return "name part must be no more than 63 bytes";
  if (!/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) {
    return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  }
  return undefined;
}

/** Everything that is wrong with a qualified name: the real server names two faults of one whose last part is empty. */
export function qualifiedNameFaults(key: string): readonly string[] {
  const fault = qualifiedNameFault(key);
  if (fault === undefined) return [];
  return key === "" || key.endsWith("/") ? ["name part must be non-empty", fault] : [fault];
}

/** What is wrong with the value of a label, or undefined. */
export function labelValueFault(value: string): string | undefined {
  if (value.length > 63) return "must be no more than 63 bytes";
  if (/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value)) return undefined;
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
}

/** What is wrong with a DNS subdomain, or undefined. */
export function subdomainFault(name: string): string | undefined {
  return subdomainFaults(name)[0];
}

function subdomainFaults(name: string): readonly string[] {
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
  const faults: string[] = [];
  if (name.length > 63) faults.push("must be no more than 63 characters");
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    faults.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return faults.length === 0 ? undefined : faults.join(",");
}

/** What is wrong with a name that only has to be a path segment, or undefined. */
export function pathSegmentFault(name: string): string | undefined {
  if (name === "." || name === "..") return `may not be '${name}'`;
  const found = ["/", "%"].find((character) => name.includes(character));
  return found === undefined ? undefined : `may not contain '${found}'`;
}
