// A client that tells of every Secret that passes through it: what is read, what is watched, and what is written, also where
// the server refuses it.
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { SecretKeeper } from "../ports/secret-keeper.ts";

const secretPath = /^\/api\/v1\/(?:namespaces\/[^/?]+\/)?secrets(?:[/?]|$)/;

/** The client, with all Secrets noted. */
export function notingSecrets(client: KubeClient, keeper: SecretKeeper): KubeClient {
  const note = (secret: unknown): void => keeper.note(secret);
  const answer = async <T>(type: ResourceType, sent: unknown, send: () => Promise<T>): Promise<T> => {
    if (!isSecret(type)) return send();
    note(sent);
    const answered = await send();
    note(answered);
    return answered;
  };
  return {
    server: client.server,
    get: (type, key, options) => answer(type, undefined, () => client.get(type, key, options)),
    list: (type, options) => answer(type, undefined, () => client.list(type, options)),
    watch: (type, options) => {
      const events = client.watch(type, options);
      return isSecret(type) ? noted(events, note) : events;
    },
    create: (type, manifest, options) => answer(type, manifest, () => client.create(type, manifest, options)),
    update: (type, manifest, options) => answer(type, manifest, () => client.update(type, manifest, options)),
    patch: (type, key, patch, options) =>
      answer(type, patch.body, () => client.patch(type, key, patch, options)),
    apply: (type, manifest, options) => answer(type, manifest, () => client.apply(type, manifest, options)),
    delete: (type, key, options) => answer(type, undefined, () => client.delete(type, key, options)),
    request: async (request) => {
      if (!secretPath.test(request.path)) return client.request(request);
      note(request.body);
      const answered = await client.request(request);
      note(answered);
      return answered;
    },
    close: () => client.close(),
  };
}

async function* noted<T extends { readonly type: string; readonly object?: KubeObject }>(
  events: AsyncIterable<T>,
  note: (secret: unknown) => void,
): AsyncGenerator<T> {
  for await (const event of events) {
    note(event.object);
    yield event;
  }
}

function isSecret({ group, kind }: ResourceType): boolean {
  return group === "" && kind === "Secret";
}
