// An HTTP proxy for the time of a test: it passes on what it is asked to, and counts.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";

/** Starts one. */
export async function startProxy(): Promise<{
  readonly url: string;
  /** The servers that it was asked for. */
  readonly asked: readonly string[];
  readonly close: () => void;
}> {
  const asked: string[] = [];
  const proxy = createServer().on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    const [host = "", port] = url.split(":");
    const onward = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    for (const each of [socket, onward]) each.on("error", () => undefined);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, close: () => void proxy.close() };
}
