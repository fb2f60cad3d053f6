// Writes the protobuf wire format: the inverse of wire-reader.ts. A message is a text with a character for each byte, as texts are joined
// at less cost than bytes; its end is `toBytes`.
// https://protobuf.dev/programming-guides/encoding/

/** A message: its fields one after the other. */
export type WireMessage = string;

/** A message of fields; those that are undefined are left out. */
export function message(...fields: readonly (string | undefined)[]): WireMessage {
  let whole = "";
  for (const field of fields) if (field !== undefined) whole += field;
  return whole;
}

/** The bytes of a message. */
export function toBytes(whole: WireMessage): Buffer {
  return Buffer.from(whole, "latin1");
}

/** A field that is a message; undefined where that is. */
export function messageField(number: number, value: WireMessage | undefined): string | undefined {
  return value === undefined ? undefined : varint(number * 8 + 2) + varint(value.length) + value;
}

/** A field that is a text; undefined where that is. */
export function textField(number: number, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const isPlain = Buffer.byteLength(value) === value.length;
  return messageField(number, isPlain ? value : Buffer.from(value, "utf8").toString("latin1"));
}

/** A whole number that is not negative, or true; undefined where it is. */
export function numberField(number: number, value: number | boolean | undefined): string | undefined {
  return value === undefined ? undefined : varint(number * 8) + varint(Number(value));
}

/** A number with a fraction; undefined where it is. */
export function doubleField(number: number, value: number | undefined): string | undefined {
  if (value === undefined) return undefined;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return varint(number * 8 + 1) + bytes.toString("latin1");
}

function varint(value: number): string {
  let text = "";
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) text += String.fromCharCode((rest % 128) + 128);
  return text + String.fromCharCode(rest);
}
