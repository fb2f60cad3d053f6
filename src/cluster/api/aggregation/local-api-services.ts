// The APIServices of what this server serves itself: it makes them, and keeps those of CRDs as they are to be. Whoever takes the label
// off an APIService has it for himself.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go
import type { KubeClient } from "../../../client/kube-client.ts";
import { APIService } from "../../../kinds/builtin/apiregistration.ts";
import { isEqualJson } from "../../../meta/changed-paths.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsList, fieldsOf, textOf, type ApiObject } from "../api-object.ts";
import { apiServiceSpace } from "../discovery/api-services.ts";
import { groupPriority } from "../discovery/group-priorities.ts";
import { localVersions } from "../discovery/ranked-versions.ts";

const automanaged = "kube-aggregator.kubernetes.io/automanaged";
const definitionSpace = "customresourcedefinitions.apiextensions.k8s.io";
/** How the versions of CRDs rank. */
const ofDefinitions = { groupPriorityMinimum: 1_000, versionPriority: 100 };

/** `onstart`: nobody looks at it again until the next start. */
type Mode = "onstart" | "true";

interface Wanted {
  readonly mode: Mode;
  readonly spec: NonNullable<APIService["spec"]>;
}

/** Makes and keeps them. */
export class LocalApiServices {
  readonly #core: ApiCore;
  readonly #client: KubeClient;
  readonly #presentAtStart: ReadonlySet<string>;
  readonly #settled = new Set<string>();

  constructor(core: ApiCore, client: KubeClient) {
    this.#core = core;
    this.#client = client;
    this.#presentAtStart = new Set(core.store.list(apiServiceSpace).map(({ metadata }) => metadata.name));
  }

  /** Those that are there, and those that are to be. */
  names(): readonly string[] {
    const served = this.#core.store.list(definitionSpace).flatMap(namesOfDefinition);
    return [...new Set([...this.#presentAtStart, ...served])];
  }

  /** Brings one in line with what is served. Errors: those of the write. */
  async settle(name: string): Promise<void> {
    await this.#bring(name, this.#wanted(name));
    this.#settled.add(name);
  }

  async #bring(name: string, wanted: Wanted | undefined): Promise<void> {
    const current = this.#core.store.get(apiServiceSpace, undefined, name);
    const isSettled = this.#settled.has(name);
    if (wanted?.mode === "onstart" && isSettled) return;
    if (current === undefined) {
      if (wanted !== undefined) await this.#create(name, wanted);
      return;
    }
    const mode = current.metadata.labels?.[automanaged];
    if (mode !== "onstart" && mode !== "true") return;
    if (mode === "onstart" && (isSettled || !this.#presentAtStart.has(name))) return;
    if (wanted === undefined) {
      const { uid = "" } = current.metadata;
      await this.#client.delete(APIService, { name }, { preconditions: { uid } });
    } else if (!isEqualJson(current["spec"], wanted.spec)) {
      const { metadata } = current as ApiObject & Pick<APIService, "metadata">;
      await this.#client.update(APIService, {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata,
        spec: wanted.spec,
      });
    }
  }

  async #create(name: string, { mode, spec }: Wanted): Promise<void> {
    await this.#client.create(APIService, {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name, labels: { [automanaged]: mode } },
      spec,
    });
  }

  #wanted(name: string): Wanted | undefined {
    const own = this.#ownVersion(name);
    if (own !== undefined) return { mode: "onstart", spec: own };
    const dot = name.indexOf(".");
    const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
    const isDefined = this.#core.store
      .list(definitionSpace)
      .some((definition) => namesOfDefinition(definition).includes(name));
    return isDefined ? { mode: "true", spec: { group, version, ...ofDefinitions } } : undefined;
  }

  /** One of Kubernetes' own groups. */
  #ownVersion(name: string): Wanted["spec"] | undefined {
    if (name === "v1.")
      return { version: "v1", groupPriorityMinimum: groupPriority("") ?? 0, versionPriority: 1 };
    const found = localVersions(this.#core.registry).find(
      ({ group, version }) => name === `${version}.${group}` && groupPriority(group) !== undefined,
    );
    if (found === undefined) return undefined;
    const { group, version, groupPriority: groupPriorityMinimum, versionPriority } = found;
    return { group, version, groupPriorityMinimum, versionPriority };
  }
}

/** The APIServices of what a CRD has served. */
export function namesOfDefinition({ spec }: ApiObject): readonly string[] {
  const { group, versions } = fieldsOf(spec);
  return fieldsList(versions).flatMap(({ name, served }) =>
    served === true ? [`${textOf(name)}.${textOf(group)}`] : [],
  );
}
