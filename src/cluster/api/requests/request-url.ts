// The target of a request as Go reads it: nothing is normalised, and what cannot be decoded is refused (in a path)
// or left out (in a query).

/** The target of a request. */
export interface RequestUrl {
  /** Decoded, as it was sent: `..` and double slashes stay. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Thrown for a target that is none. */
export class MalformedUrl extends Error {}

/** Reads the target in a request line. Errors: {@link MalformedUrl}. */
export function readRequestUrl(target: string): RequestUrl {
  const local = target.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  const path = decode(mark < 0 ? local : local.slice(0, mark));
  if (path === undefined) throw new MalformedUrl("the path of the request cannot be decoded");
  const query = new URLSearchParams();
  for (const pair of mark < 0 ? [] : local.slice(mark + 1).split("&")) {
    const [name = "", ...rest] = pair.replaceAll("+", " ").split("=");
    const [key, value] = [decode(name), decode(rest.join("="))];
    if (pair !== "" && !pair.includes(";") && key !== undefined && value !== undefined)
      query.append(key, value);
  }
  return { path, query };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
