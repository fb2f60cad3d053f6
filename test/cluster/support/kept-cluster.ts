// A cluster in a process of its own that keeps its data, for a test that kills it.
import { startCluster } from "../../../src/cluster/start-cluster.ts";

const [directory = "", data = ""] = process.argv.slice(2);
const { url } = await startCluster({ directory, data, controllers: false });
process.send?.(url);
