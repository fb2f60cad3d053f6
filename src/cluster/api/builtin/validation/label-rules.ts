// What labels and annotations must be, wherever an object holds those of another one.
import { invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { labelValueFault, qualifiedNameFaults } from "../../../../meta/name-rules.ts";
import { fieldsOf, textOf } from "../../api-object.ts";
import type { Rule } from "./rule.ts";

/** The names of labels, and their values. */
export const labelsRule: Rule = (value, at) =>
  Object.entries(fieldsOf(value)).flatMap(([key, label]): readonly StatusCause[] => {
    const fault = labelValueFault(textOf(label));
    return [
      ...qualifiedNameFaults(key).map((each) => invalidValue(at, key, each)),
      ...(fault === undefined ? [] : [invalidValue(at, label, fault)]),
    ];
  });

/** The names of annotations, whose case is of no account. */
export const annotationsRule: Rule = (value, at) =>
  Object.keys(fieldsOf(value)).flatMap((key) =>
    qualifiedNameFaults(key.toLowerCase()).map((fault) => invalidValue(at, key, fault)),
  );
