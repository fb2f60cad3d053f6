// Texts in which `*` stands for any text, as scripts write them. Pure.

/** What a written text is compared with: itself, or an expression if it has a `*`. */
export function patternOf(written: string): string | RegExp {
  if (!written.includes("*")) return written;
  const parts = written.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`);
}

/** Whether a text is what was written. */
export function isLike(written: string, text: string): boolean {
  const pattern = patternOf(written);
  return typeof pattern === "string" ? pattern === text : pattern.test(text);
}
