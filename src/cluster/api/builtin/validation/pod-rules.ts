// What pods must be, and templates of pods.
import { forbiddenValue, invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, textOf, type Fields } from "../../api-object.ts";
import { containersRule, fileVolumes, plainImage } from "./container-rules.ts";
import { lastPodForms, lookupRules, podFormRules } from "./pod-form-rules.ts";
import { annotationsRule, labelsRule } from "./label-rules.ts";
import { volumeFaults } from "./pod-volume-rules.ts";
import { hostNetworkFaults } from "./port-rules.ts";
import { podResources, resourceClaims } from "./resource-rules.ts";
import { all, each, fields, forbidden, isEmpty, oneOf, optional, required, when, type Rule } from "./rule.ts";
import { hostProcessRule, hostUsersRule, operatingSystem, podSecurity } from "./security-rules.ts";
import { descending } from "./volume-source-rules.ts";

const afterContainers: Rule = all(
  podResources,
  (value, at) => hostNetworkFaults(fieldsOf(value), at),
  lookupRules,
  podSecurity,
  podFormRules,
  hostProcessRule,
  hostUsersRule,
  lastPodForms,
  operatingSystem,
  fileVolumes,
);
const claimsOfPods = fields({ resourceClaims });

/** A pod's spec, wherever it stands. */
const podSpecRules: Rule = (value, at, parent) => {
  const { causes, volumes } = volumeFaults(fieldsOf(value), at);
  return [
    ...causes,
    ...claimsOfPods(value, at, parent),
    ...containersRule(volumes)(value, at, parent),
    ...afterContainers(value, at, parent),
  ];
};

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const mirror = "kubernetes.io/config.mirror";
const appArmor = "container.apparmor.security.beta.kubernetes.io/";
const seccomp = "seccomp.security.alpha.kubernetes.io/pod";
const seccompOfContainers = "container.seccomp.security.alpha.kubernetes.io/";
const seccompProfile = /^(?:runtime\/default|docker\/default|unconfined)$/;

/** What annotations say of the pod whose spec is beside them. */
function podAnnotations(annotations: unknown, spec: Fields, at: string): readonly StatusCause[] {
  const names = ["containers", "initContainers", "ephemeralContainers"].flatMap((list) =>
    fieldsList(spec[list]).map(({ name }) => textOf(name)),
  );
  return Object.entries(fieldsOf(annotations)).flatMap(([key, annotation]): readonly StatusCause[] => {
    const field = `${at}[${key}]`;
    const text = textOf(annotation);
    if (key === mirror && isEmpty(spec["nodeName"])) {
      return [invalidValue(field, text, "must set spec.nodeName if mirror pod annotation is set")];
    }
    const isNumber = /^(?:0|-?[1-9]\d*)$/.test(text) && (Number(text) | 0) === Number(text);
    if (key === deletionCost && !isNumber) return [invalidValue(field, text, "must be a 32bit integer")];
    if (key === seccomp || key.startsWith(seccompOfContainers)) {
      if (seccompProfile.test(text)) return [];
      return text.startsWith("localhost/")
        ? descending(text.slice("localhost/".length), `${at}.${key}`, spec)
        : [invalidValue(`${at}.${key}`, text, "must be a valid seccomp profile")];
    }
    if (!key.startsWith(appArmor)) return [];
    const name = key.slice(appArmor.length);
    const isProfile = /^(?:|runtime\/default|unconfined|localhost\/.*)$/.test(text);
    return [
      ...(names.includes(name) ? [] : [invalidValue(field, name, "container not found")]),
      ...(isProfile
        ? []
        : [invalidValue(field, text, `invalid AppArmor profile name: ${JSON.stringify(text)}`)]),
    ];
  });
}

/** A template keeps what it is given; a pod's image is one. */
const plainImages: Rule = fields({
  containers: each(plainImage),
  initContainers: each(plainImage),
});

/** `Pod` of v1. */
export const podRules: Rule = all(
  (value) => {
    const { metadata, spec } = fieldsOf(value);
    return podAnnotations(fieldsOf(metadata)["annotations"], fieldsOf(spec), "metadata.annotations");
  },
  fields({ spec: all(podSpecRules, plainImages) }),
);

/** A new pod has nobody yet who looks at it, and its node only once nothing holds it back. */
export const newPodRules: Rule = fields({
  spec: fields({
    volumes: each(fields({ image: optional(fields({ reference: required() })) })),
    ephemeralContainers: forbidden("cannot be set on create"),
    nodeName: when(
      ({ schedulingGates }) => fieldsList(schedulingGates).length > 0,
      forbidden("cannot be set until all schedulingGates have been cleared"),
    ),
  }),
});

/** The labels and annotations of a template, which the real server names without the metadata that they are in. */
export const templateMetadata: Rule = (value, at, parent) => {
  const { metadata, spec } = fieldsOf(value);
  const { labels, annotations } = fieldsOf(metadata);
  return [
    ...labelsRule(labels, `${at}.labels`, parent),
    ...annotationsRule(annotations, `${at}.annotations`, parent),
    ...podAnnotations(annotations, fieldsOf(spec), `${at}.annotations`),
  ];
};

const ephemeralContainers = forbidden("ephemeral containers not allowed in pod template");

/** A template of pods. */
export const templateRules: Rule = all(
  templateMetadata,
  fields({ spec: all(podSpecRules, fields({ ephemeralContainers })) }),
);

/** `PodTemplate` of v1. */
export const podTemplateRules: Rule = fields({ template: templateRules });

/** The template of pods that run for ever; `kind` is how the server calls what has it. */
export function lastingTemplate(kind: string): Rule {
  return all(
    templateRules,
    fields({
      spec: fields({
        restartPolicy: oneOf("Always"),
        activeDeadlineSeconds: optional((_value, at) => [
          forbiddenValue(at, `activeDeadlineSeconds in ${kind} is not Supported`),
        ]),
      }),
    }),
  );
}
