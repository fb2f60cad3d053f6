// Whether a CRD may be served: names, versions, schemas, conversion.
// The real server reads what all versions have alike as if it were written once, in the older, common place, and names that place.
import { checkStructural } from "../../../schema/check-structural.ts";
import { equal } from "../../../schema/json-value.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../schema/status-cause.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import {
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiObject,
  type Fields,
} from "../api-object.ts";
import { invalidStruct } from "../builtin/validation/rule.ts";
import { clientConfigRule } from "../builtin/validation/webhook-address-rules.ts";
import { groupFaults, kindNameFaults, labelFaults, requiredNameFaults } from "./definition-names.ts";
import {
  columnFaults,
  deprecationFaults,
  rootFaults,
  scaleFaults,
  selectableFaults,
} from "./definition-parts.ts";

/** Faults of a definition's spec and of its change, and of the versions that its status names. */
export function validateDefinition(object: ApiObject, previous: ApiObject | undefined): StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  const names = fieldsOf(spec["names"]);
  const versions = fieldsList(spec["versions"]);
  const causes = [
    ...groupFaults(textOf(spec["group"])),
    ...choiceFaults("spec.scope", spec["scope"], ["Cluster", "Namespaced"]),
    ...versionFaults(versions, Array.isArray(spec["versions"])),
    ...requiredNameFaults(names),
    ...kindNameFaults(names, "spec.names"),
    ...sharedFaults(versions),
    ...conversionFaults(fieldsOf(spec["conversion"])),
    ...(previous === undefined ? [] : changeFaults(spec, previous)),
    ...storedVersionFaults(object, versions),
  ];
  if (spec["preserveUnknownFields"] === true) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    causes.push(invalidValue("spec.preserveUnknownFields", true, detail));
  }
  return causes;
}

function choiceFaults(at: string, value: unknown, choices: readonly string[]): StatusCause[] {
  const text = textOf(value);
  if (text === "") return [requiredValue(at)];
  return choices.includes(text) ? [] : [unsupportedValue(at, text, choices)];
}

/** A part of a version: what it says, and where the real server sees it. */
interface Parts {
  readonly at: string;
  readonly schema: { readonly value: StructuralSchema; readonly at: string } | undefined;
  readonly hasStatus: boolean;
  readonly subresources: unknown;
  readonly columns: unknown;
  readonly selectable: unknown;
}

const partNames = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;
type PartName = (typeof partNames)[number];

/** The parts of which all versions say the same. */
function sharedParts(versions: readonly Fields[]): ReadonlySet<PartName> {
  // An empty list is as good as none.
  const said = (version: Fields | undefined, part: PartName): unknown => {
    const value = version?.[part];
    return Array.isArray(value) && value.length === 0 ? undefined : value;
  };
  return new Set(
    partNames.filter((part) => versions.every((each) => equal(said(each, part), said(versions[0], part)))),
  );
}

