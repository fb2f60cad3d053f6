/** Modules without imports that are not bundled: what is found by its place, and what `build` puts something else in the place of. */
export const kept: readonly string[] = ["src/ports/own-folder", "src/ports/packed-parts"];
