// A SPDY connection as the end that streams are opened to: commands by older clients and by many operators, and forwarded ports,
// travel by it. The bytes below may be those of a socket, or of a WebSocket's messages.
import { Duplex } from "node:stream";
import { HeaderReader, HeaderWriter } from "./spdy-headers.ts";
import { dataFrame, replyFrame, resetFrame, takeFrame, type SpdyFrame } from "./spdy-frames.ts";

/** One stream that the client has opened. */
export class SpdyStream extends Duplex {
  /** Their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly #id: number;
  readonly #send: (frame: Buffer, sent?: (error?: Error | null) => void) => void;
  #wake: (() => void) | undefined;

  constructor(
    id: number,
    headers: ReadonlyMap<string, string>,
    send: (frame: Buffer, sent?: (error?: Error | null) => void) => void,
  ) {
    super();
    this.#id = id;
    this.headers = headers;
    this.#send = send;
  }

  /** Takes what has come; resolves when there is room for more. */
  async accept(data: Buffer, last: boolean): Promise<void> {
    const room = data.length === 0 || this.push(data);
    if (last) this.push(null);
    else if (!room && !this.destroyed) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  override _read(): void {
    this.#wakeUp();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#send(dataFrame(this.#id, chunk, false), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#send(dataFrame(this.#id, new Uint8Array(), true), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.writableFinished) this.#send(resetFrame(this.#id));
    this.#wakeUp();
    done(error);
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** Streams over one transport. */
export class SpdyConnection {
  readonly #transport: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #reader = new HeaderReader();
  readonly #writer = new HeaderWriter();
  /** Resolves when the connection is closed; never rejects. */
  readonly closed: Promise<void>;

  constructor(transport: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#transport = transport;
    this.#onStream = onStream;
    // A transport that breaks is one that is closed.
    transport.on("error", () => transport.destroy());
    this.closed = this.#run();
  }

  /** Closes the connection once everything that was written has left. */
  end(): void {
    this.#transport.end();
  }

  async #run(): Promise<void> {
    try {
      await this.#receive();
    } catch {
      // What cannot be read ends the connection: there is no telling where the next frame begins.
      this.#transport.destroy();
    }
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#reader.close();
    this.#writer.close();
    this.#transport.end();
  }

  async #receive(): Promise<void> {
    let received: Buffer = Buffer.alloc(0);
    // Not destroyed by a return: what was written before still leaves.
    const chunks = this.#transport.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const chunk of chunks) {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      for (let taken = takeFrame(received); taken !== undefined; taken = takeFrame(received)) {
        received = taken.rest;
        if (taken.frame.type === "goAway") return;
        await this.#take(taken.frame);
      }
    }
  }

  async #take(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case "begin":
        return this.#begin(frame);
      case "data":
        return this.#streams.get(frame.stream)?.accept(frame.data, frame.last);
      case "reset":
        this.#streams.get(frame.stream)?.destroy();
        return undefined;
      case "ping":
        this.#send(frame.frame);
        return undefined;
      case "goAway":
      case "other":
        return undefined;
    }
  }

  async #begin(frame: SpdyFrame & { readonly type: "begin" }): Promise<void> {
    const { stream: id } = frame;
    const stream = new SpdyStream(id, await this.#reader.read(frame.headers), (bytes, sent) =>
      this.#send(bytes, sent),
    );
    // Whoever listens to it learns of a reset by its end.
    stream.on("error", () => undefined);
    stream.once("close", () => this.#streams.delete(id));
    this.#streams.set(id, stream);
    this.#send(replyFrame(id, await this.#writer.write(new Map())));
    if (frame.last) await stream.accept(Buffer.alloc(0), true);
    this.#onStream(stream);
  }

  #send(frame: Buffer, sent?: (error?: Error | null) => void): void {
    if (this.#transport.writable) this.#transport.write(frame, sent);
    else sent?.(new Error("the connection is closed"));
  }
}
