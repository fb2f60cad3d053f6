// Links in what a pod answers, so that a browser that follows them comes through the proxy again: those that begin at the pod's root, in
// HTML and in a Location.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/apimachinery/pkg/util/proxy/transport.go
import { posix } from "node:path";

/** Where the pod is reached, and where its root is for the client. */
export interface LinkPlace {
  /** The hosts that are the pod's: its address, and what the client has called this server. */
  readonly hosts: readonly string[];
  readonly root: string;
}

const attributes: Readonly<Record<string, string>> = {
  a: "href",
  applet: "codebase",
  area: "href",
  audio: "src",
  base: "href",
  blockquote: "cite",
  body: "background",
  button: "formaction",
  command: "icon",
  del: "cite",
  embed: "src",
  form: "action",
  frame: "longdesc src",
  head: "profile",
  html: "manifest",
  iframe: "longdesc src",
  img: "longdesc src usemap",
  input: "src usemap formaction",
  ins: "cite",
  link: "href",
  object: "classid codebase data usemap",
  q: "cite",
  script: "src",
  source: "src",
  video: "poster src",
};
const tag =
  /<!--[^]*?-->|<([a-z][a-z0-9]*)((?:\s+|\/|[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]*))?)*)>/gi;
const attribute = /([^\s"'>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

/** HTML with its links rewritten. */
export function rewriteHtml(html: string, place: LinkPlace): string {
  return html.replaceAll(tag, (whole: string, name: string | undefined, inside: string) => {
    const known = name === undefined ? undefined : attributes[name.toLowerCase()]?.split(" ");
    if (name === undefined || known === undefined) return whole;
    const rewritten = inside.replaceAll(attribute, (pair: string, key: string, is: string, value: string) => {
      if (!known.includes(key.toLowerCase())) return pair;
      const quote = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : "";
      const link = quote === "" ? value : value.slice(1, -1);
      return `${key}${is}${quote}${rewriteLink(link, place)}${quote}`;
    });
    return `<${name}${rewritten}>`;
  });
}

/** A link, if it leads to the pod's root or below it: the same through the proxy. */
export function rewriteLink(link: string, { hosts, root }: LinkPlace): string {
  const [, origin = "", host, path = "", more = ""] =
    /^((?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*))?([^?#]*)(.*)$/is.exec(link) ?? [];
  const isElsewhere = host !== undefined && host !== "" && !hosts.includes(host);
  if (isElsewhere || !path.startsWith("/")) return link;
  // A link that names the server as the client does keeps the name.
  const kept = host !== undefined && host === hosts[1] ? origin : "";
  if (path.startsWith(root)) return `${kept}${path}${more}`;
  const joined = posix.join(root, path);
  return `${kept}${joined}${path.endsWith("/") && !joined.endsWith("/") ? "/" : ""}${more}`;
}
