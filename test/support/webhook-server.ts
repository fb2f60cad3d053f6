// A webhook of the test's own: a server on loopback over TLS that records what it is asked and answers as it is told.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServerCertificate, type SignedCertificate } from "../../src/cluster/api/http/tls.ts";

/** JSON whose fields are read by name. */
export type Json = Record<string, unknown>;

/** One request that the webhook received. */
export interface AskedRequest {
  /** With the query. */
  readonly path: string;
  readonly review: Json;
}

/** A body to be sent as it is, in place of a review. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
  /** Where the answer is to be found instead. */
  readonly location?: string;
}

/** What is answered: a review, a plain body, or nothing at all. */
export type Answering = (
  asked: AskedRequest,
) => Promise<Json | PlainAnswer | "nothing"> | Json | PlainAnswer | "nothing";

/** A running webhook. */
export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  /** What `caBundle` is to hold. */
  readonly caBundle: string;
  /** What was asked since the last time that this was read. */
  take(): readonly AskedRequest[];
  answer: Answering;
  stop(): Promise<void>;
}

/** Starts one, which answers nothing in particular until it is given an answer; its certificate is for loopback unless one is given. */
export async function startWebhookServer(
  answer: Answering,
  given?: SignedCertificate,
): Promise<WebhookServer> {
  const { key, certificate, authority } = given ?? (await createServerCertificate(Date.now()));
  let asked: AskedRequest[] = [];
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void respond());
    const respond = async (): Promise<void> => {
      const sent = Buffer.concat(chunks).toString();
      const review = (sent === "" ? {} : JSON.parse(sent)) as Json;
      const one = { path: request.url ?? "", review };
      asked.push(one);
      const said = await running.answer(one);
      if (said === "nothing") return;
      const plain = "body" in said ? (said as PlainAnswer) : { status: 200, body: JSON.stringify(said) };
      response.writeHead(plain.status, {
        "Content-Type": plain.contentType ?? "application/json",
        ...(plain.location === undefined ? {} : { Location: plain.location }),
      });
      response.end(plain.body);
    };
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const running: WebhookServer = {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(authority).toString("base64"),
    take() {
      const taken = asked;
      asked = [];
      return taken;
    },
    answer,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return running;
}

/** The request of a review. */
export function requestOf({ review }: AskedRequest): Json {
  return review["request"] as Json;
}

/** An AdmissionReview that lets the request pass, unless `response` says otherwise. */
export function admissionAnswer(asked: AskedRequest, response: Json = {}): Json {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: requestOf(asked)["uid"], allowed: true, ...response },
  };
}

/** The fields of a response that change the object. */
export function patchOf(...operations: readonly Json[]): Json {
  return { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") };
}
