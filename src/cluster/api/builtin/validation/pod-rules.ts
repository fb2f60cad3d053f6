// What pod specs must be, of pods and in templates, besides what pod-validation.ts checks of names and volumes.
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, textOf } from "../../api-object.ts";
import { containerRules } from "./container-rules.ts";
import { lastPodForms, lookupRules, podFormRules } from "./pod-form-rules.ts";
import { annotationsRule, labelsRule } from "./label-rules.ts";
import { hostNetworkFaults, hostPortConflicts } from "./port-rules.ts";
import { podResources, resourceClaims } from "./resource-rules.ts";
import { all, fields, forbidden, isEmpty, type Rule } from "./rule.ts";
import { hostProcessRule, hostUsersRule, operatingSystem, podSecurity } from "./security-rules.ts";

/** The containers of a pod, and the ports of the host that they have. */
const containersRule: Rule = (value, at, parent) => {
  const spec = fieldsOf(value);
  const { containers, initContainers } = containerRules(spec);
  return [
    ...containers(spec["containers"], `${at}.containers`, parent),
    ...hostPortConflicts(fieldsList(spec["containers"]), `${at}.containers`),
    ...initContainers(spec["initContainers"], `${at}.initContainers`, parent),
    // They run one after another, so that each has the ports to itself; the real server takes each for the first one.
    ...fieldsList(spec["initContainers"]).flatMap((container) =>
      hostPortConflicts([container], `${at}.initContainers`),
    ),
  ];
};

/** A pod's spec, wherever it stands. */
export const podSpecRules: Rule = all(
  fields({ resourceClaims }),
  containersRule,
  podResources,
  (value, at) => hostNetworkFaults(fieldsOf(value), at),
  lookupRules,
  podSecurity,
  podFormRules,
  hostProcessRule,
  hostUsersRule,
  lastPodForms,
  operatingSystem,
);

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const mirror = "kubernetes.io/config.mirror";
const appArmor = "container.apparmor.security.beta.kubernetes.io/";

/** What the annotations of a pod say of the pod itself. */
const annotationRules: Rule = (value) => {
  const { metadata, spec: given } = fieldsOf(value);
  const spec = fieldsOf(given);
  const causes: StatusCause[] = [];
  const names = ["containers", "initContainers"].flatMap((list) =>
    fieldsList(spec[list]).map(({ name }) => textOf(name)),
  );
  for (const [key, annotation] of Object.entries(fieldsOf(fieldsOf(metadata)["annotations"]))) {
    const refused = (shown: unknown, detail: string): void => {
      causes.push(invalidValue(`metadata.annotations[${key}]`, shown, detail));
    };
    const text = textOf(annotation);
    if (key === mirror && isEmpty(spec["nodeName"])) {
      refused(text, "must set spec.nodeName if mirror pod annotation is set");
    } else if (
      key === deletionCost &&
      !(/^(?:0|-?[1-9]\d*)$/.test(text) && (Number(text) | 0) === Number(text))
    ) {
      refused(text, "must be a 32bit integer");
    } else if (key.startsWith(appArmor)) {
      const name = key.slice(appArmor.length);
      if (!names.includes(name)) refused(name, "container not found");
      if (!/^(?:|runtime\/default|unconfined|localhost\/.*)$/.test(text)) {
        refused(text, `invalid AppArmor profile name: ${JSON.stringify(text)}`);
      }
    }
  }
  return causes;
};

/** A template keeps what it is given; a pod's image is one. */
const imageFaults: Rule = (value, at) =>
  ["containers", "initContainers"].flatMap((list) =>
    fieldsList(fieldsOf(value)[list]).flatMap(({ image }, index): readonly StatusCause[] => {
      if (textOf(image).trim() === textOf(image)) return [];
      const field = `${at}.${list}[${index}].image`;
      return [invalidValue(field, image, "must not have leading or trailing whitespace")];
    }),
  );

/** `Pod` of v1. */
export const podRules: Rule = all(annotationRules, fields({ spec: all(podSpecRules, imageFaults) }));

/** A new pod has its node only once nothing holds it back. */
export const newPodRules: Rule = (value) => {
  const { nodeName, schedulingGates } = fieldsOf(fieldsOf(value)["spec"]);
  if (isEmpty(nodeName) || fieldsList(schedulingGates).length === 0) return [];
  return [forbiddenValue("spec.nodeName", "cannot be set until all schedulingGates have been cleared")];
};

/** The labels and annotations of a template, which the real server names without the metadata that they are in. */
export const templateMetadata: Rule = fields({
  template: (value, at, parent) => {
    const { labels, annotations } = fieldsOf(fieldsOf(value)["metadata"]);
    return [
      ...labelsRule(labels, `${at}.labels`, parent),
      ...annotationsRule(annotations, `${at}.annotations`, parent),
    ];
  },
});

const ephemeralContainers = forbidden("ephemeral containers not allowed in pod template");

/** Objects with a template of pods below their spec. */
export const templateRules: Rule = all(
  templateMetadata,
  fields({ template: fields({ spec: all(podSpecRules, fields({ ephemeralContainers })) }) }),
);
