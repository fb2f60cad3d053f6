// Who may read /metrics over TLS: whoever the API server knows by a bearer token and allows to `get` the path, as Kubernetes'
// own components ask. https://kubernetes.io/docs/reference/access-authn-authz/authorization/#non-resource-url
import { createHash } from "node:crypto";
import type { KubeClient } from "../client/kube-client.ts";
import { BoundedMap } from "../collections/bounded-map.ts";
import { monotonicNow, type Clock } from "../ports/clock.ts";

/** What is answered to whoever asks. */
export type Verdict = "allowed" | "unauthenticated" | "forbidden" | "unknown";

/** Options of {@link createMetricsAccess}. */
export interface MetricsAccessOptions {
  /** Undefined as long as there is no connection to the API server: then nobody can be judged. */
  readonly client: () => KubeClient | undefined;
  readonly clock: Clock;
}

/** Milliseconds for which a verdict is remembered: as long as an API server remembers that of a webhook which refuses. */
const remembered = 10_000;
/** Tokens whose verdicts are remembered, by their digest. */
const mostTokens = 100;
/** Milliseconds that each review may take. */
const timeout = 5_000;

/**
 * Judges the `Authorization` header of a request for a path.
 *
 * **RBAC**: `create` on `tokenreviews.authentication.k8s.io` and `subjectaccessreviews.authorization.k8s.io`; whoever reads
 * needs `get` on the non-resource URL.
 * **Errors**: what the client rejects with.
 */
export function createMetricsAccess({ client, clock }: MetricsAccessOptions) {
  const verdicts = new BoundedMap<string, { readonly verdict: Verdict; readonly until: number }>(mostTokens);

  return async (authorization: string | undefined, path: string): Promise<Verdict> => {
    const [, token] = /^Bearer +([\w+/=.~-]{1,16384})$/i.exec(authorization ?? "") ?? [];
    if (token === undefined) return "unauthenticated";
    const digest = createHash("sha256").update(`${path} ${token}`).digest("hex");
    const known = verdicts.get(digest);
    if (known !== undefined && monotonicNow(clock) < known.until) return known.verdict;
    const server = client();
    if (server === undefined) return "unknown";
    const verdict = await judge(server, token, path);
    verdicts.set(digest, { verdict, until: monotonicNow(clock) + remembered });
    return verdict;
  };
}

/** A user, as a TokenReview says and a SubjectAccessReview asks. */
interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

async function judge(client: KubeClient, token: string, path: string): Promise<Verdict> {
  const review = async <T>(group: string, kind: string, plural: string, spec: object): Promise<T> => {
    const body = { apiVersion: `${group}/v1`, kind, spec };
    const answer = await client.request({
      method: "POST",
      path: `/apis/${group}/v1/${plural}`,
      body,
      timeout,
    });
    return (answer as { readonly status?: T }).status ?? ({} as T);
  };
  const { authenticated, user = {} } = await review<{ authenticated?: boolean; user?: ReviewedUser }>(
    "authentication.k8s.io",
    "TokenReview",
    "tokenreviews",
    { token },
  );
  if (authenticated !== true) return "unauthenticated";
  const { username, uid, groups, extra } = user;
  const { allowed } = await review<{ allowed?: boolean }>(
    "authorization.k8s.io",
    "SubjectAccessReview",
    "subjectaccessreviews",
    { user: username, uid, groups, extra, nonResourceAttributes: { path, verb: "get" } },
  );
  return allowed === true ? "allowed" : "forbidden";
}
