// The conformance suite of the API server: the real one is right, the embedded one imitates it.
import { afterAll, beforeAll, describe } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { declareBuiltinCases } from "./api-server/builtin-cases.ts";
import { declareCustomCases } from "./api-server/custom-cases.ts";
import { declareBuiltInCases } from "./api-server/built-in-cases.ts";
import { declareCustomColumnCases } from "./api-server/custom-column-cases.ts";
import { declareCustomValueCases } from "./api-server/custom-value-cases.ts";
import { declareDeletionCases } from "./api-server/deletion-cases.ts";
import { declareEventCases } from "./api-server/event-cases.ts";
import { declareFormCases } from "./api-server/form-cases.ts";
import { declareGivenVersionCases } from "./api-server/given-version-cases.ts";
import { declareHostileCases } from "./api-server/hostile-cases.ts";
import { declareLargeObjectCases } from "./api-server/large-object-cases.ts";
import { declareKindCases } from "./api-server/kind-cases.ts";
import { declareKindChangeCases } from "./api-server/kind-change-cases.ts";
import { declareNodeCases } from "./api-server/node-cases.ts";
import { declareOwnerCases } from "./api-server/owner-cases.ts";
import { declarePatternCases } from "./api-server/pattern-cases.ts";
import { declarePodTableCases } from "./api-server/pod-table-cases.ts";
import { declarePodWarningCases } from "./api-server/pod-warning-cases.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";
import { declareReadCases } from "./api-server/read-cases.ts";
import { declareSaidCases } from "./api-server/said-cases.ts";
import { declareSelectorCases } from "./api-server/selector-cases.ts";
import { declareServedTypes } from "./api-server/served-types.ts";
import { declareStoredFormCases } from "./api-server/stored-form-cases.ts";
import { declareSubresourceCases } from "./api-server/subresource-cases.ts";
import { declareTableCases } from "./api-server/table-cases.ts";
import { declareUnreadableValueCases } from "./api-server/unreadable-value-cases.ts";
import { declareVersionOwnerCases } from "./api-server/version-owner-cases.ts";
import { declareWebSocketCases } from "./api-server/web-socket-cases.ts";
import { declareWrongObjectCases } from "./api-server/wrong-object-cases.ts";
import { declareWriteCases } from "./api-server/write-cases.ts";

describeOnEachApiServer(
  "the API",
  (server) => {
    let client: RawClient;
    beforeAll(() => {
      client = createRawClient(server());
    });
    afterAll(() => client.close());
    describe("writing", () => declareWriteCases(() => client));
    describe("reading", () => declareReadCases(() => client));
    describe("field selectors", () => declareSelectorCases(() => client));
    describe("discovery", () => declareServedTypes(server, () => client));
    describe("wrong objects of its own types", () => declareBuiltInCases(() => client));
    describe("more wrong objects of its own types", () => declareWrongObjectCases(server, () => client));
    describe("forms of requests and answers", () => declareFormCases(() => client));
    describe("large objects", () => declareLargeObjectCases(() => client));
    describe("versions that writes name", () => declareGivenVersionCases(() => client));
    describe("hostile requests", () => declareHostileCases(() => client));
    describe("watching by WebSocket", () => declareWebSocketCases(server, () => client));
    describe("Kubernetes' own kinds", () => declareBuiltinCases(server, () => client));
    describe("kinds that it keeps", () => declareKindCases(() => client));
    describe("patterns", () => declarePatternCases(() => client));
    describe("owners of fields", () => declareOwnerCases(() => client));
    describe("owners of fields of one version", () => declareVersionOwnerCases(() => client));
    describe("what is stored and read", () => declareStoredFormCases(() => client));
    describe("what is written to subresources", () => declareSubresourceCases(() => client));
    describe("what is said of a write", () => declareSaidCases(() => client));
    describe("tables of pods", () => declarePodTableCases(() => client));
    describe("tables of other kinds", () => declareTableCases(() => client));
    describe("what is said of pods", () => declarePodWarningCases(() => client));
    describe("changes of Kubernetes' own kinds", () => declareKindChangeCases(() => client));
    describe("Events", () => declareEventCases(() => client));
    describe("deletions", () => declareDeletionCases(() => client));
    describe("nodes", () => declareNodeCases(() => client));
    describe("custom resources", () => declareCustomCases(() => client));
    describe("columns of custom resources", () => declareCustomColumnCases(() => client));
    describe("values that cannot be read", () => declareUnreadableValueCases(() => client));
    describe("values of custom resources", () => declareCustomValueCases(() => client));
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
