// Around every write: the hooks of a crash test may drop the connection before or after it is done.
import type { WriteInterceptor, WriteRequest } from "../../cluster.ts";
import type { Exchange } from "../requests/exchange.ts";
import { controllersUser } from "../requests/users.ts";

/** Who looks at writes. */
export interface WriteGate {
  readonly interceptor: WriteInterceptor | undefined;
}

/** The answer to a write, not sent yet. */
export interface WriteAnswer {
  readonly status: number;
  send(): void;
}

/**
 * Does a write and sends its answer, unless a hook drops the connection.
 * Writes of the built-in controllers pass unseen: they are the cluster, not what is being tested.
 */
export async function runWrite(
  { interceptor }: WriteGate,
  exchange: Exchange,
  verb: WriteRequest["verb"],
  write: () => WriteAnswer | Promise<WriteAnswer>,
): Promise<void> {
  if (interceptor === undefined || exchange.user.name === controllersUser.name) {
    const written = write();
    (written instanceof Promise ? await written : written).send();
    return;
  }
  const seen: WriteRequest = {
    verb,
    path: exchange.path,
    userAgent: exchange.userAgent,
    user: exchange.user.name,
    fieldManager: exchange.query.get("fieldManager") ?? undefined,
  };
  if ((await interceptor.before?.(seen)) === "drop") {
    exchange.request.socket.destroy();
    return;
  }
  const answer = await write();
  if ((await interceptor.after?.(seen, answer.status)) === "drop") {
    exchange.request.socket.destroy();
    return;
  }
  answer.send();
}
