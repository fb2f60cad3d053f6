// Paths that name no resource: which methods they take, of which type their texts are, and when they are compressed.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";

const methods = ["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

describeOnEachApiServer("a path that names no resource", (server) => {
  let client: RawClient;
  beforeAll(() => {
    client = createRawClient(server());
  });
  afterAll(() => client.close());

  it.each([
    ["/", 200],
    ["/apis", 200],
    ["/apis/apps", 200],
    ["/openapi/v2", 200],
    ["/healthz", 200],
    ["/nope", 404],
  ])("%s is answered alike whatever the method", async (path, status) => {
    for (const method of methods) {
      expect([method, (await client.send(method, path)).status]).toEqual([method, status]);
    }
  });

  it.each(["/api", "/api/v1", "/apis/apps/v1", "/version"])("%s takes GET alone", async (path) => {
    for (const method of methods) {
      const { status } = await client.send(method, path);
      expect([method, status]).toEqual([method, method === "GET" ? 200 : 405]);
    }
  });

  it("says which versions it is and is like", async () => {
    const { body } = await client.send("GET", "/version");
    const { emulationMajor, emulationMinor, major, minor, minCompatibilityMajor, minCompatibilityMinor } =
      body as Record<string, string>;
    expect([major, minor, emulationMajor, emulationMinor]).toEqual(["1", "36", "1", "36"]);
    expect([minCompatibilityMajor, minCompatibilityMinor]).toEqual(["1", "35"]);
  });

  it.each(["/healthz", "/livez", "/readyz?verbose", "/nope"])("%s is a text", async (path) => {
    expect((await client.send("GET", path)).headers["content-type"]).toBe("text/plain; charset=utf-8");
  });

  it.each([
    ["gzip", "gzip"],
    ["deflate, gzip;q=0.5", "gzip"],
    ["gzip;q=0", undefined],
    ["identity", undefined],
  ])("is compressed for %s as %s", async (accepted, encoding) => {
    const headers = { "accept-encoding": accepted };
    const answer = await client.send("GET", "/openapi/v2", undefined, { headers });
    expect(answer.headers["content-encoding"]).toBe(encoding);
  });
});
