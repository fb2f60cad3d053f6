// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { dnsRecordController } from "./src/dns-record/controller.ts";
import { createProvider } from "./src/dns-record/provider.ts";

const provider = createProvider({
  url: process.env["DNS_PROVIDER_URL"] ?? "https://dns.example.com",
  tokenFile: process.env["DNS_TOKEN_FILE"] ?? "/var/run/secrets/dns/token",
});

export default defineOperator({ name: "dns-operator", controllers: [dnsRecordController(provider)] });
