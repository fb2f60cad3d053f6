// What is said of pods, and of templates of them, that are new: sources of volumes that do nothing any more, secrets without a name.
import { fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";
import { podNameWarnings } from "./name-warnings.ts";

/** What has become of the sources of volumes that Kubernetes knows no more, by the names that it calls them by. */
const formerSources: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

/** Where the pods of an object stand, and the object that has them. */
function placeOfPods(object: ApiObject): readonly [at: string, pods: Fields] {
  const spec = fieldsOf(object["spec"]);
  switch (object.kind) {
    case "Pod":
      return ["", object];
    case "PodTemplate":
      return ["template.", fieldsOf(object["template"])];
    case "CronJob": {
      const job = fieldsOf(fieldsOf(spec["jobTemplate"])["spec"]);
      return ["spec.jobTemplate.spec.template.", fieldsOf(job["template"])];
    }
    default:
      return ["spec.template.", fieldsOf(spec["template"])];
  }
}

function volumeWarnings(volume: Fields, at: string): readonly string[] {
  const former = Object.entries(formerSources).flatMap(([name, said]) =>
    volume[name] === undefined ? [] : [`${at}.${name === "storageos" ? "storageOS" : name}: ${said}`],
  );
  const isEmpty = fieldsList(fieldsOf(volume["projected"])["sources"]).some(
    (source) => Object.keys(source).length === 0,
  );
  const name = JSON.stringify(textOf(volume["name"]));
  return isEmpty ? [...former, `volume ${name} (Projected) has no sources provided`] : former;
}

/** Said of the pods of a new object. */
export function podSpecWarnings(object: ApiObject, previous: ApiObject | undefined): readonly string[] {
  if (previous !== undefined) return [];
  const [at, pods] = placeOfPods(object);
  const spec = fieldsOf(pods["spec"]);
  const secrets = fieldsList(spec["imagePullSecrets"]).map(({ name }) => textOf(name));
  const field = (index: number): string => `${at}spec.imagePullSecrets[${index}].name`;
  return [
    ...fieldsList(spec["volumes"]).flatMap((volume, index) =>
      volumeWarnings(volume, `${at}spec.volumes[${index}]`),
    ),
    ...secrets.flatMap((name, index) =>
      secrets.indexOf(name) < index ? [`${field(index)}: duplicate name ${JSON.stringify(name)}`] : [],
    ),
    ...secrets.flatMap((name, index) => (name === "" ? [`${field(index)}: invalid empty name ""`] : [])),
  ];
}

/** Said of a new object whose pods are named after it. */
export function namedPodWarnings(object: ApiObject, previous: ApiObject | undefined): readonly string[] {
  return [...podNameWarnings(object, previous), ...podSpecWarnings(object, previous)];
}
