// In which order the items of a strategically merged list come: the patch's items in the patch's order,
// the live list's own items in their old order, interleaved by where the live list had them.
import { equal, fieldOf, isJsonObject } from "../../schema/json-value.ts";

/** How items of a list are distinguished: by a key, or by their whole value when there is none. */
export interface ItemIdentity {
  readonly mergeKey: string | undefined;
}

/** Whether two items are the same entry of a list. */
export function isSameItem({ mergeKey }: ItemIdentity, left: unknown, right: unknown): boolean {
  if (mergeKey === undefined) return equal(left, right);
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  return equal(fieldOf(left, mergeKey), fieldOf(right, mergeKey));
}

/** The merged items in the order that a patch and the live list ask for. */
export function orderItems(
  merged: readonly unknown[],
  orders: ItemIdentity & { readonly patchOrder: readonly unknown[]; readonly liveOrder: readonly unknown[] },
): unknown[] {
  const { patchOrder, liveOrder } = orders;
  const placeIn = (order: readonly unknown[], item: unknown): number =>
    order.findIndex((each) => isSameItem(orders, each, item));
  const byOrder = (order: readonly unknown[]) => (left: unknown, right: unknown) =>
    placeIn(order, left) - placeIn(order, right);
  const fromPatch = merged.filter((item) => placeIn(patchOrder, item) >= 0).sort(byOrder(patchOrder));
  const fromLive = merged.filter((item) => placeIn(patchOrder, item) < 0).sort(byOrder(liveOrder));
  const ordered: unknown[] = [];
  let next = 0;
  for (const item of fromPatch) {
    const place = placeIn(liveOrder, item);
    // What the live list had before this item comes before it; an item new to the live list waits for nothing.
    while (next < fromLive.length && isBefore(placeIn(liveOrder, fromLive[next]), place)) {
      ordered.push(fromLive[next]);
      next += 1;
    }
    ordered.push(item);
  }
  return [...ordered, ...fromLive.slice(next)];
}

function isBefore(left: number, right: number): boolean {
  return left >= 0 && left < right;
}
