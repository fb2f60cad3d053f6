// Where webhooks are called: an URL, or a Service and a path, in the words of kube-apiserver.
import { invalidValue, requiredValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { fieldsOf, isFields, textOf } from "../../api-object.ts";
import { subdomainFaults } from "../../../../meta/name-rules.ts";
import type { Rule } from "./rule.ts";

const form = "desired format: https://host[/path]";

/** The parts of an URL as Go's net/url reads them, which takes nearly every text for one. */
interface ReadUrl {
  readonly scheme: string;
  readonly host: string;
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

/** The parts of a text, or what Go says of one that is no URL. */
function readUrl(text: string): ReadUrl | string {
  const fault = (said: string): string => `parse ${JSON.stringify(text)}: ${said}`;
  // eslint-disable-next-line no-control-regex -- these are what Go refuses
  if (/[\u0000-\u001F\u007F]/.test(text)) return fault("net/url: invalid control character in URL");
  const hash = text.indexOf("#");
  const [before, fragment] = hash < 0 ? [text, ""] : [text.slice(0, hash), text.slice(hash + 1)];
  if (before.startsWith(":")) return fault("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(before)?.[1] ?? "";
  const behind = scheme === "" ? before : before.slice(scheme.length + 1);
  const mark = behind.indexOf("?");
  const [rest, query] = mark < 0 ? [behind, ""] : [behind.slice(0, mark), behind.slice(mark + 1)];
  const known = { scheme: scheme.toLowerCase(), query, fragment };
  if (scheme === "" && /^[^/]*:/.test(rest)) {
    return fault("first path segment in URL cannot contain colon");
  }
  const escape = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(rest)?.[0];
  if (escape !== undefined) return fault(`invalid URL escape ${JSON.stringify(escape)}`);
  const isNamed = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"));
  if (!isNamed) return { ...known, host: "", user: undefined };
  const [authority = ""] = rest.slice(2).split("/");
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const port = /:[^:\]]*$/.exec(host)?.[0];
  if (port !== undefined && !/^:\d*$/.test(port)) {
    return fault(`invalid port ${JSON.stringify(port)} after host`);
  }
  const stray = /[ "<>\\^`{|}]/.exec(host)?.[0];
  if (stray !== undefined) return fault(`invalid character ${JSON.stringify(stray)} in host name`);
  return { ...known, host, user: at < 0 ? undefined : authority.slice(0, at) };
}

function urlFaults(text: string, at: string): StatusCause[] {
  const url = readUrl(text);
  if (typeof url === "string") return [requiredValue(at, `url must be a valid URL: ${url}; ${form}`)];
  const { scheme, host, user, fragment, query } = url;
  const causes: StatusCause[] = [];
  if (scheme !== "https") {
    causes.push(invalidValue(at, scheme, `'https' is the only allowed URL scheme; ${form}`));
  }
  if (host === "") causes.push(invalidValue(at, "", `host must be specified; ${form}`));
  if (user !== undefined) {
    causes.push(invalidValue(at, user, "user information is not permitted in the URL"));
  }
  if (fragment !== "") causes.push(invalidValue(at, fragment, "fragments are not permitted in the URL"));
  if (query !== "") causes.push(invalidValue(at, query, "query parameters are not permitted in the URL"));
  return causes;
}

function pathFaults(path: string, at: string): StatusCause[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalidValue(at, path, "segment[0] may not be empty")];
  const relative = path.startsWith("/") ? [] : [invalidValue(at, path, "must start with a '/'")];
  // What comes first is taken for the slash, whatever it is.
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  const faults = steps.flatMap((step, index) =>
    step === ""
      ? [`segment[${index}] may not be empty`]
      : subdomainFaults(step).map((fault) => `segment[${index}]: ${fault}`),
  );
  return [...relative, ...faults.map((fault) => invalidValue(at, path, fault))];
}

/** Where a webhook is called. */
export const clientConfigRule: Rule = (value, at) => {
  const { url, service } = fieldsOf(value);
  if ((typeof url === "string") === isFields(service)) {
    return [requiredValue(at, "exactly one of url or service is required")];
  }
  if (typeof url === "string") return urlFaults(url, `${at}.url`);
  const reference = fieldsOf(service);
  const causes: StatusCause[] = [];
  for (const name of ["name", "namespace"]) {
    if (textOf(reference[name]) === "") causes.push(requiredValue(`${at}.service.${name}`));
  }
  const { port = 443, path = "" } = reference;
  if (typeof port !== "number" || port < 1 || port > 65_535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    causes.push(invalidValue(`${at}.service.port`, port, detail));
  }
  return [...causes, ...pathFaults(textOf(path), `${at}.service.path`)];
};
