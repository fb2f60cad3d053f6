// How a field is called in CEL when its own name is no identifier or a reserved word.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#x-kubernetes-validations

const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return " +
    "var void while"
  ).split(" "),
);

/** The CEL name of a field; undefined when rules cannot reach it. */
export function celFieldName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  // The evaluator tells messages apart by their constructor.
  if (name === "constructor" || !/^[A-Za-z_][\w./-]*$/.test(name)) return undefined;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}
