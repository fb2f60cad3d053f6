// What the stored APIServices say: which groups and versions there are, which of them another server serves, and how they rank.
import { fieldsList, fieldsOf, isFields, textOf, type ApiObject } from "../api-object.ts";
import type { ObjectStore } from "../storage/object-store.ts";

/** The key space of APIServices. */
export const apiServiceSpace = "apiservices.apiregistration.k8s.io";

/** The Service behind which another server stands. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** One APIService. */
export interface ApiService {
  /** `VERSION.GROUP`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Undefined: this server serves it. */
  readonly service: ServiceReference | undefined;
  /** Who has signed the certificate of the other server, PEM; undefined: whom the process trusts. */
  readonly authority: string | undefined;
  /** Whether any certificate will do. */
  readonly skipsVerification: boolean;
  readonly isAvailable: boolean;
}

/** An APIService that another server answers for. */
export interface ExtensionService extends ApiService {
  readonly service: ServiceReference;
}

/** Where APIServices are looked up. */
export type ApiServiceSource = Pick<ObjectStore, "get" | "list">;

const read = new WeakMap<ApiObject, ApiService>();

/** What an APIService says; stored objects are never changed, so it is read once. */
export function readApiService(object: ApiObject): ApiService {
  let service = read.get(object);
  if (service === undefined) read.set(object, (service = readOnce(object)));
  return service;
}

function readOnce({ metadata, spec, status }: ApiObject): ApiService {
  const { group, version, groupPriorityMinimum, versionPriority, service, caBundle, insecureSkipTLSVerify } =
    fieldsOf(spec);
  const bundle = textOf(caBundle);
  return {
    name: metadata.name,
    group: textOf(group),
    version: textOf(version),
    groupPriority: Number(groupPriorityMinimum ?? 0),
    versionPriority: Number(versionPriority ?? 0),
    service: isFields(service)
      ? {
          namespace: textOf(service["namespace"]),
          name: textOf(service["name"]),
          port: typeof service["port"] === "number" ? service["port"] : 443,
        }
      : undefined,
    authority: bundle === "" ? undefined : Buffer.from(bundle, "base64").toString("utf8"),
    skipsVerification: insecureSkipTLSVerify === true,
    isAvailable: fieldsList(fieldsOf(status)["conditions"]).some(
      (condition) => condition["type"] === "Available" && condition["status"] === "True",
    ),
  };
}

/** All of them. */
export function listApiServices(store: ApiServiceSource): readonly ApiService[] {
  return store.list(apiServiceSpace).map(readApiService);
}

/** The APIService of a group and version, where another server answers for it. */
export function findExtension(
  store: ApiServiceSource,
  group: string,
  version: string,
): ExtensionService | undefined {
  const object = store.get(apiServiceSpace, undefined, `${version}.${group}`);
  return object === undefined ? undefined : asExtension(readApiService(object));
}

/** All that other servers answer for. */
export function listExtensions(store: ApiServiceSource): readonly ExtensionService[] {
  return listApiServices(store).flatMap((service) => asExtension(service) ?? []);
}

/** The core group is served here whatever its APIService says. */
function asExtension(service: ApiService): ExtensionService | undefined {
  return service.service === undefined || service.group === "" ? undefined : (service as ExtensionService);
}
