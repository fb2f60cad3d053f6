// A proxy for the time of a test: it passes on what it is asked to, and remembers for what that was. Whatever name it is asked for, it
// knows as 127.0.0.1.
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import type { Duplex } from "node:stream";

/** A proxy that runs. */
export interface PassingProxy {
  /** With the credentials that it was started with. */
  readonly url: string;
  /** The servers that it was asked for, as `host:port`, with the credentials before them, if it got any. */
  readonly asked: readonly string[];
  readonly close: () => void;
}

/** Starts one; `https` has the certificate that is given. */
export async function startProxy(
  protocol: "http" | "https" | "socks5" = "http",
  { login = "", key = "", cert = "" } = {},
): Promise<PassingProxy> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const connectTo = ({ url = "", headers }: IncomingMessage, socket: Duplex): void => {
    const [, credentials = ""] = headers["proxy-authorization"]?.split(" ") ?? [];
    asked.push(withLogin(Buffer.from(credentials, "base64").toString(), url));
    pass(socket, Number(url.slice(url.lastIndexOf(":") + 1)), () =>
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n"),
    );
  };
  const server: Server =
    protocol === "socks5"
      ? createTcpServer((socket) => void serveSocks(socket, login !== "", asked))
      : (protocol === "http" ? createHttpServer() : createHttpsServer({ key, cert })).on(
          "connect",
          connectTo,
        );
  server.on(protocol === "https" ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${protocol}://${login === "" ? "" : `${login}@`}localhost:${port}`,
    asked,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function withLogin(login: string, target: string): string {
  return login === "" ? target : `${login}@${target}`;
}

function pass(socket: Duplex, port: number, opened: () => void): void {
  const onward = connect(port, "127.0.0.1", () => {
    opened();
    socket.pipe(onward).pipe(socket);
  });
  for (const each of [socket, onward]) {
    each.on("error", () => undefined);
    each.once("close", () => (each === socket ? onward : socket).destroy());
  }
}

/** https://www.rfc-editor.org/rfc/rfc1928, with the login of rfc1929 where one is wanted. */
async function serveSocks(socket: Socket, isLoginWanted: boolean, asked: string[]): Promise<void> {
  socket.on("error", () => undefined);
  const read = reader(socket);
  const [, methods = 0] = await read(2);
  await read(methods);
  socket.write(Buffer.of(5, isLoginWanted ? 2 : 0));
  const login: string[] = [];
  if (isLoginWanted) {
    await read(1);
    for (let part = 0; part < 2; part += 1) login.push((await read((await read(1))[0] ?? 0)).toString());
    socket.write(Buffer.of(1, 0));
  }
  const [, , , type] = await read(4);
  const address = await read(type === 1 ? 4 : type === 4 ? 16 : ((await read(1))[0] ?? 0));
  const host = type === 1 ? address.join(".") : type === 4 ? "[IPv6]" : address.toString();
  const port = (await read(2)).readUInt16BE();
  asked.push(withLogin(login.join(":"), `${host}:${port}`));
  pass(socket, port, () => socket.write(Buffer.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0)));
}

/** Reads so many bytes, and leaves the rest. */
function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    if (bytes === 0) return Buffer.alloc(0);
    for (;;) {
      const read = socket.read(bytes) as Buffer | null;
      if (read !== null) return read;
      await once(socket, "readable");
    }
  };
}
