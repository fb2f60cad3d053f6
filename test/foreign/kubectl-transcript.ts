// What kubectl says of one cluster, in a form in which two can be compared.
import { shop, type ClusterForOperator } from "../support/side-by-side.ts";

/** Runs commands of kubectl in the shop, one after the other, and keeps what they say. */
export class KubectlTranscript {
  readonly lines: string[] = [];
  readonly #cluster: ClusterForOperator;

  constructor(cluster: ClusterForOperator) {
    this.#cluster = cluster;
  }

  /** Of a command with an input, that is what it reads. What is refused is kept too. */
  async say(command: string, input?: string): Promise<void> {
    const said = await this.#cluster
      .kubectl(["--namespace", shop, ...command.split(" ")], input)
      .catch((error: unknown) => `refused: ${(error as Error).message}`);
    this.lines.push(`$ ${command}\n${withoutChance(said)}`);
  }
}

/** Without times, ages, addresses and what is drawn at random. */
function withoutChance(said: string): string {
  return said
    .replaceAll(/"(uid|resourceVersion|creationTimestamp|time|timestamp)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/\b\d+m?\d*s\b/g, "AGE")
    .replaceAll(/\bweb-[a-z0-9]+-[a-z0-9]{5}\b/g, "web-…")
    .replaceAll(/127\.0\.0\.1:\d+/g, "ADDRESS");
}
