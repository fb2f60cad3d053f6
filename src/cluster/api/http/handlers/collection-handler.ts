// Requests for a collection: list, watch, create, delete all.
import { parseListQuery } from "../../options/list-options.ts";
import { methodNotAllowed } from "../../status-error.ts";
import { createObject } from "../../verbs/create.ts";
import { deleteCollection } from "../../verbs/delete-collection.ts";
import { listObjects, selectionOf } from "../../verbs/list.ts";
import type { ObjectRequest } from "../../verbs/object-request.ts";
import { carryOut, readOut } from "../../verbs/carry-out.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { chooseStreamRepresentation } from "../../requests/media-type.ts";
import { readDeleteOptions, readObjectWrite } from "../read-write.ts";
import { answerBody, answerObject } from "../ready-answer.ts";
import { representList } from "../represent.ts";
import { PathNotServed, type ResourceServices } from "../resource-services.ts";
import { startWatch } from "../watch-response.ts";
import { runWrite } from "../write-gate.ts";

/** Answers a request for a collection. `watchPrefix`: the path says that it is a watch. Errors: StatusError. */
export async function handleCollection(
  { core, writes, faults }: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
  watchPrefix: boolean,
): Promise<void> {
  const { type } = request;
  switch (exchange.method) {
    case "GET": {
      const query = parseListQuery(exchange.query, watchPrefix);
      if (query.watch) {
        const representation = chooseStreamRepresentation(exchange.request.headers.accept, type.custom);
        startWatch({ core, faults: faults.watches }, exchange, request, query, representation);
        return;
      }
      const listed = readOut(request, () =>
        listObjects({ store: faults.reads.storeFor(exchange) }, request, query),
      );
      const page = listed instanceof Promise ? await listed : listed;
      answerBody(exchange, request, 200, representList(exchange, type, page, core.clock.now())).send();
      return;
    }
    case "POST": {
      assertOfOneNamespace(request);
      const write = await readObjectWrite(exchange, request, "CreateOptions");
      await runWrite(writes, exchange, "create", () =>
        carryOut(core, write.request, (run) =>
          answerObject(run, exchange, request, 201, createObject(run, write.request, write.incoming)),
        ),
      );
      return;
    }
    case "DELETE": {
      assertOfOneNamespace(request);
      // Each goes by itself.
      if (type.storageKey === "namespaces") throw methodNotAllowed();
      const selection = parseListQuery(exchange.query, false);
      // What is wrong with the selection is said before what is wrong with the deletion.
      selectionOf(request, selection);
      const options = await readDeleteOptions(exchange);
      await runWrite(writes, exchange, "deletecollection", async () => {
        const page = await deleteCollection(core, request, selection, options);
        return answerBody(exchange, request, 200, representList(exchange, type, page, core.clock.now()));
      });
      return;
    }
    default:
      throw methodNotAllowed();
  }
}

/** The objects of all namespaces are only read at once. Errors: 405; of custom resources PathNotServed. */
function assertOfOneNamespace({ type, namespace }: ObjectRequest): void {
  if (!type.namespaced || namespace !== "") return;
  if (type.custom) throw new PathNotServed();
  throw methodNotAllowed();
}
