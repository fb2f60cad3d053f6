// Where the operator's dashboard is during the tour: one address that outlives the operator's process, so that a page which
// is open sees it being killed and come back.
import { randomBytes } from "node:crypto";
import { createServer, type AddressInfo } from "node:net";

/** A port of this machine and the token of whoever may look. */
export interface DashboardPlace {
  readonly port: number;
  readonly token: string;
  /** The page of the tour's database. */
  readonly url: string;
}

/** A place that is free now. */
export async function findDashboardPlace(): Promise<DashboardPlace> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const token = randomBytes(16).toString("hex");
  return { port, token, url: `http://127.0.0.1:${port}/?token=${token}#/Database/default/orders` };
}
