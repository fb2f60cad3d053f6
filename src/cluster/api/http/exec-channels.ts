// The standard streams of a command as channels of one WebSocket: the first byte of a message names its channel. Spoken as
// kubelets do: https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/cri-streaming/pkg/streaming/remotecommand/websocket.go
import { PassThrough } from "node:stream";
import type { RawData, WebSocket } from "ws";

/** The protocols that are spoken; the fifth is the fourth with a message that closes one channel. */
export const execProtocols: readonly string[] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;

/** Bytes that wait for the client before a command is held up. */
const highWater = 1_048_576;

/** The name of a standard stream. */
export type StandardStream = "stdin" | "stdout" | "stderr";

/** The streams of one command. */
export interface ExecChannels {
  /** Aborted once the client is gone. */
  readonly gone: AbortSignal;
  /** What the client writes, until it closes the channel or the connection. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Sends output; while what it returns is pending, the client has enough to read. */
  write(stream: "stdout" | "stderr", chunk: Uint8Array): Promise<void> | undefined;
  /** Says how the command ended, and closes the connection. */
  end(status: object): void;
}

/** The channels of a connection that speaks one of {@link execProtocols}. `opened`: those that the client asked for. */
export function openExecChannels(socket: WebSocket, opened: readonly StandardStream[]): ExecChannels {
  const stdin = new PassThrough();
  socket.on("message", (data: RawData) => {
    const message = bytesOf(data);
    const [channel, first] = message;
    if (channel === channels.stdin) {
      if (stdin.writable && message.length > 1 && !stdin.write(message.subarray(1))) {
        socket.pause();
        stdin.once("drain", () => socket.resume());
      }
    } else if (channel === channels.close && first === channels.stdin) stdin.end();
  });
  // What the command does not read is thrown away with it.
  stdin.once("close", () => socket.resume());
  const gone = new AbortController();
  socket.once("close", () => {
    stdin.end();
    gone.abort();
  });
  // A connection that breaks is one that is closed.
  socket.on("error", () => socket.terminate());
  // The client learns from an empty message that the command is being run.
  for (const stream of opened) if (stream !== "stdin") void send(socket, channels[stream], new Uint8Array());
  return {
    stdin,
    gone: gone.signal,
    write(stream, chunk) {
      if (socket.readyState !== socket.OPEN) return undefined;
      const sent = send(socket, channels[stream], chunk);
      return socket.bufferedAmount > highWater ? sent : undefined;
    },
    end(status) {
      stdin.destroy();
      if (socket.readyState !== socket.OPEN) return;
      void send(socket, channels.status, Buffer.from(JSON.stringify(status)));
      socket.close(1_000);
    },
  };
}

/** Resolves once it has left, or the connection is gone. */
function send(socket: WebSocket, channel: number, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.send(Buffer.concat([Buffer.of(channel), chunk]), { binary: true }, () => resolve());
  });
}

/** The bytes of a message, in one piece. */
export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
