// The guide on editors: the settings on the page are those that `init` writes, and breakpoints are hit where they are set.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import website from "../../examples/website/operator.ts";
import { Website } from "../../examples/website/src/website/website.ts";
import { jsonSchemaOf } from "../../src/delivery/json-schema.ts";
import { projectFiles } from "../../src/scaffold/project-files.ts";
import { root, writeBlocks } from "./code-blocks.ts";

const page = readFileSync(join(root, "docs/guides/editor.md"), "utf8");
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1] ?? "";

describe("the guide on editors", () => {
  it("has the tsconfig that a new project gets", () => {
    const kind = { kind: "Site", group: "web.example.com", version: "v1" };
    const files = projectFiles({ name: "site-operator", kind, packageSpec: "*" });
    expect(block("jsonc")).toBe(files.get("tsconfig.json"));
  });

  it("has a manifest of the kind whose schema it speaks of", () => {
    expect(website.controllers.map(({ kind }) => kind.kind)).toEqual(["Website"]);
    expect(Website.parse(parse(block("yaml"))).spec).toMatchObject({ page: "Hello", replicas: 2 });
    expect(jsonSchemaOf(Website)).toMatchObject({ title: "Website" });
  });

  describe("its breakpoints", () => {
    const { folder, remove } = writeBlocks([
      {
        file: "operator.ts",
        text: `import { defineKind, type InstanceOf } from "xstate-operator";
import { z } from "zod";

interface Gone {
  readonly lines: number;
}
const spec = z.object({ size: z.int() });
export const Site = defineKind({ group: "web.example.com", version: "v1", kind: "Site", spec });
export type Site = InstanceOf<typeof Site>;
`,
      },
    ]);
    afterAll(remove);

    it("are hit on the line where they are set, in the program of the launch configuration", async () => {
      const { configurations } = JSON.parse(block("json")) as {
        readonly configurations: readonly { readonly program?: string }[];
      };
      const program = configurations[0]?.program?.replace(/^.*\/dist\/(.*)\.js$/, "$1.ts") ?? "";
      const file = join(folder, "operator.ts");
      const flags = ["--inspect-wait=127.0.0.1:0", "--conditions=xstate-operator-source"];
      const child = spawn(process.execPath, [...flags, join(root, program), "check", file]);
      let said = "";
      const address = await new Promise<string>((resolve) =>
        child.stderr.on("data", (chunk: Buffer) => {
          said += chunk.toString();
          const found = /ws:\S+/.exec(said)?.[0];
          if (found !== undefined) resolve(found);
        }),
      );
      const socket = new WebSocket(address);
      await once(socket, "open");
      let id = 0;
      const ask = (method: string, params: object = {}): void => {
        id += 1;
        socket.send(JSON.stringify({ id, method, params }));
      };
      const paused = new Promise<number>((resolve) => {
        socket.addEventListener("message", ({ data }) => {
          const { method, params } = JSON.parse(String(data)) as {
            readonly method?: string;
            readonly params?: {
              readonly callFrames: readonly { readonly location: { readonly lineNumber: number } }[];
            };
          };
          if (method === "Debugger.paused") resolve((params?.callFrames[0]?.location.lineNumber ?? -1) + 1);
        });
      });
      ask("Debugger.enable");
      // Editors count from 1, the protocol from 0.
      ask("Debugger.setBreakpointByUrl", { url: `file://${file}`, lineNumber: 8 - 1 });
      ask("Runtime.runIfWaitingForDebugger");
      expect(await paused).toBe(8);
      ask("Debugger.resume");
      ask("Debugger.disable");
      socket.close();
      expect((await once(child, "exit"))[0], said).toBe(0);
    });
  });
});
