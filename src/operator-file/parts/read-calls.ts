// Calls of an application where it runs: over HTTP, and as commands in its containers.
import { Pod } from "../../kinds/builtin/core.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { Permission } from "../../meta/permission.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import { createHttpClient, type HttpCall } from "../../remote/http-client.ts";
import { isHttpError } from "../../remote/http-error.ts";
import { checkContainerName, checkNamespace, checkPodName } from "../checks/check-names.ts";
import { checkNamespaced } from "../checks/check-places.ts";
import type { CommandForm, HttpForm } from "../form/file-form.ts";
import { withSample } from "../expressions/template-text.ts";
import {
  compileName,
  compileTemplate,
  inside,
  type Render,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

/** One client for all files: it keeps connections open, and has no credentials. */
export const http = createHttpClient();

/** What running commands needs to be allowed. */
export const execPermissions: readonly Permission[] = [
  { type: Pod, subresource: "exec", verbs: ["get", "create"] },
];

/** An address that no service has, whatever its expressions say. */
function checkAddress(url: string, { reader, path }: TemplatePlace): void {
  const begins = url.trimStart().startsWith("${");
  const sample = withSample(url, (expression) => {
    // A name is no address; anything else may be the beginning of one, or a host, a port or a part of the path.
    return begins && !/^\s*metadata\.\w+\s*$/.test(expression) ? "http://1" : "1";
  });
  if (begins && sample.startsWith("http://1")) return;
  const isAddress = URL.canParse(sample) && /^https?:$/.test(new URL(sample).protocol);
  if (isAddress) return;
  reader.report({
    code: "ADDRESS_INVALID",
    path,
    message: `"${url}" is no address of a service`,
    remedy: "Write it whole: 'http://${ metadata.name }.${ metadata.namespace }.svc:8080/health'.",
  });
}

/** Compiles a call. */
export function compileHttp(form: HttpForm, place: TemplatePlace): Render<HttpCall> {
  checkAddress(form.url, inside(place, "url"));
  const url = compileName(form.url, inside(place, "url"));
  const headers = Object.entries(form.headers ?? {}).map(
    ([name, value]) => [name, compileName(value, inside(place, "headers", name))] as const,
  );
  const body = form.body === undefined ? undefined : compileTemplate(form.body, inside(place, "body"));
  const { method, timeout } = form;
  return (values) => ({
    url: url(values),
    ...(method === undefined ? {} : { method }),
    ...(headers.length === 0
      ? {}
      : { headers: Object.fromEntries(headers.map(([name, render]) => [name, render(values)])) }),
    ...(body === undefined ? {} : { body: body(values) }),
    ...(timeout === undefined ? {} : { timeout }),
  });
}

/** What a service answers, as a variable: `{ status, body }`, or `{ error }` with the status if there was one. */
export function httpRead(
  form: HttpForm,
  place: TemplatePlace,
): (context: HookContext<KubeObject>, values: Values) => Promise<unknown> {
  const call = compileHttp(form, place);
  return async ({ signal }, values) => {
    try {
      const { status, body } = await http.send({ ...call(values), signal });
      return { status, body: body ?? null };
    } catch (error: unknown) {
      signal.throwIfAborted();
      return isHttpError(error)
        ? { status: error.status, body: error.body ?? null, error: error.message }
        : { error: messageOf(error) };
    }
  };
}

/** A command in a container. */
export interface WrittenCommand {
  readonly pod: (
    context: Pick<HookContext<KubeObject>, "cr">,
    values: Values,
  ) => ObjectKey & { readonly container?: string };
  readonly command: Render<readonly string[]>;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Compiles the place of a command, and the command. */
export function compileCommand(form: CommandForm, place: TemplatePlace): WrittenCommand {
  checkPodName(form.pod, inside(place, "pod"));
  checkNamespaced(Pod, form.namespace, place);
  if (form.container !== undefined) checkContainerName(form.container, inside(place, "container"));
  if (form.namespace !== undefined) checkNamespace(form.namespace, inside(place, "namespace"));
  const name = compileName(form.pod, inside(place, "pod"));
  const namespace =
    form.namespace === undefined ? undefined : compileName(form.namespace, inside(place, "namespace"));
  const container =
    form.container === undefined ? undefined : compileName(form.container, inside(place, "container"));
  return {
    pod: ({ cr }, values) => {
      const where = namespace?.(values) ?? cr.metadata.namespace;
      return {
        name: name(values),
        ...(where === undefined ? {} : { namespace: where }),
        ...(container === undefined ? {} : { container: container(values) }),
      };
    },
    command: compileWords(form.command, inside(place, "command")),
    ...(form.timeout === undefined ? {} : { timeout: toMilliseconds(form.timeout) }),
  };
}

/** A program and its arguments. */
export function compileWords(words: readonly string[], place: TemplatePlace): Render<readonly string[]> {
  const renders = words.map((word, index) => compileName(word, inside(place, String(index))));
  return (values) => renders.map((render) => render(values));
}

/** What a command came to, as a variable: `{ exitCode, stdout, stderr }`, or `{ error }`. */
export function execRead(
  form: CommandForm,
  place: TemplatePlace,
): (context: HookContext<KubeObject>, values: Values) => Promise<unknown> {
  const { pod, command, timeout } = compileCommand(form, place);
  return async (context, values) => {
    const { client, signal } = context;
    const { container, ...key } = pod(context, values);
    try {
      const { exitCode, stdout, stderr } = await client.exec(key, {
        command: command(values),
        signal,
        ...(container === undefined ? {} : { container }),
        ...(timeout === undefined ? {} : { timeout }),
      });
      return { exitCode, stdout: stdout.toString().trimEnd(), stderr: stderr.toString().trimEnd() };
    } catch (error: unknown) {
      signal.throwIfAborted();
      return { error: messageOf(error) };
    }
  };
}
