// What is declared of a certificate.
import { z } from "zod";

/** The schema of {@link CertificateSpec}. */
export const certificateSpec = z.object({
  domain: z.string(),
  renewAfterHours: z.number().positive().default(1_440).describe("Then a new one is asked for."),
});

/** A Certificate's spec. */
export type CertificateSpec = z.output<typeof certificateSpec>;
