// AppArmor profiles, which annotations of pods named before there was a field for them.
// https://kubernetes.io/docs/tutorials/security/apparmor/
import { ensureFields, fieldsList, fieldsOf, textOf, type ApiObject, type Fields } from "../../api-object.ts";

const prefix = "container.apparmor.security.beta.kubernetes.io/";

/** Gives the containers of a new pod the profiles that its annotations name, unless they have one, as the pod itself may. */
export function takeAnnotatedProfiles({ metadata, ...object }: ApiObject): void {
  const spec = fieldsOf(object["spec"]);
  if (fieldsOf(spec["os"])["name"] === "windows") return;
  const ofPod = fieldsOf(fieldsOf(spec["securityContext"])["appArmorProfile"]);
  for (const list of ["initContainers", "containers"]) {
    for (const container of fieldsList(spec[list])) {
      const profile = profileOf(metadata.annotations?.[`${prefix}${textOf(container["name"])}`]);
      if (profile === undefined || isSame(profile, ofPod)) continue;
      if (fieldsOf(container["securityContext"])["appArmorProfile"] !== undefined) continue;
      ensureFields(container, "securityContext")["appArmorProfile"] = profile;
    }
  }
}

/** The profile that an annotation names; undefined: none. */
function profileOf(annotation: string | undefined): Fields | undefined {
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  if (annotation === "unconfined") return { type: "Unconfined" };
  const local = /^localhost\/(?<name>.+)$/.exec(annotation ?? "")?.groups?.["name"];
  return local === undefined ? undefined : { type: "Localhost", localhostProfile: local };
}

function isSame(one: Fields, other: Fields): boolean {
  return one["type"] === other["type"] && one["localhostProfile"] === other["localhostProfile"];
}
