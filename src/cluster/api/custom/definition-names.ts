// The names in a CustomResourceDefinition: of the definition itself, of its group, of the kind, and of its versions.
import { letteredLabelFault, subdomainFault } from "../../../meta/name-rules.ts";
import { invalidValue, requiredValue, type StatusCause } from "../../../schema/status-cause.ts";
import { fieldsOf, listOf, textOf, type ApiMeta, type Fields } from "../api-object.ts";

/** What is wrong with the name of a definition, and with the one that is to be generated. */
export function definitionNameFaults(metadata: ApiMeta, spec: Fields): StatusCause[] {
  const expected = `${textOf(fieldsOf(spec["names"])["plural"])}.${textOf(spec["group"])}`;
  return (["generateName", "name"] as const).flatMap((field) => {
    const given = metadata[field] ?? "";
    if (given === "" || given === expected) return [];
    return [invalidValue(`metadata.${field}`, given, 'must be spec.names.plural+"."+spec.group')];
  });
}

/** What is wrong with the group of a definition. */
export function groupFaults(group: string): StatusCause[] {
  if (group === "") return [requiredValue("spec.group")];
  const fault =
    subdomainFault(group) ?? (group.includes(".") ? undefined : "should be a domain with at least one dot");
  return fault === undefined ? [] : [invalidValue("spec.group", group, fault)];
}

/** Names that a definition has to say. */
export function requiredNameFaults(names: Fields): StatusCause[] {
  return ["plural", "singular", "kind", "listKind"]
    .filter((field) => textOf(names[field]) === "")
    .map((field) => requiredValue(`spec.names.${field}`));
}

/** What is wrong with the names that there are, in the spec or as they were accepted. */
export function kindNameFaults(names: Fields, at: string): StatusCause[] {
  const [kind, listKind] = [textOf(names["kind"]), textOf(names["listKind"])];
  const labels = (field: string): StatusCause[] =>
    listOf(names[field]).flatMap((name, index) => labelFaults(textOf(name), `${at}.${field}[${index}]`));
  return [
    ...["plural", "singular"].flatMap((field) => {
      const name = textOf(names[field]);
      return name === "" ? [] : labelFaults(name, `${at}.${field}`);
    }),
    ...mixedCaseFaults(kind, `${at}.kind`),
    ...mixedCaseFaults(listKind, `${at}.listKind`),
    ...labels("shortNames"),
    ...(kind === "" || kind !== listKind
      ? []
      : [invalidValue(`${at}.listKind`, listKind, "kind and listKind may not be the same")]),
    ...labels("categories"),
  ];
}

/** What is wrong with a name that is a DNS label beginning with a letter. */
export function labelFaults(name: string, at: string): StatusCause[] {
  const fault = letteredLabelFault(name);
  return fault === undefined ? [] : [invalidValue(at, name, fault)];
}

function mixedCaseFaults(name: string, at: string): StatusCause[] {
  const fault = name === "" ? undefined : letteredLabelFault(name.toLowerCase());
  if (fault === undefined) return [];
  return [invalidValue(at, name, `may have mixed case, but should otherwise match: ${fault}`)];
}
