// How a built-in type is declared: one row.
import type { ChangeRule, Rule } from "../validation/rule.ts";
import type { SelectableFields } from "../../selectors/selectable-fields.ts";
import type { ScalePaths, ServedType, TypeBehaviour } from "../../served-type.ts";

/** A built-in type within its group. */
export interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterScoped?: boolean;
  readonly hasStatus?: boolean;
  readonly scale?: ScalePaths;
  readonly selectable?: SelectableFields;
  readonly otherSubresources?: ServedType["otherSubresources"];
  readonly behaviour?: TypeBehaviour;
  /** What objects must be, besides what the behaviour checks. */
  readonly rules?: Rule;
  /** What changed objects must be in place of that, where it is less. */
  readonly rulesOfChanged?: Rule;
  /** What a status must be. */
  readonly statusRules?: Rule;
  /** What may not change in a status. */
  readonly statusChanges?: ChangeRule;
  /** What new objects must be, besides. */
  readonly rulesOfNew?: Rule;
  /** What may not change, besides what the behaviour checks. */
  readonly changes?: ChangeRule;
  readonly review?: boolean;
  /** Sent as a warning with every answer. */
  readonly deprecation?: string;
  /** How objects are stored, where several types share them; default as they are served. */
  readonly stored?: Pick<ServedType, "fromStorage" | "toStorage">;
}

/** A group and version, the package that publishes its schemas, and its types. */
export interface RowGroup {
  readonly group: string;
  readonly version: string;
  readonly packageName: string;
  readonly rows: readonly Row[];
}
