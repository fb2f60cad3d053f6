// The resourceVersion that a write names, as the real server's storage reads it: a number of 64 bits, of which zero says as little as none.
import { StatusError } from "../status-error.ts";

const largest = 2n ** 64n - 1n;

/** The version in the form in which it is stored, empty where none is given. Errors: 500 for what is no such number, as on the real server. */
export function givenVersion(resourceVersion: unknown): string {
  if (typeof resourceVersion !== "string" || resourceVersion === "") return "";
  const number = numberOf(resourceVersion);
  if (typeof number === "bigint") return number === 0n ? "" : String(number);
  const message = `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: ${number}`;
  throw new StatusError(500, undefined, message);
}

/** Whether a version is one that an object can have; what cannot be read is none to who creates an object. */
export function isVersion(resourceVersion: string | undefined): boolean {
  const number = numberOf(resourceVersion ?? "");
  return typeof number === "bigint" && number > 0n;
}

/** The number, or what is wrong with it. */
function numberOf(text: string): bigint | string {
  if (!/^\d+$/.test(text)) return "invalid syntax";
  const number = BigInt(text);
  return number > largest ? "value out of range" : number;
}
