// The kind DnsRecord.
import { defineKind, type InstanceOf } from "xstate-operator";
import { z } from "zod";

/** The kind of {@link DnsRecord}. */
export const DnsRecord = defineKind({
  group: "dns.example.com",
  version: "v1",
  kind: "DnsRecord",
  description: "A record at a DNS provider.",
  spec: z.object({
    name: z.string().min(1).describe("The name that is looked up, for instance shop.example.com."),
    type: z.enum(["A", "AAAA", "CNAME", "TXT"]).default("A"),
    values: z.array(z.string()).min(1).max(20),
    ttl: z.int().min(30).max(86_400).default(300).describe("Seconds."),
  }),
  status: z.object({
    id: z.string().describe("What the provider calls it."),
    creatingSince: z.string().describe("When its creation was begun, until it is known what became of that."),
  }),
  printerColumns: [
    { name: "Name", type: "string", jsonPath: ".spec.name" },
    { name: "Id", type: "string", jsonPath: ".status.id" },
  ],
});

/** A DnsRecord. */
export type DnsRecord = InstanceOf<typeof DnsRecord>;
