// Whose tokens they are, for whom, and for how long, as every API server says it: reviews, requests for tokens, and requests that come
// with them.
import { afterAll, beforeAll } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { adminTokenOf, createRawClient, type RawClient } from "./api-server/raw-request.ts";
import { declareAccessReviewCases } from "./tokens/access-review-cases.ts";
import { declareAudienceCases } from "./tokens/audience-cases.ts";
import { declareRequestCases } from "./tokens/request-cases.ts";
import { declareReviewCases } from "./tokens/review-cases.ts";
import { spaces, tokenSpace } from "./tokens/token-space.ts";

describeOnEachApiServer(
  "tokens",
  (server) => {
    let client: RawClient;
    beforeAll(async () => {
      client = createRawClient(server());
      const { send, account } = tokenSpace(() => client);
      await send("POST", spaces, { metadata: { name: "tokens" } });
      await account("user");
    });
    afterAll(() => client.close());

    declareAudienceCases(
      () => client,
      () => adminTokenOf(server().kubeconfig),
    );
    declareReviewCases(() => client);
    declareRequestCases(() => client);
    declareAccessReviewCases(() => client);
  },
  { embedded: { rbac: true, controllers: false }, real: { controllers: "none" } },
);
