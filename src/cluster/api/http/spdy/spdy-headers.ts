// The headers of SPDY streams: pairs of names and values, compressed by one context for each direction of a connection, so that
// blocks have to be read and written in the order in which they travel.
import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { spdyDictionary } from "./spdy-dictionary.ts";

/** Bytes of a block of headers, uncompressed. */
const longestBlock = 65_536;

/** Reads blocks of headers. */
export class HeaderReader {
  readonly #inflate = createInflate({ dictionary: spdyDictionary });

  /** The headers of a block, their names in lower case. Errors: a block that is damaged or too long. */
  async read(block: Buffer): Promise<ReadonlyMap<string, string>> {
    return parseBlock(await passThrough(this.#inflate, block));
  }

  close(): void {
    this.#inflate.close();
  }
}

/** Writes blocks of headers. */
export class HeaderWriter {
  readonly #deflate = createDeflate({ dictionary: spdyDictionary });

  write(headers: ReadonlyMap<string, string>): Promise<Buffer> {
    const texts = [...headers].flatMap(([name, value]) => [name.toLowerCase(), value]);
    return passThrough(
      this.#deflate,
      Buffer.concat([number(headers.size), ...texts.flatMap((text) => lengthened(text))]),
    );
  }

  close(): void {
    this.#deflate.close();
  }
}

function passThrough(stream: Deflate | Inflate, block: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (error: Error | undefined): void => {
      stream.off("data", take);
      stream.off("error", settle);
      if (error === undefined) resolve(Buffer.concat(chunks));
      else reject(error);
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > longestBlock) settle(new Error("the headers of a stream are too long"));
      else chunks.push(chunk);
    };
    stream.on("data", take);
    stream.once("error", settle);
    stream.write(block);
    stream.flush(constants.Z_SYNC_FLUSH, () => settle(undefined));
  });
}

function parseBlock(block: Buffer): ReadonlyMap<string, string> {
  let at = 0;
  const takeNumber = (): number => {
    const value = block.readUInt32BE(at);
    at += 4;
    return value;
  };
  const takeText = (): string => {
    const length = takeNumber();
    if (at + length > block.length) throw new Error("the headers of a stream end too early");
    at += length;
    return block.toString("latin1", at - length, at);
  };
  const headers = new Map<string, string>();
  for (let left = takeNumber(); left > 0; left -= 1) headers.set(takeText().toLowerCase(), takeText());
  return headers;
}

function lengthened(text: string): Buffer[] {
  const bytes = Buffer.from(text, "latin1");
  return [number(bytes.length), bytes];
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
