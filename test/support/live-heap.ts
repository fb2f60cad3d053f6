// What this process really holds.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the JavaScript heap in use once everything that nobody holds is collected. */
export function liveHeap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
