// What is said of pods that are taken although something in them does nothing, or not what was meant: of pods when they are made, of
// templates of pods whenever the object that has them changes.
import { parseQuantity } from "../../../../schema/cel/quantity.ts";
import {
  fieldsList,
  fieldsOf,
  isFields,
  listOf,
  textOf,
  type ApiObject,
  type Fields,
} from "../../api-object.ts";
import { podNameWarnings } from "./name-warnings.ts";

/** Said of a new object that has a template of pods at a path, and of one whose generation a change has raised. */
export function templateWarnings(
  at: string,
  { isNamedInPods = true }: { readonly isNamedInPods?: boolean } = {},
): (object: ApiObject, previous: ApiObject | undefined) => readonly string[] {
  return (object, previous) => {
    const isSame = previous !== undefined && previous.metadata.generation === object.metadata.generation;
    const template = at.split(".").reduce<Fields>((parent, name) => fieldsOf(parent[name]), object);
    return [
      ...(isNamedInPods ? podNameWarnings(object, previous) : []),
      ...(isSame ? [] : podWarnings(template, `${at}.`)),
    ];
  };
}

/** Said of a pod, or of a template of pods, whose fields' paths begin with `at`. */
export function podWarnings(pod: Fields, at = ""): readonly string[] {
  const [metadata, spec] = [fieldsOf(pod["metadata"]), fieldsOf(pod["spec"])];
  const place = `${at}spec`;
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    fieldsList(spec[list]).map((container, index): Placed => [container, `${place}.${list}[${index}]`]),
  );
  const annotations = fieldsOf(metadata["annotations"]);
  return [
    ...nodeWarnings(spec, place),
    ...spreadWarnings(spec, place),
    ...formerAnnotations
      .filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, text]) => `${at}metadata.annotations[${key}]: ${text}`),
    ...volumeWarnings(spec, place),
    ...projectionWarnings(spec),
    ...nameWarnings(spec, place),
    ...fractionWarnings(spec["overhead"], `${place}.overhead`),
    ...profileWarnings(annotations, spec, { at, containers }),
    ...containers.flatMap(containerWarnings),
    ...portWarnings(containers),
    ...(Number(spec["terminationGracePeriodSeconds"]) < 0
      ? [
          `${place}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(fieldsOf(spec["affinity"]), `${place}.affinity`),
  ];
}

/** A container and its path. */
type Placed = readonly [container: Fields, at: string];

const nodeLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods":
    "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

/** What is said of a label of nodes; undefined: nothing. */
function ofNodeLabel(key: unknown): string | undefined {
  return typeof key === "string" && Object.hasOwn(nodeLabels, key) ? nodeLabels[key] : undefined;
}

function nodeWarnings(spec: Fields, place: string): readonly string[] {
  const inSelector = Object.keys(fieldsOf(spec["nodeSelector"])).flatMap((key) => {
    const said = ofNodeLabel(key);
    return said === undefined ? [] : [`${place}.nodeSelector[${key}]: ${said}`];
  });
  const affinity = fieldsOf(fieldsOf(spec["affinity"])["nodeAffinity"]);
  const at = `${place}.affinity.nodeAffinity`;
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return [
    ...inSelector,
    ...fieldsList(fieldsOf(affinity[required])["nodeSelectorTerms"]).flatMap((term, index) =>
      termWarnings(term, `${at}.${required}.nodeSelectorTerms[${index}]`),
    ),
    ...fieldsList(affinity[preferred]).flatMap(({ preference }, index) =>
      termWarnings(fieldsOf(preference), `${at}.${preferred}[${index}].preference`),
    ),
  ];
}

function termWarnings(term: Fields, at: string): readonly string[] {
  return fieldsList(term["matchExpressions"]).flatMap(({ key }, index) => {
    const said = ofNodeLabel(key);
    return said === undefined ? [] : [`${at}.matchExpressions[${index}].key: ${textOf(key)} is ${said}`];
  });
}

const matchesNone = "a null labelSelector results in matching no pod";

function spreadWarnings(spec: Fields, place: string): readonly string[] {
  return fieldsList(spec["topologySpreadConstraints"]).flatMap((constraint, index) => {
    const { topologyKey, labelSelector } = constraint;
    const at = `${place}.topologySpreadConstraints[${index}]`;
    const said = ofNodeLabel(topologyKey);
    return [
      ...(said === undefined ? [] : [`${at}.topologyKey: ${textOf(topologyKey)} is ${said}`]),
      ...(isFields(labelSelector) ? [] : [`${at}.labelSelector: ${matchesNone}`]),
    ];
  });
}

const formerAnnotations = [
  [
    "scheduler.alpha.kubernetes.io/critical-pod",
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  [
    "security.alpha.kubernetes.io/unsafe-sysctls",
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
] as const;

const formerVolumes: readonly (readonly [string, string])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function volumeWarnings(spec: Fields, place: string): readonly string[] {
  return fieldsList(spec["volumes"]).flatMap((volume, index) => {
    const at = `${place}.volumes[${index}]`;
    const claim = fieldsOf(fieldsOf(volume["ephemeral"])["volumeClaimTemplate"])["spec"];
    return [
      ...formerVolumes
        .filter(([name]) => volume[name] !== undefined)
        .map(([name, text]) => `${at}.${name === "storageos" ? "storageOS" : name}: ${text}`),
      ...claimSpecWarnings(fieldsOf(claim), `${at}.ephemeral.volumeClaimTemplate.spec`),
    ];
  });
}

/** Projections of nothing. */
function projectionWarnings(spec: Fields): readonly string[] {
  return fieldsList(spec["volumes"]).flatMap(({ name, projected }) =>
    fieldsList(fieldsOf(projected)["sources"])
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${JSON.stringify(textOf(name))} (Projected) has no sources provided`),
  );
}

