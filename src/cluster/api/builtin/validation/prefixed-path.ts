// Names that are a domain with a path behind it, such as `example.com/part`.
import { invalidValue, requiredValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { subdomainFaults } from "../../../../meta/name-rules.ts";

/** What is wrong with such a name. */
export function prefixedPathFaults(name: string, at: string): readonly StatusCause[] {
  if (name === "") return [requiredValue(at)];
  const slash = name.indexOf("/");
  if (slash <= 0 || slash === name.length - 1) {
    return [invalidValue(at, name, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const [host, path] = [name.slice(0, slash), name.slice(slash + 1)];
  const isPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path);
  const detail = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
  return [
    ...subdomainFaults(host).map((fault) => invalidValue(at, host, fault)),
    ...(isPath ? [] : [invalidValue(at, path, detail)]),
  ];
}
