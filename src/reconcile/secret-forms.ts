// How a value of a Secret may stand in a text. Pure.
import { redacted } from "../meta/secret-text.ts";

/** The forms of a value: as it is, without the white space around it, within JSON, within a URL, and as the Secret has it. */
export function formsOf(value: string, encoded: string): readonly string[] {
  const forms = [value, value.trim(), JSON.stringify(value).slice(1, -1), toUrlPart(value), encoded];
  // A part of the mask itself is no secret, and would never be gone.
  return [...new Set(forms)].filter((form) => !redacted.includes(form));
}

function toUrlPart(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    // Half a character.
    return value;
  }
}
