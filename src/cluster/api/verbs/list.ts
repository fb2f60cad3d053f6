// GET on a collection: one page of the objects that the selectors choose, of now or of an earlier revision.
import type { ApiObject } from "../api-object.ts";
import type { ListQuery } from "../options/list-options.ts";
import { matchesFields, parseFieldSelector, selectedName } from "../selectors/field-selector.ts";
import { matchesLabels } from "../selectors/label-selector.ts";
import { parseLabelSelector } from "../selectors/parse-label-selector.ts";
import { badRequest, expired, StatusError } from "../status-error.ts";
import { tooOld, type ObjectStore } from "../storage/object-store.ts";
import type { ObjectRequest } from "./object-request.ts";

/** Ends the name of the last object of a page, so that the next one starts after it. */
const terminator = "\u0000";

/** What lists read from. */
export interface ReadableCore {
  readonly store: Pick<ObjectStore, "revision" | "listAt">;
}

/** One page. */
export interface ObjectPage {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Whether an object is in the scope of a list or watch. */
export type Selection = (object: ApiObject) => boolean;

/** The selection of namespace, name and selectors. Errors: 400, also for a selector that does not leave the one name that was asked for. */
export function selectionOf(
  { type, namespace, name }: Pick<ObjectRequest, "type" | "namespace" | "name">,
  query: Pick<ListQuery, "labelSelector" | "fieldSelector">,
): Selection {
  const labels = parseLabelSelector(query.labelSelector);
  const fields = parseFieldSelector(query.fieldSelector, type);
  if (name !== "" && fields.length > 0 && selectedName(query.fieldSelector) !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return (object) =>
    (namespace === "" || object.metadata.namespace === namespace) &&
    (name === "" || object.metadata.name === name) &&
    (labels.length === 0 || matchesLabels(labels, object.metadata.labels)) &&
    (fields.length === 0 || matchesFields(fields, object));
}

/** Reads one page. Errors: 400; 410 when the revision is no longer known; 504 when it lies in the future. */
export function listObjects(core: ReadableCore, request: ObjectRequest, query: ListQuery): ObjectPage {
  const { type } = request;
  const selection = selectionOf(request, query);
  const start = query.continue === "" ? undefined : readContinue(query.continue);
  const revision = revisionOf(core, query, start?.revision);
  const all = core.store.listAt(type.storageKey, revision);
  if (all === tooOld) throw tooOldError(start?.after);
  const hasSelector = query.labelSelector !== "" || query.fieldSelector !== "";
  const following = all.filter((object) => start === undefined || positionOf(object) > start.after);
  type.conversion?.askNow(following);
  const selected = following.map((object) => type.fromStorage(object)).filter(selection);
  const limit = query.resourceVersion === 0 ? 0 : query.limit;
  if (limit <= 0 || selected.length <= limit) {
    return { items: selected, resourceVersion: String(revision) };
  }
  const items = selected.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    resourceVersion: String(revision),
    continue: writeContinue(revision, last === undefined ? "" : positionOf(last)),
    ...(hasSelector ? {} : { remainingItemCount: selected.length - limit }),
  };
}

/** Refuses a revision that has not happened yet. Errors: 504. */
export function assertNotFuture(core: ReadableCore, revision: number | undefined): void {
  if (revision === undefined || revision <= core.store.revision) return;
  throw new StatusError(
    504,
    "Timeout",
    `Timeout: Too large resource version: ${revision}, current: ${core.store.revision}`,
    {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  );
}

function revisionOf(core: ReadableCore, query: ListQuery, continued: number | undefined): number {
  if (continued !== undefined) return continued < 0 ? core.store.revision : continued;
  assertNotFuture(core, query.resourceVersion);
  const { resourceVersion, resourceVersionMatch, limit } = query;
  const isExact = resourceVersionMatch === "Exact" || (resourceVersionMatch === "" && limit > 0);
  return isExact && resourceVersion !== undefined && resourceVersion > 0
    ? resourceVersion
    : core.store.revision;
}

function tooOldError(after: string | undefined): StatusError {
  if (after === undefined) return expired("The resourceVersion for the provided list is too old.");
  // The token of the remainder starts where the expired one did, at whatever is newest then.
  return expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    { continue: writeContinue(-1, after) },
  );
}

function positionOf(object: ApiObject): string {
  const { namespace, name } = object.metadata;
  return `${namespace ?? ""}/${name}`;
}

function writeContinue(revision: number, after: string): string {
  const token = { v: "meta.k8s.io/v1", rv: revision, start: `${after}${terminator}` };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

function readContinue(text: string): { readonly revision: number; readonly after: string } {
  let token: unknown;
  const stray = text.search(/[^\w-]/);
  if (stray >= 0 || text.length % 4 === 1) {
    const at = stray >= 0 ? stray : text.length - 1;
    throw badRequest(
      `invalid continue token: continue key is not valid: illegal base64 data at input byte ${at}`,
    );
  }
  try {
    token = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    throw badRequest(
      "invalid continue token: continue key is not valid: invalid character looking for beginning of value",
    );
  }
  const { rv, start } = token as { rv?: unknown; start?: unknown };
  if (typeof rv !== "number" || typeof start !== "string") {
    throw badRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  }
  return { revision: rv, after: start.endsWith(terminator) ? start.slice(0, -1) : start };
}
