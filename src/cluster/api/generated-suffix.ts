// The end of a generated name, as Kubernetes draws it: letters and digits that make no words.
import type { Random } from "../../ports/random.ts";

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Five characters that make a generated name one of its own. */
export function generatedSuffix(random: Random): string {
  return Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}