function versionFaults(versions: readonly Fields[], isGiven: boolean): StatusCause[] {
  const shared = sharedParts(versions);
  const own = (version: Fields, part: PartName): unknown => (shared.has(part) ? undefined : version[part]);
  const causes: StatusCause[] = [];
  versions.forEach((version, index) => {
    if (schemaOf(version["schema"]) === undefined) {
      causes.push(requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`));
    }
  });
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`;
    const schema = schemaOf(own(version, "schema"));
    causes.push(
      ...labelFaults(textOf(version["name"]), `${at}.name`),
      ...deprecationFaults(version, at),
      ...partFaults({
        at,
        schema: schema === undefined ? undefined : { value: schema, at: `${at}.schema.openAPIV3Schema` },
        hasStatus: hasStatus(version),
        subresources: own(version, "subresources"),
        columns: own(version, "additionalPrinterColumns"),
        selectable: own(version, "selectableFields"),
      }),
    );
  });
  const names = versions.map((version) => textOf(version["name"]));
  const complain = (detail: string): void => {
    const shown = versions.length === 0 ? undefined : shownVersions(versions, shared);
    causes.push(
      shown === undefined
        ? invalidValue("spec.versions", isGiven ? [] : null, detail)
        : invalidStruct("spec.versions", shown, detail),
    );
  };
  if (new Set(names).size < names.length) complain("must contain unique version names");
  if (versions.filter((version) => version["storage"] === true).length !== 1) {
    complain("must have exactly one version marked as storage version");
  }
  const [first = ""] = names;
  if (first !== "") causes.push(...labelFaults(first, "spec.version"));
  return causes;
}

function sharedFaults(versions: readonly Fields[]): StatusCause[] {
  const [first] = versions;
  if (first === undefined) return [];
  const shared = sharedParts(versions);
  const common = (part: PartName): unknown => (shared.has(part) ? first[part] : undefined);
  const schema = schemaOf(common("schema"));
  return partFaults({
    at: "spec",
    schema: schema === undefined ? undefined : { value: schema, at: "spec.validation.openAPIV3Schema" },
    hasStatus: versions.some(hasStatus),
    subresources: common("subresources"),
    columns: common("additionalPrinterColumns"),
    selectable: common("selectableFields"),
  });
}

function partFaults({
  at,
  schema,
  hasStatus: withStatus,
  subresources,
  columns,
  selectable,
}: Parts): StatusCause[] {
  const causes: StatusCause[] = [];
  if (schema !== undefined) {
    causes.push(
      ...rootFaults(schema.value, withStatus, schema.at),
      ...checkStructural(schema.value, schema.at),
    );
  }
  causes.push(
    ...scaleFaults(subresources, `${at}.subresources`),
    ...columnFaults(columns, `${at}.additionalPrinterColumns`),
  );
  const field = `${at}.selectableFields`;
  if (schema !== undefined) causes.push(...selectableFaults(selectable, schema.value, field));
  else if (listOf(selectable).length > 0) {
    const detail =
      at === "spec"
        ? "may only be set when validations.schema is included"
        : "may only be set when `version.schema.openAPIV3Schema` is not included";
    causes.push(invalidValue(field, "", detail));
  }
  return causes;
}

function schemaOf(schema: unknown): StructuralSchema | undefined {
  const { openAPIV3Schema } = fieldsOf(schema);
  return isFields(openAPIV3Schema) ? openAPIV3Schema : undefined;
}

function hasStatus(version: Fields): boolean {
  return isFields(fieldsOf(version["subresources"])["status"]);
}

/** Versions as the real server shows them, in which what they share has its common place. */
function shownVersions(versions: readonly Fields[], shared: ReadonlySet<PartName>): readonly Fields[] {
  const part = (version: Fields, name: PartName): unknown =>
    shared.has(name) ? null : (version[name] ?? null);
  return versions.map((version) => ({
    Name: textOf(version["name"]),
    Served: version["served"] === true,
    Storage: version["storage"] === true,
    Deprecated: version["deprecated"] === true,
    DeprecationWarning: version["deprecationWarning"] ?? null,
    Schema: part(version, "schema"),
    Subresources: part(version, "subresources"),
    AdditionalPrinterColumns: part(version, "additionalPrinterColumns"),
    SelectableFields: part(version, "selectableFields"),
  }));
}

/** The real server names the fields as they were called in an older version. */
function conversionFaults({ strategy, webhook }: Fields): StatusCause[] {
  const at = "spec.conversion";
  const client = `${at}.webhookClientConfig`;
  const reviews = `${at}.conversionReviewVersions`;
  const { clientConfig, conversionReviewVersions } = fieldsOf(webhook);
  const versions = listOf(conversionReviewVersions).map(String);
  const causes = choiceFaults(`${at}.strategy`, strategy, ["None", "Webhook"]);
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    return [
      ...causes,
      ...(clientConfig === undefined ? [] : [forbiddenValue(client, detail)]),
      ...(versions.length === 0 ? [] : [forbiddenValue(reviews, detail)]),
    ];
  }
  causes.push(
    ...(clientConfig === undefined
      ? [requiredValue(client, "required when strategy is set to Webhook")]
      : clientConfigRule(clientConfig, client, {})),
  );
  if (versions.length === 0) return [...causes, requiredValue(reviews)];
  versions.forEach((version, index) => {
    const field = `${reviews}[${index}]`;
    if (versions.indexOf(version) < index) causes.push(invalidValue(field, version, "duplicate version"));
    else causes.push(...labelFaults(version, field));
  });
  if (!versions.some((version) => ["v1", "v1beta1"].includes(version))) {
    causes.push(invalidValue(reviews, versions, "must include at least one of v1, v1beta1"));
  }
  return causes;
}

/** What is stored is found by its group and plural, and read by its kind and scope. */
function changeFaults(spec: Fields, previous: ApiObject): StatusCause[] {
  const before = fieldsOf(previous["spec"]);
  const [names, namesBefore] = [fieldsOf(spec["names"]), fieldsOf(before["names"])];
  const isEstablished = fieldsList(fieldsOf(previous["status"])["conditions"]).some(
    ({ type, status }) => type === "Established" && status === "True",
  );
  const fixed: readonly (readonly [string, unknown, unknown])[] = [
    ...(isEstablished
      ? [
          ["spec.scope", spec["scope"], before["scope"]] as const,
          ["spec.names.kind", names["kind"], namesBefore["kind"]] as const,
        ]
      : []),
    ["spec.group", spec["group"], before["group"]],
    ["spec.names.plural", names["plural"], namesBefore["plural"]],
  ];
  return fixed
    .filter(([, now, then]) => !equal(now, then))
    .map(([field, now]) => invalidValue(field, now ?? "", "field is immutable"));
}

/** Each version that objects may be stored in has to be there. */
function storedVersionFaults(object: ApiObject, versions: readonly Fields[]): StatusCause[] {
  const at = "status.storedVersions";
  const stored = listOf(fieldsOf(object["status"])["storedVersions"]).map(String);
  if (stored.length === 0) return [invalidValue(at, null, "must have at least one stored version")];
  const names = new Set(versions.map((version) => textOf(version["name"])));
  const unlisted = versions
    .filter((version) => version["storage"] === true && !stored.includes(textOf(version["name"])))
    .map((version) => invalidValue(at, stored, `must have the storage version ${textOf(version["name"])}`));
  const missing = stored.flatMap((version, index) => {
    if (names.has(version)) return [];
    const detail = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    return [invalidValue(`${at}[${index}]`, version, detail)];
  });
  return [...unlisted, ...missing];
}
