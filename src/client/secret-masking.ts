// Keeps a Secret's data out of the errors about it: an API server, an admission webhook or a proxy may quote what was
// sent, and errors end up in logs, conditions and Kubernetes Events. Pure; called by the transport when a write fails.

/** Put in the place of what was quoted. */
const mask = "[redacted]";

/** Characters in a row that a message must share with a value to be taken for a quotation of it. */
const shortestQuote = 6;
/** Characters of the shortest value that is looked for within words: a digit or two are in every other name. */
const shortestPiece = 4;

const secretPath = /^\/api\/v1\/(?:namespaces\/[^/?]+\/)?secrets(?:[/?]|$)/;

/**
 * The text of an error answer without anything that it quotes from the data of the Secret that was sent. What the request's own
 * path says is shown beside every error: an address or a user in a Secret often has the name of it.
 */
export function withoutSecretData(
  text: string,
  request: { readonly path: string; readonly body?: string | undefined },
): string {
  if (request.body === undefined || !secretPath.test(request.path)) return text;
  const values = secretValues(request.body);
  if (values === undefined) return mask;
  let masked = text;
  for (const value of values) masked = maskQuotes(masked, value, request.path);
  return masked;
}

/** All strings of the data, as they were sent, decoded and encoded; undefined when the body cannot be read. */
function secretValues(body: string): readonly string[] | undefined {
  const found = new Set<string>();
  const visit = (value: unknown, inData: boolean): void => {
    if (typeof value === "string") {
      if (!inData || value === "") return;
      found.add(value);
      found.add(JSON.stringify(value).slice(1, -1));
      found.add(Buffer.from(value, "base64").toString("utf8"));
      found.add(Buffer.from(value, "utf8").toString("base64"));
    } else if (typeof value === "number" || typeof value === "boolean") {
      if (inData) found.add(String(value));
    } else if (typeof value === "object" && value !== null) {
      // A JSON patch names what it writes in `path`.
      const { path } = value as { readonly path?: unknown };
      const patched = typeof path === "string" && /^\/(?:data|stringData)(?:\/|$)/.test(path);
      for (const [name, each] of Object.entries(value)) {
        visit(each, inData || name === "data" || name === "stringData" || (patched && name === "value"));
      }
    }
  };
  try {
    visit(JSON.parse(body), false);
  } catch {
    return undefined;
  }
  found.delete("");
  return [...found].sort((one, other) => other.length - one.length);
}

/** Masks every run of characters that a text shares with a value, and that stands elsewhere anyway; a short value only as a whole. */
function maskQuotes(text: string, value: string, named: string): string {
  if (value.length <= shortestQuote && named.includes(value)) return text;
  if (value.length < shortestPiece) return maskWord(text, value);
  if (value.length <= shortestQuote) return text.replaceAll(value, mask);
  const runs = new Set<string>();
  for (let at = 0; at + shortestQuote <= value.length; at += 1) {
    const run = value.slice(at, at + shortestQuote);
    if (!named.includes(run)) runs.add(run);
  }
  let [result, kept] = ["", 0];
  for (let at = 0; at + shortestQuote <= text.length; at += 1) {
    if (!runs.has(text.slice(at, at + shortestQuote))) continue;
    let end = at + shortestQuote;
    while (end < text.length && runs.has(text.slice(end - shortestQuote + 1, end + 1))) end += 1;
    result += text.slice(kept, at) + mask;
    kept = end;
    at = end - 1;
  }
  return result + text.slice(kept);
}

/** Masks a value where it is not a part of a word. */
function maskWord(text: string, value: string): string {
  const isWord = (character = ""): boolean => /[\p{L}\p{N}]/u.test(character);
  let result = "";
  let kept = 0;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    const isPart =
      (isWord(value.at(0)) && isWord(text[at - 1])) || (isWord(value.at(-1)) && isWord(text[end]));
    if (at < kept || isPart) continue;
    result += text.slice(kept, at) + mask;
    kept = end;
  }
  return result + text.slice(kept);
}
