// The places of a value that nobody owns in part: lists without identities, and maps and structs that are one value.
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import { formFor, type TypeNode } from "./type-atom.ts";

/** Where a value is owned whole, such as `.spec.containers[0].args`; what is inside of such a place is not looked at. */
export function atomicPlaces(node: TypeNode, value: unknown, at = ""): readonly string[] {
  const form = formFor(node, value);
  if (form.form === "map" && isJsonObject(value)) {
    const { map } = form;
    if (map.atomic) return [at];
    const names = Object.keys(value).sort();
    return names.flatMap((name) => atomicPlaces(map.typeOf(name), value[name], `${at}.${name}`));
  }
  if (form.form !== "list" || !isJsonArray(value)) return [];
  const { list } = form;
  if (list.atomic) return [at];
  return value.flatMap((item, index) => atomicPlaces(list.item, item, `${at}[${index}]`));
}
