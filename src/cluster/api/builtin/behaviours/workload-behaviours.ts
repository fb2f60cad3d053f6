// Deployments, ReplicaSets, StatefulSets and DaemonSets: defaults, required fields, what may not change.
import { equal } from "../../../../schema/json-value.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import {
  ensureFields,
  fieldsList,
  fieldsOf,
  isFields,
  setDefault,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import { fromLabelSelector, matchesLabels } from "../../selectors/label-selector.ts";
import type { TypeBehaviour } from "../../served-type.ts";
import { isSentEmpty } from "../../sent-empty.ts";
import { invalidStruct } from "../validation/rule.ts";
import { labelSelectorRule, shownSelector } from "../validation/webhook-rules.ts";
import { setClaimDefaults } from "./claim-behaviour.ts";
import { contentDiffers, specDiffers, specOrAnnotationsDiffer } from "./generation.ts";
import { setPodSpecDefaults } from "./pod-defaults.ts";
import { podNameWarnings } from "./name-warnings.ts";
import { claimSpecWarnings, podWarnings, templateWarnings } from "./pod-warnings.ts";

/** `Deployment` of apps/v1. */
export const deploymentBehaviour: TypeBehaviour = {
  warnings: templateWarnings("spec.template"),
  setDefaults(object) {
    const spec = withTemplate(object);
    setDefault(spec, "replicas", 1);
    const strategy = ensureFields(spec, "strategy");
    setDefault(strategy, "type", "RollingUpdate");
    if (strategy["type"] === "RollingUpdate") {
      const rolling = ensureFields(strategy, "rollingUpdate");
      setDefault(rolling, "maxUnavailable", "25%");
      setDefault(rolling, "maxSurge", "25%");
    }
    setDefault(spec, "revisionHistoryLimit", 10);
    setDefault(spec, "progressDeadlineSeconds", 600);
  },
  validate: validateWorkload,
  raisesGeneration: specOrAnnotationsDiffer,
};

/** `ReplicaSet` of apps/v1. */
export const replicaSetBehaviour: TypeBehaviour = {
  warnings: templateWarnings("spec.template"),
  setDefaults(object) {
    setDefault(withTemplate(object), "replicas", 1);
    ensureFields(object, "status");
    setDefault(object["status"] as Fields, "replicas", 0);
  },
  validate: validateWorkload,
  raisesGeneration: specDiffers,
};

/** `ReplicationController` of v1, which is known by the labels of its pods where it says nothing else. */
export const replicationControllerBehaviour: TypeBehaviour = {
  // Of one that is changed the real server says what there was to say of it before.
  warnings: (object, previous) =>
    previous === undefined || previous.metadata.generation === object.metadata.generation
      ? templateWarnings("spec.template")(object, previous)
      : [
          ...podNameWarnings(object, previous),
          ...podWarnings(fieldsOf(fieldsOf(previous["spec"])["template"]), "spec.template."),
        ],
  orphansSilently: true,
  setDefaults(object) {
    const spec = ensureFields(object, "spec");
    if (isFields(spec["template"])) {
      const labels = fieldsOf(fieldsOf(withTemplate(object)["template"])["metadata"])["labels"];
      if (isFields(labels)) {
        if (Object.keys(fieldsOf(spec["selector"])).length === 0) spec["selector"] = { ...labels };
        if (Object.keys(object.metadata.labels ?? {}).length === 0) {
          object.metadata = { ...object.metadata, labels: { ...labels } as Record<string, string> };
        }
      }
    }
    setDefault(spec, "replicas", 1);
    setDefault(ensureFields(object, "status"), "replicas", 0);
  },
  raisesGeneration: specDiffers,
};

/** `PodTemplate` of v1. */
export const podTemplateBehaviour: TypeBehaviour = {
  warnings: templateWarnings("template", { isNamedInPods: false }),
  setDefaults(object) {
    setTemplateDefaults(object);
  },
  raisesGeneration: contentDiffers,
};

