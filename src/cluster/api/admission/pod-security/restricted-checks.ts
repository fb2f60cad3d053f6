// The checks that the level restricted has besides those of the baseline, with the words of k8s.io/pod-security-admission. Pure.
import { fieldsList, fieldsOf, listOf, type Fields } from "../../api-object.ts";
import { addedCapabilities, procMount, seccompOf, seccompProfile } from "./baseline-checks.ts";
import {
  containersNamed,
  contextOf,
  namesOf,
  plural,
  quoted,
  settersOf,
  sorted,
  unlessOwnUsers,
  unlessWindows,
  uses,
  type Check,
  type CheckedPod,
  type CheckPod,
  type Violation,
} from "./pod-checks.ts";

const privilegeEscalation: CheckPod = ({ containers }) => {
  const bad = containers.filter((each) => contextOf(each)["allowPrivilegeEscalation"] !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersNamed(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const restrictedCapabilities: CheckPod = (pod) => {
  const keeping = pod.containers.filter(
    (each) => !listOf(fieldsOf(contextOf(each)["capabilities"])["drop"]).includes("ALL"),
  );
  const added = addedCapabilities(pod, (name) => name !== "NET_BIND_SERVICE");
  const details = [
    ...(keeping.length === 0
      ? []
      : [`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const freeVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

const restrictedVolumes: CheckPod = ({ spec }) => {
  const bad = fieldsList(spec["volumes"]).filter(
    (volume) => !freeVolumes.some((type) => volume[type] !== undefined),
  );
  if (bad.length === 0) return undefined;
  const types = sorted(
    bad.map((volume) => Object.keys(volume).find((field) => field !== "name") ?? "unknown"),
  );
  const what = plural("restricted volume type", types.length);
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", bad.length)} ${quoted(namesOf(bad))} ${uses(bad.length)} ${what} ${quoted(types)}`,
  };
};

/** What is wrong where a pod sets nothing, and some of its containers do not either. */
function mustSet(
  { containers }: CheckedPod,
  reason: string,
  given: (context: Fields) => unknown,
  what: string,
): Violation | undefined {
  const bad = containers.filter((each) => given(contextOf(each)) === undefined);
  if (bad.length === 0) return undefined;
  return { reason, detail: `pod or ${containersNamed(bad)} must set ${what}` };
}

const runAsNonRoot: CheckPod = (pod) => {
  const reason = "runAsNonRoot != true";
  const setters = settersOf(pod, ({ runAsNonRoot: given }) => given === false);
  if (setters.length > 0) {
    const detail = `${setters.join(" and ")} must not set securityContext.runAsNonRoot=false`;
    return { reason, detail };
  }
  if (contextOf(pod.spec)["runAsNonRoot"] === true) return undefined;
  return mustSet(pod, reason, ({ runAsNonRoot: given }) => given, "securityContext.runAsNonRoot=true");
};

const runAsUser: CheckPod = (pod) => {
  const setters = settersOf(pod, ({ runAsUser: given }) => given === 0);
  if (setters.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${setters.join(" and ")} must not set runAsUser=0` };
};

const restrictedSeccomp: CheckPod = (pod) => {
  const wrong = seccompProfile(pod);
  if (wrong !== undefined || seccompOf(contextOf(pod.spec)) !== undefined) return wrong;
  const what = 'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return mustSet(pod, "seccompProfile", seccompOf, what);
};

/** In the order in which they are named, after those of the baseline. */
export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    forms: [
      { from: 8, check: privilegeEscalation },
      { from: 25, check: unlessWindows(privilegeEscalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    overrides: "capabilities_baseline",
    forms: [
      { from: 22, check: restrictedCapabilities },
      { from: 25, check: unlessWindows(restrictedCapabilities) },
    ],
  },
  { id: "procMount_restricted", overrides: "procMount", forms: [{ from: 35, check: procMount }] },
  { id: "restrictedVolumes", overrides: "hostPathVolumes", forms: [{ from: 0, check: restrictedVolumes }] },
  {
    id: "runAsNonRoot",
    forms: [
      { from: 0, check: runAsNonRoot },
      { from: 35, check: unlessOwnUsers(runAsNonRoot) },
    ],
  },
  {
    id: "runAsUser",
    forms: [
      { from: 23, check: runAsUser },
      { from: 35, check: unlessOwnUsers(runAsUser) },
    ],
  },
  {
    id: "seccompProfile_restricted",
    overrides: "seccompProfile_baseline",
    forms: [
      { from: 19, check: restrictedSeccomp },
      { from: 25, check: unlessWindows(restrictedSeccomp) },
    ],
  },
];
