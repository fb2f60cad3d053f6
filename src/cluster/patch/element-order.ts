// In which order the items of a strategically merged list come: the patch's items in the patch's order,
// the live list's own items in their old order, interleaved by where the live list had them. Lists may be long: an item is looked up, not
// searched for.
import { canonicalJson, fieldOf, isJsonObject } from "../../schema/json-value.ts";

/** How items of a list are distinguished: by a key, or by their whole value when there is none. */
export interface ItemIdentity {
  readonly mergeKey: string | undefined;
}

/** What all items that are the same entry of a list have in common; undefined is the same as nothing. */
export function identityOf({ mergeKey }: ItemIdentity, item: unknown): string | undefined {
  if (mergeKey === undefined) return canonicalJson(item);
  if (!isJsonObject(item)) return undefined;
  const key = fieldOf(item, mergeKey);
  return key === undefined ? "" : canonicalJson(key);
}

/** Where each entry stands first in a list. */
export function placesOf(identity: ItemIdentity, items: readonly unknown[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, item] of items.entries()) {
    const known = identityOf(identity, item);
    if (known !== undefined && !places.has(known)) places.set(known, place);
  }
  return places;
}

/** The merged items in the order that a patch and the live list ask for. */
export function orderItems(
  merged: readonly unknown[],
  orders: ItemIdentity & { readonly patchOrder: readonly unknown[]; readonly liveOrder: readonly unknown[] },
): unknown[] {
  const [patchPlaces, livePlaces] = [placesOf(orders, orders.patchOrder), placesOf(orders, orders.liveOrder)];
  const placed = merged.map((item) => {
    const known = identityOf(orders, item);
    const placeIn = (places: ReadonlyMap<string, number>): number =>
      known === undefined ? -1 : (places.get(known) ?? -1);
    return { item, inPatch: placeIn(patchPlaces), inLive: placeIn(livePlaces) };
  });
  const fromPatch = placed.filter(({ inPatch }) => inPatch >= 0).sort((a, b) => a.inPatch - b.inPatch);
  const fromLive = placed.filter(({ inPatch }) => inPatch < 0).sort((a, b) => a.inLive - b.inLive);
  const ordered: unknown[] = [];
  let next = 0;
  for (const { item, inLive } of fromPatch) {
    // What the live list had before this item comes before it; an item new to the live list waits for nothing.
    for (; next < fromLive.length; next += 1) {
      const waiting = fromLive[next];
      if (waiting === undefined || waiting.inLive < 0 || waiting.inLive >= inLive) break;
      ordered.push(waiting.item);
    }
    ordered.push(item);
  }
  return [...ordered, ...fromLive.slice(next).map((each) => each.item)];
}