/** `StatefulSet` of apps/v1. */
export const statefulSetBehaviour: TypeBehaviour = {
  warnings: setWarnings,
  setDefaults(object) {
    const spec = withTemplate(object);
    setDefault(spec, "replicas", 1);
    setDefault(spec, "podManagementPolicy", "OrderedReady");
    const strategy = ensureFields(spec, "updateStrategy");
    // Who names the type says all that there is to say.
    if (strategy["type"] === undefined || strategy["type"] === "") {
      strategy["type"] = "RollingUpdate";
      ensureFields(strategy, "rollingUpdate");
    }
    if (strategy["type"] === "RollingUpdate" && strategy["rollingUpdate"] !== undefined)
      setDefault(ensureFields(strategy, "rollingUpdate"), "partition", 0);
    setDefault(spec, "revisionHistoryLimit", 10);
    const retention = ensureFields(spec, "persistentVolumeClaimRetentionPolicy");
    setDefault(retention, "whenDeleted", "Retain");
    setDefault(retention, "whenScaled", "Retain");
    for (const claim of fieldsList(spec["volumeClaimTemplates"])) {
      setDefault(claim, "kind", "PersistentVolumeClaim");
      setDefault(claim, "apiVersion", "v1");
      setDefault(claim, "metadata", {});
      setClaimDefaults(claim);
    }
    const status = ensureFields(object, "status");
    setDefault(status, "replicas", 0);
    setDefault(status, "availableReplicas", 0);
  },
  prepare(object) {
    // It belongs to a feature of Kubernetes that is off by default.
    const spec = fieldsOf(object["spec"]);
    const strategy = fieldsOf(spec["updateStrategy"]);
    const { maxUnavailable, ...rollingUpdate } = fieldsOf(strategy["rollingUpdate"]);
    if (maxUnavailable === undefined) return;
    object["spec"] = { ...spec, updateStrategy: { ...strategy, rollingUpdate } };
  },
  validate(object, previous) {
    const errors = validateWorkload(object, previous);
    if (previous === undefined) return errors;
    const mutable = [
      "replicas",
      "ordinals",
      "template",
      "updateStrategy",
      "revisionHistoryLimit",
      "persistentVolumeClaimRetentionPolicy",
      "minReadySeconds",
    ];
    if (!equal(without(object["spec"], mutable), without(previous["spec"], mutable))) {
      errors.push(
        forbiddenValue(
          "spec",
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
      );
    }
    return errors;
  },
  raisesGeneration: specDiffers,
};

function setWarnings(object: ApiObject, previous: ApiObject | undefined): readonly string[] {
  const { volumeClaimTemplates, revisionHistoryLimit } = fieldsOf(object["spec"]);
  const claims = previous === undefined ? fieldsList(volumeClaimTemplates) : [];
  return [
    ...templateWarnings("spec.template", { isNamedInPods: false })(object, previous),
    ...claims.flatMap(({ spec }, index) =>
      claimSpecWarnings(fieldsOf(spec), `spec.volumeClaimTemplates[${index}]`),
    ),
    ...(Number(revisionHistoryLimit) < 0
      ? [
          "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
        ]
      : []),
  ];
}

/** Counts the templates of a daemon set; an annotation, since the field for it is gone. */
const templateGeneration = "deprecated.daemonset.template.generation";

/** `DaemonSet` of apps/v1. */
export const daemonSetBehaviour: TypeBehaviour = {
  // The templates are counted from none on.
  unsetAnnotations: { [templateGeneration]: "0" },
  warnings(object, previous) {
    const countOf = (each: ApiObject | undefined): unknown =>
      each?.metadata.annotations?.[templateGeneration];
    if (countOf(object) === countOf(previous)) return [];
    return podWarnings(fieldsOf(fieldsOf(object["spec"])["template"]), "spec.template.");
  },
  setDefaults(object) {
    const spec = withTemplate(object);
    object.metadata.annotations = { [templateGeneration]: "0", ...object.metadata.annotations };
    const strategy = ensureFields(spec, "updateStrategy");
    setDefault(strategy, "type", "RollingUpdate");
    if (strategy["type"] === "RollingUpdate") {
      const rolling = ensureFields(strategy, "rollingUpdate");
      setDefault(rolling, "maxUnavailable", 1);
      setDefault(rolling, "maxSurge", 0);
    }
    setDefault(spec, "revisionHistoryLimit", 10);
    const status = ensureFields(object, "status");
    for (const name of [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
    ]) {
      setDefault(status, name, 0);
    }
  },
  prepare(object, previous) {
    const before = Number(previous?.metadata.annotations?.[templateGeneration] ?? 0);
    const templateOf = (each: ApiObject | undefined): unknown => fieldsOf(each?.["spec"])["template"];
    const isOther = previous === undefined || !equal(templateOf(object), templateOf(previous));
    const generation = String(isOther ? before + 1 : before);
    object.metadata.annotations = { ...object.metadata.annotations, [templateGeneration]: generation };
  },
  validate: validateWorkload,
  raisesGeneration: specDiffers,
};

/** Adds the defaults of the pod template and returns the spec. */
function withTemplate(object: ApiObject): Fields {
  const spec = ensureFields(object, "spec");
  setTemplateDefaults(spec);
  return spec;
}

function setTemplateDefaults(owner: Fields): void {
  const template = ensureFields(owner, "template");
  setDefault(template, "metadata", {});
  setPodSpecDefaults(ensureFields(template, "spec"));
}

function validateWorkload(object: ApiObject, previous: ApiObject | undefined): StatusCause[] {
  const spec = fieldsOf(object["spec"]);
  const template = fieldsOf(spec["template"]);
  const selector = spec["selector"];
  const errors: StatusCause[] = [];
  const replicas = spec["replicas"];
  if (typeof replicas === "number" && replicas < 0) {
    errors.push(invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"));
  }
  const requirements = fromLabelSelector(selector);
  const selectorFaults = labelSelectorRule(selector, "spec.selector", spec);
  const labels = fieldsOf(fieldsOf(template["metadata"])["labels"]) as Record<string, string>;
  const mismatch = invalidValue(
    "spec.template.metadata.labels",
    Object.keys(labels).length > 0 || isSentEmpty(fieldsOf(template["metadata"]), "labels") ? labels : null,
    "`selector` does not match template `labels`",
  );
  // That of a DaemonSet is not asked for.
  const required = object.kind === "DaemonSet" ? [] : [requiredValue("spec.selector")];
  if (!isFields(selector)) errors.push(...required, mismatch);
  else if (requirements.length === 0) {
    // The real server calls a ReplicaSet so, too.
    const what = object.kind === "ReplicaSet" ? "deployment" : object.kind.toLowerCase();
    errors.push(invalidValue("spec.selector", selector, `empty selector is invalid for ${what}`));
  } else if (selectorFaults.length > 0) {
    errors.push(...selectorFaults);
    const detail = object.kind === "StatefulSet" ? "" : "invalid label selector";
    // Nothing is said of a template that nobody knows the pods of.
    if (object.kind !== "DaemonSet")
      errors.push(invalidStruct("spec.selector", shownSelector(selector), detail));
    if (object.kind === "StatefulSet") return errors;
  } else if (!matchesLabels(requirements, labels)) errors.push(mismatch);
  // Of a StatefulSet without one no more is said than that of its spec.
  const isComparable = isFields(selector) || object.kind !== "StatefulSet";
  if (previous !== undefined && isComparable && !equal(selector, fieldsOf(previous["spec"])["selector"])) {
    errors.push(
      isFields(selector)
        ? invalidStruct("spec.selector", shownSelector(selector), "field is immutable")
        : invalidValue("spec.selector", null, "field is immutable"),
    );
  }
  return errors;
}

function without(spec: unknown, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fieldsOf(spec)).filter(([name]) => !names.includes(name)));
}
