// What a client without a token may do: ask for health and version, nothing else.
import { StatusError } from "../status-error.ts";
import type { TypeRegistry } from "../type-registry.ts";
import type { Exchange } from "../requests/exchange.ts";
import type { ResourcePath } from "../requests/request-path.ts";
import { httpVerbOf } from "../requests/request-verb.ts";
import { anonymousUser } from "../requests/users.ts";

const open = new Set(["/healthz", "/livez", "/readyz", "/version"]);

/** Refuses a request without a token, in the words of an authorizer. Errors: 403. */
export function assertNotAnonymous(
  registry: TypeRegistry,
  exchange: Exchange,
  path: ResourcePath | undefined,
): void {
  if (exchange.user !== anonymousUser || open.has(exchange.path)) return;
  const user = JSON.stringify(anonymousUser.name);
  if (path?.plural === undefined) {
    const message = `forbidden: User ${user} cannot ${exchange.method.toLowerCase()} path ${JSON.stringify(exchange.path)}`;
    throw new StatusError(403, "Forbidden", message, {});
  }
  const { group, version, plural, name, namespace, subresource } = path;
  const qualified = group === "" ? plural : `${plural}.${group}`;
  const subject = name === undefined ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const isNamespaced = registry.find(group, version, plural)?.namespaced ?? namespace !== "";
  const scope =
    isNamespaced && namespace !== ""
      ? `in the namespace ${JSON.stringify(namespace)}`
      : "at the cluster scope";
  const verb = httpVerbOf(
    exchange.method,
    name !== undefined,
    name === undefined && exchange.query.has("watch"),
  );
  throw new StatusError(
    403,
    "Forbidden",
    `${subject} is forbidden: User ${user} cannot ${verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}`,
    { ...(name === undefined ? {} : { name }), ...(group === "" ? {} : { group }), kind: plural },
  );
}
