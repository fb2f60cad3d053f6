// The standard streams of a command as streams of one SPDY connection, each named in its headers. Spoken as kubelets do:
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/cri-streaming/pkg/streaming/remotecommand/httpstream.go
import type { Duplex } from "node:stream";
import type { ExecChannels, StandardStream } from "../exec-channels.ts";
import { SpdyConnection, type SpdyStream } from "./spdy-connection.ts";

/** The protocols that are spoken; the fifth is for WebSockets alone, and in earlier ones no exit code can be said. */
export const spdyExecProtocols: readonly string[] = ["v4.channel.k8s.io"];

/** The channels of a connection, once the client has opened all that it has asked for; undefined when it left before. */
export async function openSpdyChannels(
  transport: Duplex,
  opened: readonly StandardStream[],
): Promise<ExecChannels | undefined> {
  const streams = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<void>();
  const connection = new SpdyConnection(transport, (stream) => {
    streams.set(stream.headers.get("streamtype") ?? "", stream);
    if (["error", ...opened].every((name) => streams.has(name))) complete.resolve();
  });
  await Promise.race([complete.promise, connection.closed]);
  const error = streams.get("error");
  if (error === undefined || opened.some((name) => !streams.has(name))) return undefined;
  const gone = new AbortController();
  void connection.closed.then(() => gone.abort());
  return {
    stdin: streams.get("stdin") ?? emptyInput(),
    gone: gone.signal,
    write(name, chunk) {
      const stream = streams.get(name);
      if (stream?.writable !== true || stream.write(chunk)) return undefined;
      return new Promise((resolve) => {
        const done = (): void => {
          stream.off("drain", done);
          stream.off("close", done);
          resolve();
        };
        stream.once("drain", done);
        stream.once("close", done);
      });
    },
    end(status) {
      error.end(JSON.stringify(status));
      for (const stream of streams.values()) stream.end();
      const written = [...streams.values()].map((stream) => whenWritten(stream));
      void Promise.all(written).then(() => connection.end());
    },
  };
}

async function* emptyInput(): AsyncGenerator<Uint8Array> {
  // Nothing comes.
}

function whenWritten(stream: SpdyStream): Promise<void> {
  if (stream.writableFinished || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("finish", resolve);
    stream.once("close", resolve);
  });
}
