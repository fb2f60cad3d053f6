// Secrets within a value of a Secret: the password of a URL or of a connection string, and what stands behind telling names in a
// file (.env, properties, INI, JSON, YAML, XML). A message quotes them alone. Pure.
import { readingsOf } from "../../collections/text-readings.ts";
import { isSecretField } from "../../meta/secret-text.ts";

/** Characters of a value that are looked through: what is longer is no configuration, and is known by its pieces. */
export const mostLookedThrough = 16_384;
/** Of one value: a file with more has a Secret of its own for them. */
const mostSecrets = 256;

interface Place {
  readonly pattern: RegExp;
  /** Undefined in places that say by their form that a secret is there. */
  readonly name?: "name";
}

/** Each has the secret as its group `secret`, and the name it must have as `name`. */
const places: readonly Place[] = [
  // Up to the last @ before the path: many passwords are not encoded as they should be.
  {
    pattern: /\b[a-z][a-z0-9+.-]{0,30}:\/\/(?<user>[^\s/?#@:"'<>]{0,256}:)?(?<secret>[^\s/?#"'<>]{1,512})@/gi,
  },
  // MySQL as Go's driver has it.
  { pattern: /(?:^|["'=\s])(?<user>[^\s/@:"'=]{1,256}:)(?<secret>[^\s"']{1,512})@(?:tcp6?|unix)\(/g },
  // Lines of a .pgpass: host, port, database, user, password.
  { pattern: /^[^\s:]{1,256}:(?:\d{1,5}|\*):[^\s:]{1,256}:(?<user>[^\s:]{1,256}):(?<secret>\S{1,512})$/gm },
  // Of a .netrc.
  { pattern: /\blogin\s{1,8}\S{1,256}\s{1,8}password\s{1,8}(?<secret>\S{1,512})/g },
  { pattern: /"(?<name>[\w.-]{1,64})"\s{0,8}:\s{0,8}"(?<secret>(?:[^"\\]|\\.){1,512})"/gs, name: "name" },
  { pattern: /<(?<name>[\w.-]{1,64})>(?<secret>[^<]{1,512})</g, name: "name" },
  // Between quotes, to the end of the line, and to the next part of a connection string.
  {
    pattern:
      /(?<![\w.-])(?<name>[\w.-]{1,64})["']?[ \t]{0,8}[=:][ \t]{0,8}"(?<secret>(?:[^"\\\n]|\\.){1,512})"/g,
    name: "name",
  },
  {
    pattern: /(?<![\w.-])(?<name>[\w.-]{1,64})["']?[ \t]{0,8}[=:][ \t]{0,8}'(?<secret>[^'\n]{1,512})'/g,
    name: "name",
  },
  {
    pattern:
      /^[ \t]*(?:- |export )?(?<name>[\w.-]{1,64})[ \t]{0,8}[=:][ \t]{0,8}(?<secret>[^\s"'][^\n]{0,511})$/gm,
    name: "name",
  },
  {
    pattern: /(?<![\w.-])(?<name>[\w.-]{1,64})[ \t]{0,8}[=:][ \t]{0,8}(?<secret>[^\s"'&;,{}[\]]{1,512})/g,
    name: "name",
  },
];

/** Host, port and database of a URL. */
const urlAddress =
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/(?:[^\s/?#"'<>]{0,512}@)?([a-z0-9.-]{1,253})(:\d{1,5})?(\/[\w.-]{1,64})?/gi;
/** A line, or a part of a connection string. */
const namedAddress =
  /(?<![\w.-])([\w.-]{1,64})["']?[ \t]{0,8}[=:][ \t]{0,8}["']?([a-z0-9.-]{1,253})(:\d{1,5})?(?![\w])/gi;

/** Where a value leads to: its hosts, which messages must be able to name although they are pieces of it. */
export function addressesWithin(value: string): readonly string[] {
  const text = value.slice(0, mostLookedThrough);
  const found: string[] = [];
  for (const [, host = "", port = "", path = ""] of text.matchAll(urlAddress)) {
    found.push(host, `${host}${port}`, `${host}${port}${path}`);
  }
  for (const [, name = "", host = "", port = ""] of text.matchAll(namedAddress)) {
    if (isAddress(name, host)) found.push(host, `${host}${port}`);
  }
  return [...new Set(found)].slice(0, mostSecrets);
}

/** The last word of a field's name that says where something is. */
const addressName = /(?:^|[-_.])(?:host(?:name)?s?|ports?)$/;
const port = /^\d{1,5}$/;
const hostName = /^\[?[a-z0-9](?:[a-z0-9.:-]{0,253}[a-z0-9])?\]?$/i;

/** Whether a field of a Secret says where something is: a host or a port, which messages about it must be able to name. */
export function isAddress(name: string, value: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
  return addressName.test(words) && (port.test(value) || hostName.test(value));
}

/** What is secret within a value, as it is written there and as it is meant. */
export function secretsWithin(value: string): readonly string[] {
  const text = value.slice(0, mostLookedThrough);
  if (!/[:=<]|password/.test(text)) return [];
  const found = new Set<string>();
  for (const { pattern, name } of places) {
    for (const { groups = {} } of text.matchAll(pattern)) {
      if (found.size >= mostSecrets) return [...found];
      const secret = groups["secret"]?.trim() ?? "";
      if (name === undefined ? `${secret}:` === groups["user"] : !isNamedSecret(groups["name"] ?? "", secret))
        continue;
      for (const meant of meaningsOf(secret)) if (isTelling(meant)) found.add(meant);
    }
  }
  return [...found];
}

/** Names of what an object of Kubernetes has, which are no secrets within a file. */
const dataNames = /^(?:data|stringdata|binarydata)$/i;
/** As Docker's and npm's files have it: user and password in base64. */
const authName = /^_?auth$/i;

function isNamedSecret(name: string, value: string): boolean {
  return (isSecretField(name, value) && !dataNames.test(name)) || authName.test(name);
}

/** What somebody who decodes a value has. */
function* meaningsOf(secret: string): Generator<string> {
  for (const { text, isBinary } of readingsOf(secret)) {
    if (!isBinary) yield text;
    else if (/^[ -~]{8,}$/.test(text)) {
      yield text;
      // What an Authorization header consists of.
      const password = /^[\w.@-]{1,64}:(.*)$/.exec(text)?.[1];
      if (password !== undefined) yield password;
    }
  }
}

/** Words and small numbers that would be found in every text, and references to what is somewhere else. */
function isTelling(value: string): boolean {
  if (/^(?:\$[({]|\{\{)/.test(value)) return false;
  return value.length >= 8 || (value.length >= 4 && !/^(?:\p{L}+|\d+)$/u.test(value));
}
