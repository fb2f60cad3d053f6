// `$(NAME)` in a container's command, args and environment values, as Kubernetes expands it.

/**
 * The text with each `$(NAME)` replaced by the variable's value.
 * A name that is not known stays as it is; `$$(NAME)` is the literal `$(NAME)`, and any other `$$` is `$`.
 */
export function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:\$|\(([^()]*)\))/g, (whole, name: string | undefined) => {
    if (name === undefined) return "$";
    return Object.hasOwn(variables, name) ? (variables[name] ?? "") : whole;
  });
}
