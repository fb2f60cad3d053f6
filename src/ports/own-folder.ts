// Where this package's own files are. In the published package most modules are bundled, and only a few are found by their path:
// this one stays where it is.

/** The folder of the modules: `src` in a checkout, `dist/src` in the published package. */
export const ownFolder: URL = new URL("../", import.meta.url);

/** The suffix of the modules in it. */
export const ownSuffix: "ts" | "js" = import.meta.url.endsWith(".ts") ? "ts" : "js";
