// What no client should send: bodies that are none, other kinds and names, paths and parameters that are not there.
import type { Drawing } from "./drawing.ts";
import { objectOf, type Operation, type Place } from "./operation.ts";
import { collectionOf, withValue, type Fields } from "./random-kind.ts";

/** One of the requests. */
export function drawOddRequest(draw: Drawing, place: Place): Operation {
  const { kind, namespace } = place;
  const collection = collectionOf(kind, namespace);
  const object = objectOf(place);
  const body = draw.object(place, 1);
  if (kind.isCustom !== true && draw.chance(0.1)) {
    return draw.pick<() => Operation>([
      () => ({ method: "PUT", path: object, kind, body: withValue(body, ["kind"], "Other"), object }),
      () => ({ method: "PUT", path: collection, kind, body }),
      () => ({ method: "POST", path: object, kind, body }),
      () => ({ method: "GET", path: `${object}/nothing`, kind, object }),
    ])();
  }
  const post = (sent: unknown, more: Partial<Operation> = {}): Operation => ({
    method: "POST",
    path: collection,
    kind,
    body: sent,
    ...more,
  });
  const put = (sent: unknown): Operation => ({ method: "PUT", path: object, kind, body: sent, object });
  const patch = (sent: unknown, type: string, query = ""): Operation => ({
    method: "PATCH",
    path: object + query,
    kind,
    body: sent,
    contentType: `application/${type}`,
    object,
  });
  const remove = (sent: unknown): Operation => ({ method: "DELETE", path: object, kind, body: sent, object });
  const named = (name: string | undefined): Fields => withValue(body, ["metadata", "name"], name) as Fields;
  const [merge, json] = ["merge-patch+json", "json-patch+json"] as const;
  return draw.pick<Operation>([
    post("{"),
    post(""),
    post([]),
    post({ ...body, kind: "Other" }),
    post({ ...body, apiVersion: "other/v1" }),
    post(withValue(body, ["kind"], undefined)),
    post(named(undefined)),
    post(named("A_b")),
    post(body, { contentType: "text/plain" }),
    post(body, { path: `${collection}?fieldValidation=x` }),
    post(body, { path: `${collection}?dryRun=x` }),
    post(body, { path: `${collection}?fieldManager=${"m".repeat(129)}` }),
    put(named("other")),
    put(named(undefined)),
    patch("x", merge),
    patch([], merge),
    patch({}, "json"),
    patch({ metadata: { name: "other" } }, merge),
    patch({ kind: "Other" }, merge),
    patch({ spec: "x", data: "y" }, merge),
    patch({ op: "add" }, json),
    patch([{ op: "x", path: "/a" }], json),
    patch({}, merge, "?force=true"),
    remove("{"),
    remove({ kind: "Other", apiVersion: "v1" }),
    { method: "GET", path: `${collection}?continue=x`, kind },
  ]);
}
