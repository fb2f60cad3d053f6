// Whom a proxied request is for: `[http:|https:]name[:port]`, as it stands in place of a name.
// https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls
import { badRequest } from "../../status-error.ts";

/** The parts of such a name. */
export interface ProxiedName {
  readonly isTls: boolean;
  readonly name: string;
  /** Empty: none is named. */
  readonly port: string;
}

/** Reads a name. Errors: 400 for one of other parts; `what` is what it names, for the message. */
export function readProxiedName(text: string, what: "node" | "pod" | "service"): ProxiedName {
  const [first = "", second = "", third = "", ...more] = text.split(":");
  const hasScheme = text.split(":").length === 3;
  const isScheme = first === "" || first === "http" || first === "https";
  const { name, port } = hasScheme ? { name: second, port: third } : { name: first, port: second };
  if (more.length > 0 || name === "" || (hasScheme && !isScheme)) {
    throw badRequest(`invalid ${what} request ${JSON.stringify(text)}`);
  }
  return { isTls: hasScheme && first === "https", name, port };
}
