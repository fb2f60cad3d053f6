// The paths of a proxied request: what is asked of the pod, and where the client finds that again.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go
import { posix } from "node:path";

/** Where a request leads to. */
export interface ProxiedPath {
  /** What is asked of the pod, encoded, with the query. */
  readonly target: string;
  /** The path of the pod's root here, decoded and without a slash at its end. */
  readonly root: string;
  /** The whole path here, as the pod is given it. */
  readonly forwarded: string;
}

/**
 * The paths of a request: `path` is its decoded path, `url` what the client has sent, `rest` what it asks of the pod. Undefined when it names
 * the root without its slash: links on the page there would lead elsewhere.
 */
export function proxiedPath(path: string, url: string, rest: string): ProxiedPath | undefined {
  const cleaned = rest === "" ? "" : posix.join("/", rest);
  const isFolder = path.endsWith("/");
  const wanted = isFolder && !cleaned.endsWith("/") ? `${cleaned}/` : cleaned;
  if (wanted === "") return undefined;
  const root = path.endsWith(wanted) ? path.slice(0, -wanted.length) : path;
  const mark = url.indexOf("?");
  const encoded = encodedPath(wanted);
  const joined = posix.join(root, encoded);
  return {
    target: `${encoded}${mark < 0 ? "" : url.slice(mark)}`,
    root,
    forwarded: isFolder && !joined.endsWith("/") ? `${joined}/` : joined,
  };
}

/** A decoded path as a URL has it. */
export function encodedPath(path: string): string {
  return encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23");
}

/** What is asked of the pod by a request for another protocol, of which kube-apiserver does not keep the query. */
export function upgradedPath(path: string, rest: string): ProxiedPath {
  const cleaned = posix.join("/", rest);
  const target = path.endsWith("/") && !cleaned.endsWith("/") ? `${cleaned}/` : cleaned;
  return { target: encodedPath(target), root: path, forwarded: path };
}
