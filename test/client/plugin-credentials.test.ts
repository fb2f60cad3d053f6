// What is quoted of a credential plugin that fails: enough to know what it needs, and no secret.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConnection } from "../../src/client/kube-config.ts";

/** The failure of a plugin with this script, which has a secret in its environment. */
async function failureOf(script: string): Promise<{ readonly message: string; readonly cause?: unknown }> {
  const folder = await mkdtemp(join(tmpdir(), "plugin-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "login"), `#!/bin/sh\n${script}\nexit 1\n`);
  await chmod(join(folder, "login"), 0o700);
  await writeFile(
    join(folder, "config"),
    `current-context: c
clusters: [{name: c, cluster: {server: "https://c"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users:
- name: u
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, env: [{name: SECRET_KEY, value: s3cret-of-env}]}}
`,
  );
  const connection = await loadConnection({ path: join(folder, "config"), env: {} });
  return connection.authenticate(0).then(
    () => expect.unreachable("it gave credentials"),
    (error: unknown) => error as Error,
  );
}

it("a plugin that fails is quoted: what it needs, without what it was given and what it speaks of", async () => {
  const failure = await failureOf(`
echo "token expired, run: login --again" >&2
echo "tried with $SECRET_KEY and Bearer eyJhbGciOiJ9.eyJpc3MiOiJ4In0.c2ln" >&2
echo 'got {"access_token":"abcdef-123"}' >&2
echo "a fourth line with more" >&2`);
  expect(failure).toMatchObject({ code: "CREDENTIALS_FAILED" });
  expect(failure.message).toContain(
    "token expired, run: login --again; tried with [redacted] and Bearer [redacted]; got",
  );
  expect(failure.cause).toBeUndefined();
  for (const secret of ["s3cret-of-env", "eyJ", "abcdef-123", "a fourth line"])
    expect(failure.message).not.toContain(secret);
});

it("a plugin that prints a page is not quoted whole, and one that prints nothing is said to", async () => {
  expect((await failureOf("head -c 100000 /dev/zero | tr '\\0' x >&2")).message.length).toBeLessThan(800);
  expect((await failureOf("true")).message).toMatch(/gave no credentials: it printed nothing$/);
});

it("a plugin that is not there is to be installed, as the kubeconfig says of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plugin-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const exec = `{apiVersion: client.authentication.k8s.io/v1, command: no-such-plugin, installHint: "get it at x, token=hunter22"}`;
  await writeFile(
    join(folder, "config"),
    `current-context: c
clusters: [{name: c, cluster: {server: "https://c"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {exec: ${exec}}}]
`,
  );
  const connection = await loadConnection({ path: join(folder, "config"), env: {} });
  await expect(connection.authenticate(0)).rejects.toMatchObject({
    code: "CREDENTIALS_FAILED",
    remedy:
      "Install the plugin where PATH finds it. The kubeconfig says of it: get it at x, token=[redacted]",
  });
});
