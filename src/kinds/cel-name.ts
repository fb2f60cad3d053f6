// How a field of an object is called in CEL: names that are no identifiers there are escaped.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** The name of a field as CEL knows it. */
export function celName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (found) => escapes[found] ?? found);
}
