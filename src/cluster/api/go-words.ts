// What the real server's language says of JSON: how it calls values, and what is wrong with bytes.

/** How Go calls the type of a JSON value. */
export function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value;
}

/** What Go says about bytes that are not written in base64. */
export function base64Faults(text: string): string[] {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const stray = compact.search(/[^A-Za-z0-9+/=]/);
  const isWhole = compact.length % 4 === 0 && /^[^=]*={0,2}$/.test(compact);
  if (stray < 0 && isWhole) return [];
  return [`illegal base64 data at input byte ${stray >= 0 ? stray : compact.length - (compact.length % 4)}`];
}
