// Whoever writes a function with a type of ours can name it: each type in a public signature is exported.
import { describe, expect, it } from "vitest";
import { hiddenTypes } from "./signature-types.ts";

const root = new URL("../../", import.meta.url).pathname;

/** Types that stand in public signatures and are nobody's to write: helpers of inference, and what only the runtime makes. */
const internal = [
  "Authentication",
  "CheckedConfig",
  "Drawn",
  "Environment",
  "Inspector",
  "KindLifecycle",
  "LifecycleStatus",
  "Named",
  "NamesNeedExtend",
  "ReadFile",
  "RegistryOptions",
  "ResourceScope",
  "RunJournal",
  "RunRecorder",
  "SecretKeeper",
  "SetupNamesOf",
  "SharedCache",
  "SpecOf",
  "StatusDraftOptions",
  "StatusOf",
  "Tracing",
  "Writable",
];

const entries = ["src/index.ts", "src/kinds/index.ts"];

describe("the public entry", () => {
  const hidden = hiddenTypes(root, "src/index.ts", entries);

  it("exports every type that the signatures of its exports name", () => {
    const missing = hidden.filter(({ name }) => !internal.includes(name));
    expect(missing.map(({ name, file, of }) => `${name} (${file}), named by ${of}`)).toEqual([]);
  });

  it("leaves out no type for a reason that is gone", () => {
    const names = hidden.map(({ name }) => name);
    expect(internal.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe("the entry of Kubernetes' own kinds", () => {
  it("exports every type that the signatures of its exports name", () => {
    expect(hiddenTypes(root, "src/kinds/index.ts", entries)).toEqual([]);
  });
});
