// Leaves `metadata.managedFields` out of a watch event before it is parsed: half of what an API server sends, and hardly ever
// read. To find its end costs a fraction of parsing it. Used by the decoder of watches.

// A constant each: taken out of an array they would be looked up for every byte.
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * The text of an event without the managedFields of its object; the whole text where there are none, and where it is not
 * the compact JSON that API servers write. Fields of that name anywhere else are left alone. The bytes are used up: what follows is
 * moved over what is left out, as a text of two parts is copied once more before it is parsed.
 */
export function withoutManagedFields(event: Buffer): string {
  const object = valueOf(event, 0, "object");
  const metadata = valueOf(event, object, "metadata");
  const value = valueOf(event, metadata, "managedFields");
  const end = endOf(event, value);
  if (end < 0) return event.toString("utf8");
  const start = value - '"managedFields":'.length;
  // One comma goes with it: that before it, or of a first member that after it.
  const isFirst = event[start - 1] !== comma;
  const to = isFirst ? start : start - 1;
  const from = isFirst && event[end] === comma ? end + 1 : end;
  event.copyWithin(to, from);
  return event.toString("utf8", 0, event.length - (from - to));
}

/** Where the value of a member begins, in the object that begins at a place; -1 when there is none. */
function valueOf(json: Buffer, object: number, name: string): number {
  if (json[object] !== openBrace) return -1;
  for (let key = object + 1; json[key] === quote;) {
    const keyEnd = endOf(json, key);
    if (json[keyEnd] !== colon) return -1;
    if (keyEnd - key === name.length + 2 && isAt(json, key + 1, name)) return keyEnd + 1;
    const valueEnd = endOf(json, keyEnd + 1);
    if (json[valueEnd] !== comma) return -1;
    key = valueEnd + 1;
  }
  return -1;
}

/** Whether these letters stand at a place. */
function isAt(json: Buffer, place: number, letters: string): boolean {
  for (let at = 0; at < letters.length; at += 1) {
    if (json[place + at] !== letters.charCodeAt(at)) return false;
  }
  return true;
}

/** Where the value that begins at a place has ended; -1 when it does not. */
function endOf(json: Buffer, value: number): number {
  if (value < 0) return -1;
  let depth = 0;
  for (let at = value; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) {
      for (at += 1; at < json.length && json[at] !== quote; at += 1) if (json[at] === backslash) at += 1;
      if (depth === 0) return at + 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      // A number or a word ends where what is around it does.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === comma && depth === 0) {
      return at;
    }
  }
  return -1;
}
