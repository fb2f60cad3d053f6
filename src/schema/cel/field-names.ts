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

/** How expressions may call a field: no name for one that they cannot reach, or several. */
export type FieldNaming = (field: string) => readonly string[];

/**
 * By the names of {@link celFieldName}, and a reserved word also as it is, as Kubernetes has it since 1.31: after a dot it can be
 * nothing else.
 */
export const celFieldNames: FieldNaming = (field) => {
  const name = celFieldName(field);
  return name === undefined ? [] : reserved.has(field) ? [name, field] : [name];
};

/** The field that {@link celFieldName} has made a name of. */
export function fieldOfCelName(name: string): string {
  const word = /^__([a-z]+)__$/.exec(name)?.[1];
  if (word !== undefined && reserved.has(word)) return word;
  return name.replaceAll(
    /__(underscores|dot|dash|slash)__/g,
    (_, escape: string) => ({ underscores: "__", dot: ".", dash: "-", slash: "/" })[escape] ?? "",
  );
}
