// The frames of SPDY 3.1, as far as the streams of commands and of forwarded ports need them.
// https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/

const types = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const version = 0x8003;
const headLength = 8;
/** Set in the last frame of one direction of a stream. */
const lastFlag = 1;
/** Bytes of one frame that are waited for. */
const longestFrame = 1_048_576;

/** One frame that was read. */
export type SpdyFrame =
  | { readonly type: "data"; readonly stream: number; readonly last: boolean; readonly data: Buffer }
  | { readonly type: "begin"; readonly stream: number; readonly last: boolean; readonly headers: Buffer }
  | { readonly type: "reset"; readonly stream: number }
  | { readonly type: "ping"; readonly frame: Buffer }
  | { readonly type: "goAway" }
  | { readonly type: "other" };

/** Takes the first frame out of what was received; undefined until it is complete. Errors: a frame that is too long. */
export function takeFrame(
  received: Buffer,
): { readonly frame: SpdyFrame; readonly rest: Buffer } | undefined {
  if (received.length < headLength) return undefined;
  const length = received.readUIntBE(5, 3);
  if (length > longestFrame) throw new Error(`a frame of ${length} bytes is too long`);
  const end = headLength + length;
  if (received.length < end) return undefined;
  return { frame: readFrame(received.subarray(0, end)), rest: received.subarray(end) };
}

function readFrame(bytes: Buffer): SpdyFrame {
  const last = (bytes.readUInt8(4) & lastFlag) !== 0;
  const body = bytes.subarray(headLength);
  if ((bytes.readUInt8(0) & 0x80) === 0) {
    return { type: "data", stream: bytes.readUInt32BE(0), last, data: body };
  }
  switch (bytes.readUInt16BE(2)) {
    case types.synStream:
      return {
        type: "begin",
        stream: body.readUInt32BE(0) & 0x7f_ff_ff_ff,
        last,
        headers: body.subarray(10),
      };
    case types.rstStream:
      return { type: "reset", stream: body.readUInt32BE(0) & 0x7f_ff_ff_ff };
    case types.ping:
      return { type: "ping", frame: bytes };
    case types.goAway:
      return { type: "goAway" };
    default:
      return { type: "other" };
  }
}

/** Bytes of a stream; `last` when none follow. */
export function dataFrame(stream: number, data: Uint8Array, last: boolean): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt32BE(stream, 0);
  head.writeUInt8(last ? lastFlag : 0, 4);
  head.writeUIntBE(data.length, 5, 3);
  return Buffer.concat([head, data]);
}

/** Accepts a stream that the other end has begun. */
export function replyFrame(stream: number, headers: Buffer): Buffer {
  return controlFrame(types.synReply, [numberOf(stream), headers]);
}

/** Gives a stream up. */
export function resetFrame(stream: number): Buffer {
  const cancelled = 5;
  return controlFrame(types.rstStream, [numberOf(stream), numberOf(cancelled)]);
}

function controlFrame(type: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(headLength);
  head.writeUInt16BE(version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
