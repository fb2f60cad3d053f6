// Where a server listens, as it is written on a command line. Pure.
import { messageOf, OperatorError } from "./operator-error.ts";

/** A host and a port; port 0 is any free one. */
export interface BindAddress {
  /** Undefined: every address of the machine. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * `:8080` and `8080` are every address of the machine, as everywhere else in Kubernetes; `127.0.0.1:8080` is loopback only.
 * Undefined for `0` and for an empty text: off.
 *
 * **Errors**: `BIND_ADDRESS_INVALID`.
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === "0" || text === "") return undefined;
  const [, bracketed, plain = "", digits = ""] =
    /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw new OperatorError("BIND_ADDRESS_INVALID", `"${text}" is not an address to listen on`, {
      remedy:
        'Write a port (":8080": every address), an address with a port ("127.0.0.1:8080": this machine only), or "0" for off.',
    });
  }
  return { host: bracketed ?? (plain === "" ? undefined : plain), port };
}

/** As it is written in a URL. */
export function formatBindAddress({ host = "0.0.0.0", port }: BindAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What is said when a server cannot listen at an address. Code: `BIND_FAILED`. */
export function bindFailed(what: string, address: BindAddress, cause: unknown): OperatorError {
  const where = formatBindAddress(address);
  const { code } = cause as { readonly code?: unknown };
  const why = code === "EADDRINUSE" ? "the port is in use" : messageOf(cause);
  return new OperatorError("BIND_FAILED", `cannot serve ${what} on ${where}: ${why}`, {
    cause,
    fields: { address: where },
    remedy: 'Choose another port, end what listens there, or turn it off with "0".',
  });
}
