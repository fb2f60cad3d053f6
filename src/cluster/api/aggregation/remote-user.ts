// The headers by which a front proxy says on whose behalf a request is made. Those that a client has sent never pass.
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
import type { ApiUser } from "../requests/users.ts";

/** What the headers are called; extension servers read the names in the ConfigMap that is published for them. */
export const remoteHeaders = {
  user: "X-Remote-User",
  uid: "X-Remote-Uid",
  group: "X-Remote-Group",
  extraPrefix: "X-Remote-Extra-",
} as const;

/** Who asks other servers what they serve. */
export const aggregatorUser: ApiUser = { name: "system:kube-aggregator", groups: ["system:masters"] };

/** Who asks other servers for their OpenAPI documents. */
export const documentsUser: ApiUser = { name: "system:aggregator", groups: [] };

/** Whether a header, in lower case, says who a user is. */
export function saysWhoAUserIs(header: string): boolean {
  return header === "authorization" || header.startsWith("x-remote-") || header.startsWith("impersonate-");
}

/** The headers of a user. */
export function headersOfUser({ name, uid, groups, extra = {} }: ApiUser): Record<string, string | string[]> {
  return {
    [remoteHeaders.user]: asHeader(name),
    ...(uid === undefined || uid === "" ? {} : { [remoteHeaders.uid]: asHeader(uid) }),
    ...(groups.length === 0 ? {} : { [remoteHeaders.group]: groups.map(asHeader) }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `${remoteHeaders.extraPrefix}${escapedKey(key)}`,
        values.map(asHeader),
      ]),
    ),
  };
}

/** Headers are bytes, one a character. */
function asHeader(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Bytes that the name of a header cannot have, and the percent sign, are written as in a URL. */
function escapedKey(key: string): string {
  return [...Buffer.from(key, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w!#$&'*+.^`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
