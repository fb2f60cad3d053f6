// Names of images: which are names at all, and what their parts are.
// https://github.com/distribution/reference

const domain =
  /^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const repository =
  /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?::(?<tag>\w[\w.-]{0,127}))?(?<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$/;
const longestName = 255;

/** What is said of an image beside its repository. */
export interface ImageParts {
  readonly tag: string | undefined;
  /** With its `@`. */
  readonly digest: string | undefined;
}

/** The parts of a name; undefined: it is none. */
export function imageParts(image: string): ImageParts | undefined {
  const { host, rest } = splitName(image);
  if (host !== undefined && !domain.test(host)) return undefined;
  const found = repository.exec(rest);
  if (found === null || image.replace(/[:@][^/]*$/, "").length > longestName) return undefined;
  return { tag: found.groups?.["tag"], digest: found.groups?.["digest"] };
}

/** Why a name is none, in the kubelet's words; undefined: it is one, or empty. */
export function imageNameFault(image: string): string | undefined {
  if (image === "" || imageParts(image) !== undefined) return undefined;
  const { host, rest } = splitName(image);
  const [name = ""] = rest.split(":");
  const remote = host === undefined && !name.includes("/") ? `library/${name}` : name;
  const isUpper = /[A-Z]/.test(name);
  const why = `invalid reference format${isUpper ? `: repository name (${remote}) must be lowercase` : ""}`;
  const quoted = JSON.stringify(image);
  return `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${why}`;
}

/** What comes before the first slash is a host if it looks like one. */
function splitName(image: string): { readonly host: string | undefined; readonly rest: string } {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  const isHost = /[.:]|^localhost$|[A-Z]/.test(first);
  return isHost ? { host: first, rest: image.slice(slash + 1) } : { host: undefined, rest: image };
}
