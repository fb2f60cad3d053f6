// The YAML that Kubernetes reads, as options of the package yaml.

interface TagOfYaml {
  readonly tag: string;
  readonly format?: string;
}

/**
 * YAML 1.1 (`0640` is octal, a bare `yes` is true) without its dates and base-60 numbers, as kubectl and API servers read it: what a
 * cluster would make of a manifest.
 */
export const yamlOfKubernetes = {
  version: "1.1",
  logLevel: "error",
  customTags: <Tag extends string | TagOfYaml>(tags: readonly Tag[]): Tag[] =>
    tags.filter(
      (tag) =>
        typeof tag === "string" || (tag.tag !== "tag:yaml.org,2002:timestamp" && tag.format !== "TIME"),
    ),
} as const;
