// A client that notes every Secret that passes through it: what is read, what is watched, and what is written, also where
// the server refuses it.
import { layered, type ClientCall } from "../client/client-layers.ts";
import type { KubeClient } from "../client/kube-client.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { SecretKeeper } from "../ports/secret-keeper.ts";

const secretPath = /^\/api\/v1\/(?:namespaces\/[^/?]+\/)?secrets(?:[/?]|$)/;

/** The client, with all Secrets noted. */
export function notingSecrets(client: KubeClient, keeper: SecretKeeper): KubeClient {
  return layered(client, {
    place: "secrets",
    request: async (call, send) => {
      if (!isAboutSecrets(call)) return send(call);
      keeper.note(sentBy(call));
      const answer = await send(call);
      keeper.note(answer);
      return answer;
    },
    watch: (follow, type, options, receive) =>
      follow(
        type,
        options,
        isSecret(type)
          ? (event) => {
              if (event.type !== "BOOKMARK") keeper.note(event.object);
              return receive(event);
            }
          : receive,
      ),
  });
}

function isAboutSecrets(call: ClientCall): boolean {
  if (call.verb === "exec") return false;
  return call.verb === "request" ? secretPath.test(call.options.path) : isSecret(call.type);
}

function sentBy(call: ClientCall): unknown {
  if ("manifest" in call) return call.manifest;
  if ("patch" in call) return call.patch.body;
  return call.verb === "request" ? call.options.body : undefined;
}

function isSecret({ group, kind }: ResourceType): boolean {
  return group === "" && kind === "Secret";
}
