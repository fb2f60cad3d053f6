// Events as the API server keeps them: what they must be, what of them may change, who is told of them, and how they go.
import { expect, it } from "vitest";
import { metadataOf, type Body, type RawAnswer, type RawClient } from "./raw-request.ts";

const plain = "/api/v1/namespaces/default/events";
const grouped = "/apis/events.k8s.io/v1/namespaces/default/events";
const merge = { contentType: "application/merge-patch+json" };
const eventTime = "2020-01-01T00:00:00.000000Z";
const about = { kind: "Pod", name: "p", namespace: "default" };

/** Declares the cases. */
export function declareEventCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const causesOf = ({ body }: RawAnswer): readonly unknown[] => {
    const { causes = [] } = (body["details"] ?? {}) as { readonly causes?: readonly Body[] };
    return causes.map(({ field, message }) => `${String(field)}: ${String(message)}`);
  };

  it.each<[string, Body, readonly string[]]>([
    [
      "in another namespace than what it is about",
      { involvedObject: { ...about, namespace: "elsewhere" } },
      ['involvedObject.namespace: Invalid value: "elsewhere": does not match event.namespace'],
    ],
    [
      "with a time of its own that nobody tells",
      { involvedObject: about, eventTime, reason: "R".repeat(129) },
      [
        "reportingComponent: Required value",
        expect.stringContaining(
          'reportingComponent: Invalid value: "": name part must be non-empty',
        ) as string,
        expect.stringContaining('reportingComponent: Invalid value: "": name part must consist of') as string,
        "reportingInstance: Required value",
        "action: Required value",
        'reason: Invalid value: "": can have at most 128 characters',
      ],
    ],
  ])("refuses an Event %s", async (_, content, expected) => {
    expect(causesOf(await send("POST", plain, { metadata: { name: "refused" }, ...content }))).toEqual(
      expected,
    );
  });

  it("refuses a grouped Event with the fields of former ones, and any change of it but of its series", async () => {
    const teller = { reportingController: "example.com/c", reportingInstance: "i", action: "A", reason: "R" };
    const event = { metadata: { name: "grouped" }, regarding: about, eventTime, type: "Normal", ...teller };
    const former = { type: "Other", deprecatedCount: 1, series: { count: 1, lastObservedTime: eventTime } };
    expect(causesOf(await send("POST", grouped, { ...event, ...former }))).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'type: Invalid value: "": has invalid value: Other',
      'count: Invalid value: "": needs to be unset',
    ]);
    expect((await send("POST", grouped, event)).status).toBe(201);
    const changed = await send(
      "PATCH",
      `${grouped}/grouped`,
      { note: "n", action: "B", reportingController: "d" },
      merge,
    );
    expect(causesOf(changed)).toEqual([
      'message: Invalid value: "n": field is immutable',
      'action: Invalid value: "B": field is immutable',
      'reportingController: Invalid value: "d": field is immutable',
    ]);
    const series = { count: 2, lastObservedTime: eventTime };
    expect((await send("PATCH", `${grouped}/grouped`, { series }, merge)).status).toBe(200);
    await send("DELETE", `${grouped}/grouped`);
  });

  it("knows an Event by who tells it, and writes the times that it does not have", async () => {
    const told = (name: string, teller: Body): Promise<RawAnswer> =>
      send("POST", plain, { metadata: { name }, involvedObject: about, series: {}, ...teller });
    await told("by-source", { source: { component: "of-source" } });
    const { body } = await told("by-controller", { reportingComponent: "of-controller" });
    expect(body).toMatchObject({ eventTime: null, firstTimestamp: null, series: { lastObservedTime: null } });
    const found = async (source: string): Promise<readonly unknown[]> => {
      const list = await send("GET", `${plain}?fieldSelector=source%3D${source}`);
      return (list.body["items"] as readonly Body[]).map((item) => metadataOf(item)["name"]);
    };
    expect([await found("of-source"), await found("of-controller")]).toEqual([
      ["by-source"],
      ["by-controller"],
    ]);
    for (const name of ["by-source", "by-controller"]) await send("DELETE", `${plain}/${name}`);
  });

  it("holds Events to no form of finalizers, and knows of nothing that depends on them", async () => {
    const metadata = { name: "alone", finalizers: ["plain", "orphan"] };
    expect((await send("POST", plain, { metadata, involvedObject: about })).status).toBe(201);
    const { body } = await send("DELETE", `${plain}/alone?propagationPolicy=Foreground`);
    expect(metadataOf(body)["finalizers"]).toEqual(["plain"]);
    await send("PATCH", `${plain}/alone`, { metadata: { finalizers: null } }, merge);
    expect((await send("GET", `${plain}/alone`)).status).toBe(404);
  });
}
