// Who may call a sidecar: a bearer token from a file, client certificates, or both; read again when the files change.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import type { SecureContextOptions } from "node:tls";
import { namesThisMachine } from "../ports/loopback.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { SidecarOptions } from "./sidecar-options.ts";

/** Reads the files of one sidecar. */
export class Access {
  readonly #options: Pick<SidecarOptions, "tokenFile" | "tls">;
  #token: Buffer | undefined;
  #certificates = "";

  constructor(options: Pick<SidecarOptions, "tokenFile" | "tls">) {
    this.#options = options;
  }

  /** The certificates, if they are not what they were. Errors: `SIDECAR_FILE_UNREADABLE`. */
  async read(): Promise<SecureContextOptions | undefined> {
    const { tokenFile, tls } = this.#options;
    if (tokenFile !== undefined) {
      const token = (await fileOf(tokenFile)).trim();
      if (token === "") throw unreadable(tokenFile, "it is empty");
      this.#token = digest(token);
    }
    if (tls === undefined) return undefined;
    const { certFile, keyFile, clientCaFile } = tls;
    const context = {
      cert: await fileOf(certFile),
      key: await fileOf(keyFile),
      ...(clientCaFile === undefined ? {} : { ca: await fileOf(clientCaFile) }),
    };
    const text = JSON.stringify(context);
    if (text === this.#certificates) return undefined;
    this.#certificates = text;
    return context;
  }

  /** Whether a request shows the token, where one is asked for. Takes as long for a wrong one as for the right one. */
  allows({ headers }: IncomingMessage): boolean {
    const { tokenFile, tls } = this.#options;
    // Nobody but this machine is meant, whatever name a browser was led here by.
    if (tokenFile === undefined)
      return tls?.clientCaFile !== undefined || namesThisMachine(headers.host ?? "");
    const [, shown = ""] = /^Bearer (\S+)$/i.exec(headers.authorization ?? "") ?? [];
    return this.#token !== undefined && timingSafeEqual(digest(shown), this.#token);
  }
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

async function fileOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw unreadable(path, messageOf(error));
  }
}

function unreadable(path: string, why: string): OperatorError {
  return new OperatorError("SIDECAR_FILE_UNREADABLE", `${path} cannot be used: ${why}`, {
    fields: { file: path },
    remedy: "Mount the file, or correct its path in the sidecar's configuration.",
  });
}
