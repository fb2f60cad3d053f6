// Which container of a pod a request is about: the choice and the refusals that logs and commands have in common.
import { fieldsList, fieldsOf, type ApiObject } from "../api-object.ts";
import { badRequest } from "../status-error.ts";

/** The container's name. Errors: 400 for one that the pod does not have, and for none where there are several. */
export function chosenContainer(pod: ApiObject, query: URLSearchParams): string {
  const spec = fieldsOf(pod["spec"]);
  const namesOf = (field: string): string[] => fieldsList(spec[field]).map((each) => String(each["name"]));
  const containers = namesOf("containers");
  const { name } = pod.metadata;
  const asked = query.get("container") ?? "";
  if (asked === "" && containers.length > 1) {
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${containers.join(" ")}]`,
    );
  }
  const container = asked === "" ? (containers[0] ?? "") : asked;
  if (![containers, namesOf("initContainers"), namesOf("ephemeralContainers")].flat().includes(container)) {
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  return container;
}