/** Said of what a claim asks for. */
export function claimSpecWarnings(spec: Fields, at: string): readonly string[] {
  const resources = fieldsOf(spec["resources"]);
  return ["requests", "limits"].flatMap((name) =>
    fractionWarnings(resources[name], `${at}.resources.${name}`, ["storage"]),
  );
}

/** Bytes come whole. */
function fractionWarnings(
  amounts: unknown,
  at: string,
  names: readonly string[] = ["memory", "ephemeral-storage"],
): readonly string[] {
  return names.flatMap((name) => {
    const text = textOf(fieldsOf(amounts)[name]);
    const nano = parseQuantity(text)?.nano ?? 0n;
    return nano % 1_000_000_000n === 0n
      ? []
      : [`${at}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`];
  });
}

/** Names that are there twice, or are none. */
function nameWarnings(spec: Fields, place: string): readonly string[] {
  const secrets = fieldsList(spec["imagePullSecrets"]).map(({ name }) => textOf(name));
  return [
    ...repeated(
      fieldsList(spec["hostAliases"]).map(({ ip }) => textOf(ip)),
      (index, ip) => `${place}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`,
    ),
    ...repeated(
      secrets,
      (index, name) => `${place}.imagePullSecrets[${index}].name: duplicate name ${JSON.stringify(name)}`,
    ),
    ...secrets.flatMap((name, index) =>
      name === "" ? [`${place}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
  ];
}

function repeated(
  values: readonly string[],
  say: (index: number, value: string) => string,
): readonly string[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [say(index, value)] : []));
}

const podProfile = "seccomp.security.alpha.kubernetes.io/pod";
const noProfile = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/** Profiles were annotations once. */
function profileWarnings(
  annotations: Fields,
  spec: Fields,
  { at, containers }: { readonly at: string; readonly containers: readonly Placed[] },
): readonly string[] {
  const ofPod = fieldsOf(spec["securityContext"]);
  const say = (key: string, text: string, isSaid: boolean): readonly string[] =>
    isSaid && Object.hasOwn(annotations, key) ? [`${at}metadata.annotations[${key}]: ${text}`] : [];
  return [
    ...say(podProfile, noProfile, ofPod["seccompProfile"] === undefined),
    ...containers.flatMap(([container]) => {
      const own = fieldsOf(container["securityContext"]);
      const name = textOf(container["name"]);
      const isConfined = (ofPod["appArmorProfile"] ?? own["appArmorProfile"]) !== undefined;
      return [
        ...say(
          `container.seccomp.security.alpha.kubernetes.io/${name}`,
          noProfile,
          own["seccompProfile"] === undefined,
        ),
        ...say(
          `container.apparmor.security.beta.kubernetes.io/${name}`,
          'deprecated since v1.30; use the "appArmorProfile" field instead',
          at !== "" && !isConfined,
        ),
      ];
    }),
  ];
}

function containerWarnings([container, at]: Placed): readonly string[] {
  const resources = fieldsOf(container["resources"]);
  const amounts = ["memory", "ephemeral-storage"].flatMap((name) =>
    ["limits", "requests"].flatMap((list) =>
      fractionWarnings(resources[list], `${at}.resources.${list}`, [name]),
    ),
  );
  const variables = fieldsList(container["env"]);
  const names = variables.map(({ name }) => textOf(name));
  const hidden = variables.flatMap(({ value, valueFrom }, index) => {
    const name = names[index] ?? "";
    // One that is made of the earlier one hides nothing.
    const earlier = `$(${name})`;
    const isMadeOfIt = textOf(value).includes(earlier) && value !== earlier && valueFrom === undefined;
    if (names.indexOf(name) === index || isMadeOfIt) return [];
    return [
      `${at}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
  return [...amounts, ...hidden];
}

/** Ports that are there twice, or more than once for some hosts. */
function portWarnings(containers: readonly Placed[]): readonly string[] {
  const ports = containers.flatMap(([container, at]) =>
    fieldsList(container["ports"]).map((port, index) => ({
      at: `${at}.ports[${index}]`,
      containerPort: Number(port["containerPort"] ?? 0),
      protocol: textOf(port["protocol"]),
      hostIP: textOf(port["hostIP"]),
      hostPort: Number(port["hostPort"] ?? 0),
      name: textOf(port["name"]),
    })),
  );
  return ports.flatMap((port, index) => {
    const { at, containerPort, protocol, hostIP, hostPort, name } = port;
    const struct = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    const alone = hostIP !== "" && hostPort === 0 ? [`${at}: hostIP set without hostPort: ${struct}`] : [];
    const others = ports
      .slice(0, index)
      .filter((other) => other.containerPort === containerPort && other.protocol === protocol);
    return [
      ...alone,
      ...others.flatMap((other) => {
        const how = sharedBy(port, other);
        return how === undefined ? [] : [`${at}: ${how} port definition with ${other.at}`];
      }),
    ];
  });
}

interface HostPlace {
  readonly hostIP: string;
  readonly hostPort: number;
}

function sharedBy(one: HostPlace, other: HostPlace): string | undefined {
  if (one.hostIP === other.hostIP && one.hostPort === other.hostPort) return "duplicate";
  if (one.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const isOpen = (one.hostIP === "") !== (other.hostIP === "");
  return one.hostPort === other.hostPort && isOpen ? "dangerously ambiguous" : undefined;
}

/** What asks to be near no pod, or far from none. */
function affinityWarnings(affinity: Fields, at: string): readonly string[] {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return ["podAffinity", "podAntiAffinity"].flatMap((name) => {
    const terms = fieldsOf(affinity[name]);
    return [
      ...listOf(terms[required]).flatMap((term, index) =>
        isFields(fieldsOf(term)["labelSelector"])
          ? []
          : [`${at}.${name}.${required}[${index}].labelSelector: ${matchesNone}`],
      ),
      ...listOf(terms[preferred]).flatMap((term, index) =>
        isFields(fieldsOf(fieldsOf(term)["podAffinityTerm"])["labelSelector"])
          ? []
          : [`${at}.${name}.${preferred}[${index}].podAffinityTerm.labelSelector: ${matchesNone}`],
      ),
    ];
  });
}
