// How long tokens of service accounts are of use, in time that a test drives; in the words of kube-apiserver.
import { describe, expect, it } from "vitest";
import { AccountTokens } from "../../../../src/cluster/api/access/account-tokens.ts";
import type { ApiObject } from "../../../../src/cluster/api/api-object.ts";
import { apiAudience } from "../../../../src/cluster/api/requests/users.ts";
import { createVirtualClock } from "../../../../src/testing/virtual-clock.ts";

const minute = 60_000;

describe("the tokens of service accounts", () => {
  const clock = createVirtualClock();
  const objects = new Map<string, ApiObject>();
  const put = (space: string, name: string, deletionTimestamp?: string): void => {
    const metadata = {
      name,
      uid: `uid of ${name}`,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    };
    objects.set(`${space}/${name}`, { apiVersion: "v1", kind: "Any", metadata });
  };
  const tokens = new AccountTokens({ get: (space, _, name) => objects.get(`${space}/${name}`) }, clock);
  const issue = (): string => {
    put("serviceaccounts", "a");
    put("secrets", "s");
    return tokens.issue({
      namespace: "n",
      name: "a",
      uid: "uid of a",
      audiences: [apiAudience],
      expirationSeconds: 600,
      bound: { space: "secrets", name: "s", uid: "uid of s" },
    });
  };
  const failure = (token: string): string | undefined => {
    const read = tokens.readToken(token, [apiAudience]);
    return read !== undefined && "failure" in read ? read.failure : undefined;
  };

  it("are of use a minute beyond their end, as clocks differ", async () => {
    const token = issue();
    await clock.advance(11 * minute);
    expect(failure(token)).toBe(undefined);
    await clock.advance(1);
    expect(failure(token)).toBe("service account token has expired");
  });

  it.each([
    ["secrets", "s", "service account token has been invalidated"],
    ["serviceaccounts", "a", "service account n/a has been deleted"],
  ])("are of use a minute after the deletion was asked for of what is in %s", async (space, name, words) => {
    const token = issue();
    put(space, name, new Date(clock.now()).toISOString());
    await clock.advance(minute);
    expect(failure(token)).toBe(undefined);
    await clock.advance(1);
    expect(failure(token)).toBe(words);
  });
});
