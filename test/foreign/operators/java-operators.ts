// Operators in Java: the samples of the Java Operator SDK, as they are published, on Fabric8's client, which watches by WebSocket.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { javaWith } from "../java-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";

const group = "io.javaoperatorsdk";
const version = "5.1.1";

/** A sample as it is published, and the definitions in it. */
function fromMaven(artifact: string, main: string): Obtained {
  const name = `${artifact}-${version}`;
  const fetched = javaWith(name, [`${group}:${artifact}:${version}`], "META-INF/fabric8/*-v1.yml");
  if ("failure" in fetched) return fetched;
  const manifests = join(fetched.unpacked, "META-INF/fabric8");
  return {
    programs: [
      {
        command: "java",
        args: () => ["-Xmx256m", "-cp", fetched.classPath, main],
        // It listens on every address.
        isolated: true,
      },
    ],
    manifests: readdirSync(manifests).map((file) => join(manifests, file)),
  };
}

const webPage = (text: string, exposed = false): string => `
apiVersion: sample.javaoperatorsdk/v1
kind: WebPage
metadata: { name: hello }
spec: { html: "${text}", exposed: ${exposed} }
`;
const page = (text: string): string => `<html>${text}</html>`;
const shows = (text: string): string =>
  `wait --for=jsonpath={.data.index\\.html}=${page(text)} configmap/hello-html`;
const good = "wait --for=jsonpath={.status.areWeGood}=true webpage/hello";
const rolledOut = "rollout status deployment/hello";

/** An identifier that it draws when it starts, and versions of what it has written. */
const previous = [/./, /^metadata\.annotations\.javaoperatorsdk\.io\/previous$/] as const;

/** The SDK's first sample: a Deployment, a ConfigMap, a Service and an Ingress that depends on a field, by dependent resources. */
export const webPageOperator: ForeignOperator = {
  name: "josdk webpage",
  version,
  obtain: () => fromMaven("sample-webpage-operator", "io.javaoperatorsdk.operator.sample.WebPageOperator"),
  random: [previous],
  steps: [
    {
      name: "create",
      apply: webPage(page("one")),
      reached: ["wait --for=create configmap/hello-html", shows("one"), good, rolledOut],
    },
    {
      name: "update",
      apply: webPage(page("two"), true),
      reached: ["wait --for=create ingress/hello", shows("two"), good, rolledOut],
    },
    {
      name: "drift",
      kubectl: ["delete configmap/hello-html service/hello", "scale deployment/hello --replicas=3"],
      reached: [
        "wait --for=create configmap/hello-html",
        "wait --for=create service/hello",
        "wait --for=jsonpath={.spec.replicas}=1 deployment/hello",
        shows("two"),
        rolledOut,
      ],
    },
    {
      name: "what it finds wrong",
      apply: webPage("no page"),
      reached: ["wait --for=jsonpath={.status.errorMessage} webpage/hello"],
    },
    {
      name: "take back",
      apply: webPage(page("three")),
      reached: ["wait --for=delete ingress/hello", shows("three"), good, rolledOut],
    },
    {
      name: "delete",
      kubectl: ["delete webpage/hello"],
      reached: [
        "wait --for=delete deployments --all",
        "wait --for=delete pods --all",
        "wait --for=delete configmap/hello-html",
      ],
    },
  ],
};

const tomcat = (replicas: number, image = 9): string => `
apiVersion: tomcatoperator.io/v1
kind: Tomcat
metadata: { name: servlets }
spec: { version: ${image}, replicas: ${replicas} }
`;
const readyServers = (replicas: number): string[] => [
  `wait --for=jsonpath={.status.readyReplicas}=${replicas} tomcat/servlets`,
  "rollout status deployment/servlets",
];

/** The SDK's sample with two controllers. */
export const tomcatOperator: ForeignOperator = {
  name: "josdk tomcat",
  version,
  obtain: () => fromMaven("sample-tomcat-operator", "io.javaoperatorsdk.operator.sample.TomcatOperator"),
  random: [previous],
  steps: [
    {
      name: "create",
      apply: tomcat(2),
      reached: ["wait --for=create deployment/servlets", ...readyServers(2)],
    },
    { name: "update", apply: tomcat(3, 10), reached: readyServers(3) },
    {
      name: "drift",
      kubectl: ["delete deployment/servlets service/servlets"],
      reached: [
        "wait --for=create deployment/servlets",
        "wait --for=create service/servlets",
        ...readyServers(3),
      ],
    },
    {
      name: "delete",
      kubectl: ["delete tomcat/servlets"],
      reached: ["wait --for=delete deployments --all", "wait --for=delete pods --all"],
    },
  ],
};
