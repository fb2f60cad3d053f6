// What `/version` says: the Kubernetes version whose behaviour the embedded server imitates.

/** The version document. */
export const serverVersion = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.1+xstate-operator",
  gitCommit: "embedded",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "node",
  platform: "embedded/loopback",
};
