// The certificates of the webhooks: an authority that is made for one certificate and whose key is thrown away, and the certificate
// itself. A renewal therefore changes both, in two steps: the next pair is made and its authority trusted beside the present one, and
// only when every API server had time to learn that is it served. Pure but for the keys, which are random.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Clock } from "../ports/clock.ts";

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What replicas share. */
export interface Certificates {
  /** What is served. */
  readonly serving: KeyPair;
  /** What is served next; its authority is trusted already. */
  readonly next?: KeyPair;
  /** All that callers are to trust, in PEM, the newest first. */
  readonly authorities: string;
}

const hour = 3_600_000;
const day = 24 * hour;

/** Times of the certificates, in milliseconds. */
export const certificateTimes = {
  lifetime: 90 * day,
  /** What is left of a certificate when the next one is made. */
  renewal: 30 * day,
  /** From then on until the next one is served: within it every API server has read the new authority. */
  overlap: hour,
  /** How long before it was made a certificate is valid: clocks differ. */
  backdate: hour,
} as const;

/** Authorities that are trusted at the same time. */
const mostAuthorities = 4;

/** The certificates that there should be now; the given ones, the same object, if nothing is to be done. */
export async function renewed(
  present: Certificates | undefined,
  names: readonly string[],
  { now }: Pick<Clock, "now">,
): Promise<Certificates> {
  const time = now();
  const trusted = present?.authorities ?? "";
  const usable = (pair: KeyPair | undefined): KeyPair | undefined =>
    pair !== undefined && isUsable(pair, names, time) && isIssuedByOneOf(pair, trusted) ? pair : undefined;
  const [serving, next] = [usable(present?.serving), usable(present?.next)];
  if (present === undefined || serving === undefined) {
    if (next !== undefined) return { serving: next, authorities: joinedAuthorities([trusted], time) };
    const { pair, authority } = await makePair(names, time);
    return { serving: pair, authorities: joinedAuthorities([authority, trusted], time) };
  }
  if (next !== undefined) {
    const isDue = time >= madeAt(next) + certificateTimes.overlap;
    return isDue ? { serving: next, authorities: joinedAuthorities([trusted], time) } : present;
  }
  if (expiryOf(serving) - time > certificateTimes.renewal) return present;
  const { pair, authority } = await makePair(names, time);
  return { serving, next: pair, authorities: joinedAuthorities([authority, trusted], time) };
}

/** When a certificate is no longer valid, in milliseconds since the epoch. */
export function expiryOf({ cert }: Pick<KeyPair, "cert">): number {
  return new X509Certificate(cert).validToDate.getTime();
}

function madeAt({ cert }: KeyPair): number {
  return new X509Certificate(cert).validFromDate.getTime() + certificateTimes.backdate;
}

/** Whether it can be served: valid now, for all names, and with its own key. */
function isUsable({ cert, key }: KeyPair, names: readonly string[], time: number): boolean {
  try {
    const certificate = new X509Certificate(cert);
    const isValid = certificate.validFromDate.getTime() <= time && time < certificate.validToDate.getTime();
    const isNamed = names.every((name) =>
      isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name),
    );
    return isValid && isNamed && certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function isIssuedByOneOf({ cert }: KeyPair, authorities: string): boolean {
  const certificate = new X509Certificate(cert);
  return certificatesIn(authorities).some(
    (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
}

/** The authorities that are still valid, each once, the newest first. */
export function joinedAuthorities(bundles: readonly string[], time: number): string {
  const valid = bundles.flatMap(certificatesIn).filter(({ validToDate }) => validToDate.getTime() > time);
  return [...new Set(valid.map(String))].slice(0, mostAuthorities).join("");
}

/** Whether a bundle has all of these authorities. */
export function hasAuthorities(bundle: string, authorities: string): boolean {
  const known = new Set(certificatesIn(bundle).map(String));
  return certificatesIn(authorities).every((each) => known.has(String(each)));
}

/** What can be read of a bundle. */
function certificatesIn(bundle: string): readonly X509Certificate[] {
  const each = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return each.flatMap((pem) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      return [];
    }
  });
}

async function makePair(
  names: readonly string[],
  time: number,
): Promise<{ readonly pair: KeyPair; readonly authority: string }> {
  const { generate } = await import("selfsigned");
  const common = {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(time - certificateTimes.backdate),
    notAfterDate: new Date(time + certificateTimes.lifetime),
  } as const;
  // Callers that know two authorities of one name may try the wrong one only.
  const authority = await generate(
    [{ name: "commonName", value: `webhooks ${new Date(time).toISOString()}` }],
    {
      ...common,
      extensions: [
        { name: "basicConstraints", cA: true, critical: true },
        { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
      ],
    },
  );
  const made = await generate([{ name: "commonName", value: "webhooks" }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
      },
    ],
  });
  return { pair: { cert: made.cert, key: made.private }, authority: authority.cert };
}
