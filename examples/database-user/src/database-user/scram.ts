// What PostgreSQL stores of a password: made here, so that the password itself is in no statement and in no log of the server, and
// compared here, so that a password which somebody else has set is noticed. See RFC 5802.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** The verifier of a password of plain ASCII. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16), iterations = 4_096): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const sign = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(sign("Client Key")).digest();
  const keys = `${stored.toString("base64")}:${sign("Server Key").toString("base64")}`;
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${keys}`;
}

/** Whether a stored verifier is one of this password. */
export function isVerifierOf(stored: string | null, password: string): boolean {
  const [, iterations, salt] = /^SCRAM-SHA-256\$(\d{1,7}):([A-Za-z0-9+/=]+)\$/.exec(stored ?? "") ?? [];
  if (iterations === undefined || salt === undefined) return false;
  return scramVerifier(password, Buffer.from(salt, "base64"), Number(iterations)) === stored;
}
