// Tokens of a pod's account in its volumes: each is asked for when its volume is made, and another one takes its place before it expires, as a
// kubelet does.
import { sleep, type Clock } from "../../../ports/clock.ts";
import type { Logger } from "../../../ports/logger.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { ContainerStartError } from "../container-backend.ts";
import { replaceFile } from "./confined-folder.ts";

/** What a token is asked for. */
export interface TokenDemand {
  /** Whom it is for; default the API server. */
  readonly audience?: string;
  readonly expirationSeconds: number;
}

/** A token of the pod's account. */
export interface AccountToken {
  readonly token: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly expires: number;
}

/** Asks the API server for a token of the pod's account, bound to the pod. */
export type TokenOf = (demand: TokenDemand) => Promise<AccountToken>;

/** A file of a volume. */
export interface TokenFile {
  /** The volume's folder. */
  readonly folder: string;
  /** Within the folder. */
  readonly path: string;
  readonly mode: number;
}

/** The share of its life after which a token is replaced, and the milliseconds after which it is in any case. */
const renewedAfter = 0.8;
const longestUse = 86_400_000;
/** Milliseconds before an attempt that failed is repeated. */
const retryDelay = 10_000;
const over = new DOMException("it is over", "AbortError");

/** The tokens of one pod. */
export class MountedTokens {
  readonly #tokenOf: TokenOf;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** What ends the renewal of each file. */
  readonly #renewals = new Map<string, AbortController>();

  constructor(tools: { readonly tokenOf: TokenOf; readonly clock: Clock; readonly log: Logger }) {
    this.#tokenOf = tools.tokenOf;
    this.#clock = tools.clock;
    this.#log = tools.log;
  }

  /** Writes a token, and keeps it fresh. Errors: `ContainerStartError` (CreateContainerConfigError) where there is none to be had. */
  async place(file: TokenFile, demand: TokenDemand): Promise<void> {
    const first = await this.#write(file, demand).catch((error: unknown) => {
      if (error instanceof ContainerStartError) throw error;
      const message = `failed to fetch token: ${messageOf(error)}`;
      throw new ContainerStartError("CreateContainerConfigError", message, { cause: error });
    });
    const id = `${file.folder}/${file.path}`;
    this.#renewals.get(id)?.abort(over);
    const renewal = new AbortController();
    this.#renewals.set(id, renewal);
    void this.#renew(file, demand, first, renewal.signal);
  }

  /** Nothing is renewed any more. */
  close(): void {
    for (const renewal of this.#renewals.values()) renewal.abort(over);
    this.#renewals.clear();
  }

  async #renew(file: TokenFile, demand: TokenDemand, expires: number, signal: AbortSignal): Promise<void> {
    for (let wait = this.#useOf(expires); ;) {
      await sleep(this.#clock, wait, signal);
      if (signal.aborted) return;
      try {
        wait = this.#useOf(await this.#write(file, demand));
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ file: file.path, error: messageOf(error) }, "a token was not renewed");
        wait = retryDelay;
      }
    }
  }

  /** For how long a token is used. */
  #useOf(expires: number): number {
    return Math.min(longestUse, Math.max(0, expires - this.#clock.now()) * renewedAfter);
  }

  /** When the new token ends. */
  async #write({ folder, path, mode }: TokenFile, demand: TokenDemand): Promise<number> {
    const { token, expires } = await this.#tokenOf(demand);
    await replaceFile(folder, path, token, { what: "the path in a volume", mode });
    return expires;
  }
}
