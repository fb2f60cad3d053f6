// A kind with a history: three versions, each of which knows something that another does not.
import { z } from "zod";
import { defineKind } from "../../../src/kinds/define-kind.ts";

/** Sizes were megabytes, then gigabytes in one field, and are an object now; users got quotas, and a mode was given up. */
export const Store = storeStoredAs("v1");

/** The same kind, with its objects stored in one of its versions. */
export function storeStoredAs(storage: string) {
  return defineKind({
    storage,
    group: "data.example.com",
    version: "v1",
    kind: "Store",
    spec: z.object({
      size: z.object({ amount: z.int().min(1), unit: z.enum(["Mi", "Gi"]).default("Gi") }),
      users: z.array(z.object({ name: z.string().min(1), quota: z.int().min(0).optional() })).default([]),
      notes: z.record(z.string(), z.string()).optional(),
    }),
    status: z.object({ endpoint: z.string(), users: z.int() }),
    printerColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size.amount" }],
    versions: {
      v1alpha1: {
        spec: z.object({
          sizeMb: z.int().min(1),
          owner: z.string().min(1).optional(),
          legacyMode: z.boolean().default(false),
        }),
        status: z.object({ address: z.string() }),
        deprecated: "data.example.com/v1alpha1 Store is deprecated; use v1",
        convert: {
          up: ({ spec: { sizeMb, owner }, status: { address } }) => {
            if (owner === "nobody") throw new Error("nobody cannot own a store");
            return {
              spec: {
                size:
                  sizeMb % 1024 === 0 ? { amount: sizeMb / 1024 } : { amount: sizeMb, unit: "Mi" as const },
                users: owner === undefined ? [] : [{ name: owner }],
              },
              status: address === undefined ? {} : { endpoint: address },
            };
          },
          down: ({ spec: { size, users }, status: { endpoint } }) => {
            const owner = users[0]?.name;
            return {
              spec: {
                sizeMb: size.unit === "Gi" ? size.amount * 1024 : size.amount,
                ...(owner === undefined ? {} : { owner }),
              },
              status: endpoint === undefined ? {} : { address: endpoint },
            };
          },
        },
      },
      v1beta1: {
        spec: z.object({ sizeGb: z.int().min(1), users: z.array(z.string().min(1)).default([]) }),
        convert: {
          up: ({ spec: { sizeGb, users } }) => ({
            spec: { size: { amount: sizeGb }, users: users.map((name) => ({ name })) },
          }),
          down: ({ spec: { size, users } }) => ({
            spec: {
              sizeGb: size.unit === "Gi" ? size.amount : Math.max(1, Math.round(size.amount / 1024)),
              users: users.map(({ name }) => name),
            },
          }),
        },
      },
    },
  });
}
