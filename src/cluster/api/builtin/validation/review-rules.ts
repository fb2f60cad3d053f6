// What access reviews must be, in the words of kube-apiserver.
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { labelValueFault, qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf, type Fields } from "../../api-object.ts";
import type { Rule } from "./rule.ts";

/** `SelfSubjectAccessReview`. */
export const ownAccessRules: Rule = (value) => {
  const review = fieldsOf(value);
  return [...specFaults(fieldsOf(review["spec"])), ...metadataFaults(review)];
};

/** `SubjectAccessReview`. */
export const accessRules: Rule = (value) => {
  const review = fieldsOf(value);
  return [...subjectFaults(fieldsOf(review["spec"])), ...metadataFaults(review)];
};

/** `LocalSubjectAccessReview`, which is about its own namespace. */
export const localAccessRules: Rule = (value) => {
  const review = fieldsOf(value);
  const spec = fieldsOf(review["spec"]);
  const { namespace } = fieldsOf(review["metadata"]);
  const { resourceAttributes, nonResourceAttributes } = spec;
  const asked = isFields(resourceAttributes) ? textOf(resourceAttributes["namespace"]) : namespace;
  const places =
    asked === namespace
      ? []
      : [invalidValue("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")];
  const paths = isFields(nonResourceAttributes)
    ? [
        invalidValue(
          "spec.nonResourceAttributes",
          pathAsShown(nonResourceAttributes),
          "disallowed on this kind of request",
        ),
      ]
    : [];
  return [...subjectFaults(spec), ...metadataFaults(review), ...places, ...paths];
};

function subjectFaults(spec: Fields): readonly StatusCause[] {
  const isNobody = textOf(spec["user"]) === "" && listOf(spec["groups"]).length === 0;
  return specFaults(
    spec,
    isNobody ? [invalidValue("spec.user", "", "at least one of user or group must be specified")] : [],
  );
}

function specFaults(spec: Fields, ofSubject: readonly StatusCause[] = []): readonly StatusCause[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const [isResource, isPath] = [isFields(resourceAttributes), isFields(nonResourceAttributes)];
  const causes: StatusCause[] = [];
  if (isResource && isPath) {
    const detail = "cannot be specified in combination with resourceAttributes";
    causes.push(
      invalidValue("spec.nonResourceAttributes", pathAsShown(fieldsOf(nonResourceAttributes)), detail),
    );
  }
  if (!isResource && !isPath) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    causes.push(invalidValue("spec.resourceAttributes", null, detail));
  }
  const selectorOf = (name: string): unknown => fieldsOf(resourceAttributes)[name];
  return [
    ...causes,
    ...ofSubject,
    ...selectorFaults(selectorOf("fieldSelector"), "spec.resourceAttributes.fieldSelector", fieldKeyFaults),
    ...selectorFaults(selectorOf("labelSelector"), "spec.resourceAttributes.labelSelector", labelFaults),
  ];
}

/** A path is shown with the names of the server's own fields. */
function pathAsShown({ path, verb }: Fields): Fields {
  return { Path: textOf(path), Verb: textOf(verb) };
}

function metadataFaults({ kind, metadata }: Fields): readonly StatusCause[] {
  const { namespace, managedFields: _, ...rest } = fieldsOf(metadata);
  const isLocal = kind === "LocalSubjectAccessReview";
  const given = isLocal || namespace === undefined ? rest : { ...rest, namespace };
  if (Object.keys(given).length === 0) return [];
  const detail = isLocal ? "must be empty except for namespace" : "must be empty";
  // Shown in the order in which it is written.
  const message = `Invalid value: ${JSON.stringify(metadata)}: ${detail}`;
  return [{ reason: "FieldValueInvalid", field: "metadata", message }];
}

/** Operators that it does not know are left to those who do. */
function selectorFaults(
  selector: unknown,
  at: string,
  ofRequirement: (requirement: Fields, at: string) => readonly StatusCause[],
): readonly StatusCause[] {
  if (!isFields(selector)) return [];
  const raw = textOf(selector["rawSelector"]);
  const requirements = fieldsList(selector["requirements"]);
  const causes: StatusCause[] = [];
  if (raw !== "" && requirements.length > 0) {
    const detail = "may not specified at the same time as requirements";
    causes.push(invalidValue(`${at}.rawSelector`, raw, detail));
  }
  if (raw === "" && requirements.length === 0) {
    const detail = `when ${at} is specified, requirements or rawSelector is required`;
    causes.push(requiredValue(`${at}.requirements`, detail));
  }
  return requirements.reduce<readonly StatusCause[]>((found, requirement, index) => {
    const place = `${at}.requirements[${index}]`;
    return [...found, ...ofRequirement(requirement, place)];
  }, causes);
}

function fieldKeyFaults(requirement: Fields, at: string): readonly StatusCause[] {
  const missing = textOf(requirement["key"]) === "" ? [requiredValue(`${at}.key`, "must be specified")] : [];
  return [...missing, ...valuesFaults(requirement, at)];
}

function labelFaults(requirement: Fields, at: string): readonly StatusCause[] {
  const key = textOf(requirement["key"]);
  return [
    ...valuesFaults(requirement, at),
    ...qualifiedNameFaults(key).map((fault) => invalidValue(`${at}.key`, key, fault)),
    ...listOf(requirement["values"]).flatMap((value, index) => {
      const fault = labelValueFault(textOf(value));
      return fault === undefined ? [] : [invalidValue(`${at}.values[${index}]`, value, fault)];
    }),
  ];
}

function valuesFaults({ operator, values }: Fields, at: string): readonly StatusCause[] {
  const count = listOf(values).length;
  if ((operator === "In" || operator === "NotIn") && count === 0) {
    return [requiredValue(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && count > 0) {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return [forbiddenValue(`${at}.values`, detail)];
  }
  return [];
}
