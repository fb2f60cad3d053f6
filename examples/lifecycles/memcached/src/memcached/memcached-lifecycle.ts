// A memcached that is started, run, serviced any number of times, and stopped. After the sample of Orange's Operators Karma Tools.
import { setupLifecycle } from "xstate-operator";
import type { MemcachedSpec } from "./memcached-spec.ts";

export const memcachedLifecycle = setupLifecycle<{ readonly spec: MemcachedSpec }>().createMachine({
  id: "memcached",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Run": "Run", "desired.End": "Stop" } },
    Run: { on: { "desired.Service": "Service", "desired.End": "Stop", "observed.Down": "Start" } },
    Service: { on: { "desired.Run": "Run", "desired.End": "Stop" } },
    Stop: { on: { "observed.Empty": "End" } },
    End: { type: "final" },
  },
});
