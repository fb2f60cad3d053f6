// Whole lists in pages, so that ten thousand objects never stand in memory as one text.
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { isGone } from "./api-error.ts";
import type { KubeClient, ListScope, ObjectList, RequestOptions } from "./kube-client.ts";

/** Options of {@link listPages}. */
export interface PagingOptions extends ListScope, RequestOptions {
  /** Objects per page; default 500. */
  readonly limit?: number;
}

/** A page, and whether it is the first of a run. */
export interface Page<T extends KubeObject> extends ObjectList<T> {
  /** True on the first page, and again when the list had to be restarted: what was gathered before is void. */
  readonly first: boolean;
}

/** Restarts before the rest is asked for in one piece. */
const maxRestarts = 3;

/**
 * The pages of a list, one request each.
 *
 * When the server forgets the version that the pages belong to (410), the list is restarted; after three times it is asked
 * for in one piece, which cannot expire.
 *
 * **Errors**: as `client.list`. **RBAC**: `list`.
 */
export async function* listPages<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  { limit = 500, ...options }: PagingOptions = {},
): AsyncGenerator<Page<T>, void, undefined> {
  let token: string | undefined;
  let restarts = 0;
  for (;;) {
    let list: ObjectList<T>;
    try {
      list = await client.list(type, {
        ...options,
        ...(restarts > maxRestarts ? {} : { limit }),
        ...(token === undefined ? {} : { continue: token }),
      });
    } catch (error) {
      if (!isGone(error) || token === undefined) throw error;
      token = undefined;
      restarts += 1;
      continue;
    }
    yield { ...list, first: token === undefined };
    token = list.metadata.continue;
    if (token === undefined) return;
  }
}

/** The whole list, gathered page by page. **Errors**: as `client.list`. **RBAC**: `list`. */
export async function listAll<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  options: PagingOptions = {},
): Promise<ObjectList<T>> {
  let items: T[] = [];
  let resourceVersion = "";
  for await (const page of listPages(client, type, options)) {
    if (page.first) items = [];
    items.push(...page.items);
    ({ resourceVersion } = page.metadata);
  }
  return { metadata: { resourceVersion }, items };
}
