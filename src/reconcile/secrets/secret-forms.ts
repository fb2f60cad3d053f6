// How a value of a Secret may stand in a text. Pure.
import { redacted } from "../../meta/secret-text.ts";

/** Words that tell where data is, so that it is found in a text; a value that is one of them is no secret. */
const dataNames = new Set(["data", "stringdata", "binarydata"]);

/** Longer values are certificates and files: nobody sends them in a header or writes them into a statement. */
const longestQuoted = 256;

/**
 * The forms of a value: with and without the white space around it, as it is, as the Secret has it, within JSON that may
 * itself be quoted in JSON, and within a URL; a short one also within XML, SQL and shell commands, in hexadecimal digits, and
 * within the base64 of a longer text (a Basic header).
 */
export function formsOf(value: string, encoded: string): readonly string[] {
  const forms = [value, value.trim()].flatMap((text) => [
    text,
    ...jsonFormsOf(text),
    ...urlFormsOf(text),
    ...(text.length > longestQuoted ? [] : [...markupFormsOf(text), ...binaryFormsOf(text)]),
  ]);
  return [...new Set([...forms, encoded])].filter(
    // A part of the mask itself is no secret, and would never be gone.
    (form) => !redacted.includes(form) && !dataNames.has(form.toLowerCase()),
  );
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

function markupFormsOf(value: string): readonly string[] {
  const xml = value.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return [
    xml,
    xml.replace(/"/g, "&quot;").replace(/'/g, "&apos;"),
    xml.replace(/"/g, "&#34;").replace(/'/g, "&#39;"),
    // SQL doubles a quote, or puts a backslash before it; a shell leaves the quotes for it.
    value.replace(/'/g, "''"),
    value.replace(/[\\']/g, "\\$&"),
    value.replace(/'/g, `'\\''`),
    value.replace(/'/g, `'"'"'`),
  ];
}

/** Bytes that a piece of base64 or of hexadecimal digits must stand for to tell something. */
const shortestBytes = 6;

function binaryFormsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  if (bytes.length < shortestBytes) return [];
  const hex = bytes.toString("hex");
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((before) => insideBase64(bytes, before))];
}

/**
 * What base64 makes of bytes that so many others (modulo 3) come before: the characters that depend on these bytes alone, in
 * both alphabets. RFC 4648, sections 4 and 5.
 */
function insideBase64(bytes: Buffer, before: number): readonly string[] {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor(((before + bytes.length) * 8) / 6);
  const inside = text.slice(first, last);
  return [inside, inside.replaceAll("+", "-").replaceAll("/", "_")];
}

function jsonFormsOf(value: string): readonly string[] {
  const once = quoted(value);
  return [once, quoted(once)];
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As one part of a URL, with either case of its digits; as a field of a form; and as a password before the host. */
function urlFormsOf(value: string): readonly string[] {
  try {
    const part = encodeURIComponent(value);
    const url = new URL("http://host");
    url.password = value;
    return [part, part.replace(/%../g, (code) => code.toLowerCase()), toFormField(value), url.password];
  } catch {
    // Half a character.
    return [];
  }
}

function toFormField(value: string): string {
  return new URLSearchParams({ "": value }).toString().slice(1);
}
