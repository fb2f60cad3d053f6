// What of a Job may change once it is there: while it is suspended, where its pods run and what they ask for.
import { equal } from "../../../../schema/json-value.ts";
import { invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, type Fields } from "../../api-object.ts";
import { jobSpecRules } from "./job-rules.ts";
import type { ChangeRule } from "./rule.ts";

const settled = ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];

/** Whether a Job is suspended, its controller has said so, and none of its pods is left. */
function isSuspended({ spec, status }: Fields): boolean {
  const { conditions: given, active = 0 } = fieldsOf(status);
  const conditions = fieldsList(given);
  const isSaid = conditions.some(({ type, status: now }) => type === "Suspended" && now === "True");
  return fieldsOf(spec)["suspend"] === true && isSaid && active === 0;
}

/** What of the pods of a template is settled even then. */
function fixedPods(pods: Fields): unknown {
  const { nodeSelector: _selector, tolerations: _tolerations, schedulingGates: _gates, ...rest } = pods;
  const { nodeAffinity: _nodes, ...affinity } = fieldsOf(rest["affinity"]);
  const withoutResources = (containers: unknown): unknown =>
    fieldsList(containers).map(({ resources: _resources, ...container }) => container);
  return {
    ...rest,
    affinity,
    containers: withoutResources(rest["containers"]),
    initContainers: withoutResources(rest["initContainers"]),
  };
}

/** Labels and annotations may change, and where the pods run. */
function suspendedTemplateFaults(template: unknown, before: unknown): readonly StatusCause[] {
  const [spec, specBefore] = [fieldsOf(fieldsOf(template)["spec"]), fieldsOf(fieldsOf(before)["spec"])];
  return equal(fixedPods(spec), fixedPods(specBefore))
    ? []
    : [invalidValue("spec.template.spec", spec, "field is immutable")];
}

function completionFaults(spec: Fields, before: Fields): readonly StatusCause[] {
  const { completions, parallelism, completionMode } = spec;
  if (equal(completions, before["completions"])) return [];
  if (completionMode !== "Indexed") {
    return [invalidValue("spec.completions", completions ?? null, "field is immutable")];
  }
  if (completions === undefined || completions === parallelism) return [];
  const detail = "can only be modified in tandem with spec.parallelism";
  return [invalidValue("spec.completions", completions, detail)];
}

/** What of a `Job` is settled once. */
export const jobChanges: ChangeRule = (object, previous) => {
  const [spec, before] = [fieldsOf(object["spec"]), fieldsOf(previous["spec"])];
  const [template, templateBefore] = [spec["template"], before["template"]];
  const templateFaults = isSuspended(previous)
    ? suspendedTemplateFaults(template, templateBefore)
    : equal(template, templateBefore)
      ? []
      : [invalidValue("spec.template", template, "field is immutable")];
  const fixed = (name: string): readonly StatusCause[] =>
    equal(spec[name], before[name])
      ? []
      : [invalidValue(`spec.${name}`, spec[name] ?? null, "field is immutable")];
  return [
    // The real server looks at a changed spec twice.
    ...jobSpecRules(object, "", object),
    ...completionFaults(spec, before),
    ...fixed("selector"),
    ...templateFaults,
    ...settled.flatMap(fixed),
  ];
};
