// Which fields of one structural schema another one would prune: the start-up check against silently lost state.

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/**
 * Dotted paths that `needed` declares and `served` would drop; `[]` stands for list items, `{}` for map values.
 * `metadata`, `apiVersion` and `kind` are the server's own and never listed.
 */
export function prunedPaths(needed: unknown, served: unknown): string[] {
  const lost: string[] = [];
  const walk = (want: Schema | undefined, have: Schema | undefined, path: string): void => {
    if (want === undefined) return;
    if (have === undefined) {
      lost.push(path === "" ? "(the whole object)" : path);
      return;
    }
    if (have["x-kubernetes-preserve-unknown-fields"] === true) return;
    for (const [name, property] of Object.entries(want.properties ?? {})) {
      if (path === "" && ["metadata", "apiVersion", "kind"].includes(name)) continue;
      const additional = have.additionalProperties;
      const rest = typeof additional === "object" ? additional : additional === true ? property : undefined;
      walk(property, have.properties?.[name] ?? rest, path === "" ? name : `${path}.${name}`);
    }
    if (want.items !== undefined) walk(want.items, have.items, `${path}[]`);
    if (typeof want.additionalProperties === "object") {
      const { additionalProperties } = have;
      if (additionalProperties !== true) {
        walk(
          want.additionalProperties,
          additionalProperties === false ? undefined : additionalProperties,
          `${path}{}`,
        );
      }
    }
    if (want["x-kubernetes-preserve-unknown-fields"] === true) lost.push(`${path}.*`);
  };
  walk(needed as Schema | undefined, served as Schema | undefined, "");
  return lost;
}
