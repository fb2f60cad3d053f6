// Objects of a CRD between its storage version and one that is served: pruned to what each declares, converted by the definition's
// strategy. What a webhook has converted is remembered as long as the stored object lives.
import { applyDefaults } from "../../../schema/apply-defaults.ts";
import { equal } from "../../../schema/json-value.ts";
import { prune } from "../../../schema/prune.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { answerTo } from "../awaited-answers.ts";
import type { ApiObject } from "../api-object.ts";
import type { ServedType, VersionConversion } from "../served-type.ts";
import type { ServiceSource } from "../service-endpoint.ts";
import { convertByWebhook } from "./conversion-webhook.ts";

/** What a conversion has to know of a version. */
export interface ConvertedVersion {
  readonly apiVersion: string;
  readonly schema: StructuralSchema;
}

/** What it needs for its work. */
export interface ConversionOptions {
  readonly served: ConvertedVersion;
  readonly stored: ConvertedVersion;
  /** Whether a webhook converts; else the strategy is None. */
  readonly byWebhook: boolean;
  /** Where the webhook is now: a request that is carried out again, as its object changes, may take longer than a rollout. */
  readonly clientConfig: () => unknown;
  readonly source: ServiceSource;
  /** The revision at which the definition became what it is: what was stored later in this version fits its schema. */
  readonly since: number;
}

/** The part of a served type that is about its versions. */
export function versionConversion({
  served,
  stored,
  byWebhook,
  clientConfig,
  source,
  since,
}: ConversionOptions): Pick<ServedType, "fromStorage" | "toStorage" | "isConverted" | "conversion"> {
  const read = new WeakMap<ApiObject, ApiObject>();
  const isSame = served.apiVersion === stored.apiVersion;

  const fitted = (
    object: ApiObject,
    { schema, apiVersion }: ConvertedVersion,
    pruned: boolean,
  ): ApiObject => {
    const shaped = pruned ? object : (prune(schema, object).value as ApiObject);
    return { ...(applyDefaults(schema, shaped) as ApiObject), apiVersion };
  };
  const remember = (object: ApiObject, as: ApiObject): ApiObject => {
    read.set(object, as);
    return as;
  };
  /** A stored object in this version, without what a webhook would have to do. */
  const asServed = (object: ApiObject): ApiObject => {
    const isOwn = object.apiVersion === served.apiVersion;
    const fits = Number(object.metadata.resourceVersion) > since;
    if (!isOwn) {
      // Defaults are those of the version in which it is stored; what another version adds of its own is set by writes alone.
      const completed = object.apiVersion === stored.apiVersion ? fitted(object, stored, fits) : object;
      const converted = {
        ...(prune(served.schema, completed).value as ApiObject),
        apiVersion: served.apiVersion,
      };
      return remember(object, converted);
    }
    const as = fitted(object, served, fits);
    return remember(object, equal(as, object) ? object : as);
  };
  const needsWebhook = (object: ApiObject): boolean =>
    byWebhook && object.apiVersion !== served.apiVersion && !read.has(object);
  /** Asks for objects that were all stored in one version. */
  const ask = (objects: readonly ApiObject[]): Promise<readonly ApiObject[]> =>
    convertByWebhook(source, clientConfig(), objects, served.apiVersion);
  const byVersion = (objects: readonly ApiObject[]): readonly (readonly ApiObject[])[] => [
    ...Map.groupBy(objects.filter(needsWebhook), ({ apiVersion }) => apiVersion).values(),
  ];
  const accept = (objects: readonly ApiObject[], converted: readonly ApiObject[]): void => {
    objects.forEach((object, index) => {
      const answer = converted[index];
      if (answer !== undefined) remember(object, fitted(answer, served, false));
    });
  };
  const askNow = (objects: readonly ApiObject[]): void => {
    for (const group of byVersion(objects)) {
      accept(
        group,
        answerTo(`to ${served.apiVersion} ${JSON.stringify(group)}`, () => ask(group)),
      );
    }
  };
  const conversion: VersionConversion = {
    askNow,
    isReady: (objects) => !objects.some(needsWebhook),
    async prepare(objects) {
      for (const group of byVersion(objects)) accept(group, await ask(group));
    },
    remember(object, as) {
      const { resourceVersion } = object.metadata;
      const metadata = { ...as.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      remember(object, { ...as, metadata });
    },
  };
  return {
    isConverted: !isSame,
    fromStorage(object) {
      const known = read.get(object);
      if (known !== undefined) return known;
      if (!needsWebhook(object)) return asServed(object);
      askNow([object]);
      return read.get(object) ?? asServed(object);
    },
    toStorage(object) {
      if (isSame) return { ...object, apiVersion: stored.apiVersion };
      if (!byWebhook) return fitted(object, stored, false);
      const [converted] = answerTo(`to ${stored.apiVersion} ${JSON.stringify(object)}`, () =>
        convertByWebhook(source, clientConfig(), [object], stored.apiVersion),
      );
      return fitted(converted ?? object, stored, false);
    },
    ...(byWebhook ? { conversion } : {}),
  };
}
