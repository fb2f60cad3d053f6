// What the author's package.json says of the operator, as far as a chart or a bundle repeats it.

/** What is known of the author's package. */
export interface PackageFacts {
  /** Semantic version; `0.0.0` where there is none. */
  readonly version: string;
  readonly description: string;
  readonly author: { readonly name: string; readonly email: string } | undefined;
  readonly keywords: readonly string[];
  readonly homepage: string | undefined;
  readonly repository: string | undefined;
}

/** The facts of a parsed package.json, whatever is in it. */
export function packageFactsOf(contents: unknown): PackageFacts {
  const { version, description, author, keywords, homepage, repository } = (
    typeof contents === "object" && contents !== null ? contents : {}
  ) as Readonly<Record<string, unknown>>;
  const url =
    typeof repository === "object" && repository !== null
      ? (repository as { url?: unknown }).url
      : repository;
  return {
    version: typeof version === "string" && /^\d+\.\d+\.\d+/.test(version) ? version : "0.0.0",
    description: textOf(description) ?? "",
    author: authorOf(author),
    keywords: Array.isArray(keywords) ? keywords.filter((word) => typeof word === "string") : [],
    homepage: textOf(homepage),
    repository: textOf(url)
      ?.replace(/^git\+/, "")
      .replace(/\.git$/, ""),
  };
}

/** npm knows two forms: an object, and `Name <mail> (page)`. */
function authorOf(author: unknown): PackageFacts["author"] {
  if (typeof author === "string") {
    const [, name = "", email = ""] = /^([^<(]*)(?:<([^>]*)>)?/.exec(author) ?? [];
    return name.trim() === "" ? undefined : { name: name.trim(), email };
  }
  const { name, email } = (author ?? {}) as { readonly name?: unknown; readonly email?: unknown };
  return typeof name === "string" ? { name, email: textOf(email) ?? "" } : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
