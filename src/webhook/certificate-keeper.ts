// Keeps the certificates of the webhooks valid: reads what replicas share, renews it when it is time, and never fails because of
// another replica that does the same.
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { CertificateStore } from "./certificate-store.ts";
import { renewed, type Certificates } from "./certificates.ts";

/** Attempts against other replicas, of which each lets one of them win. */
const mostAttempts = 10;

/** Options of {@link CertificateKeeper}. */
export interface CertificateKeeperOptions {
  readonly store: CertificateStore;
  /** Names and addresses that callers use. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** The certificates, as one replica knows them. */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  /** The last that were kept: if they are lost, they are kept again, as callers trust them. */
  #known: Certificates | undefined;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /**
   * What is to be served and trusted now; to be called again and again.
   *
   * **Errors**: `CERTIFICATE_CONTESTED` when others write again and again; those of the store.
   */
  async current(signal: AbortSignal): Promise<Certificates> {
    const { store, names, clock, log } = this.#options;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const { certificates, version } = await store.read(signal);
      const wanted = await renewed(certificates ?? this.#known, names, clock);
      if (wanted === certificates || (await store.write(wanted, version, signal))) {
        if (wanted !== certificates)
          log.info({ names, isFirst: version === undefined }, "the certificates of the webhooks were stored");
        this.#known = wanted;
        return wanted;
      }
    }
    throw new OperatorError(
      "CERTIFICATE_CONTESTED",
      `the certificate of the webhooks could not be kept: others wrote it ${mostAttempts} times meanwhile`,
      { remedy: "Find out what else writes the Secret, and leave it to the operator." },
    );
  }
}
