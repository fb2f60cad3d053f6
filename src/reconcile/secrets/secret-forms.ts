// How a value of a Secret may stand in a text. Pure.
import { redacted } from "../../meta/secret-text.ts";

/** Words that tell where data is, so that it is found in a text; a value that is one of them is no secret. */
const dataNames = new Set(["data", "stringdata", "binarydata"]);

/**
 * The forms of a value: with and without the white space around it, as it is, within JSON that may itself be quoted in JSON,
 * within a URL, and as the Secret has it.
 */
export function formsOf(value: string, encoded: string): readonly string[] {
  const forms = [value, value.trim()].flatMap((text) => [text, ...jsonFormsOf(text), ...urlFormsOf(text)]);
  return [...new Set([...forms, encoded])].filter(
    // A part of the mask itself is no secret, and would never be gone.
    (form) => !redacted.includes(form) && !dataNames.has(form.toLowerCase()),
  );
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
