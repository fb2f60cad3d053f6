// Makes one file of the sidecar, for images that have Node and nothing else.
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { loadRolldown } from "./bundle-operator.ts";
import { ownModule } from "./package-sources.ts";

const entryId = "\0sidecar";

/** Writes the file. Errors: `BUILD_UNAVAILABLE` without rolldown; `BUILD_FAILED` with what rolldown says. */
export async function bundleSidecar(file: string): Promise<void> {
  const { rolldown } = await loadRolldown();
  try {
    const bundle = await rolldown({
      input: entryId,
      platform: "node",
      plugins: [
        {
          name: "xstate-operator-sidecar",
          resolveId: (id) => (id === entryId ? id : null),
          load: (id) =>
            id === entryId ? `import ${JSON.stringify(ownModule("sidecar/sidecar-process"))};` : null,
        },
      ],
    });
    await bundle.write({ file, format: "esm", minify: true, codeSplitting: false });
    await bundle.close();
  } catch (cause) {
    throw new OperatorError("BUILD_FAILED", `the sidecar cannot be built: ${messageOf(cause)}`, {
      cause,
      remedy: "Install this package and rolldown again.",
    });
  }
}
