// A connection to a port of a pod that is a port of this machine.
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { OperatorError } from "../../ports/operator-error.ts";

/** Connects to a port. Errors: `POD_PORT_CLOSED`. */
export function openPort(port: number, host: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, allowHalfOpen: true });
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error) =>
      reject(
        new OperatorError("POD_PORT_CLOSED", `cannot connect to ${host}:${port}: ${error.message}`, {
          cause: error,
          remedy: "Check that the container listens on this port.",
        }),
      ),
    );
  });
}
