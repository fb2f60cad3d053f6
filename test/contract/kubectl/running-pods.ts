// Commands about what runs and what is shown: rollouts, waiting, reading, nodes, access; and what nodes are asked for.
import { same, unordered, type KubectlSection } from "./kubectl-case.ts";

const deployment = (name: string, image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 0
      containers: [{ name: c, image: "${image}", ports: [{ name: http, containerPort: 80 }] }]
`;
const statefulSet = `apiVersion: apps/v1
kind: StatefulSet
metadata: { name: s }
spec:
  serviceName: s
  replicas: 2
  selector: { matchLabels: { app: s } }
  template:
    metadata: { labels: { app: s } }
    spec: { automountServiceAccountToken: false, containers: [{ name: c, image: "s:1" }] }
`;
const daemonSet = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: d }
spec:
  selector: { matchLabels: { app: d } }
  template:
    metadata: { labels: { app: d } }
    spec: { automountServiceAccountToken: false, containers: [{ name: c, image: "d:1" }] }
`;
const pod = (name: string, more = ""): string => `apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 0
  containers: [{ name: c, image: "${name}:1"${more} }]
`;

/** Built-in types have no descriptions on the embedded cluster. */
const fields = "| grep -A1000 '^FIELDS' | grep '<[A-Za-z]*>$\\|-required-'";
const allFields = "| sed -n '/^FIELDS/,$p' | grep '<.*>'";
/** What the embedded cluster does not serve. */
const served =
  "| grep -v '^bindings\\|^componentstatuses\\|^podtemplates\\|^csi\\|^ipaddresses\\|^servicecidrs\\|^volumeatt'";

export const runningPods: readonly KubectlSection[] = [
  {
    name: "rollout",
    files: { "one.yaml": deployment("web", "web:1"), "two.yaml": deployment("web", "web:2") },
    cases: [
      same(
        "comes up",
        "kubectl apply -f one.yaml && kubectl rollout status deploy/web --timeout=60s | tail -1",
        /successfully rolled out/,
      ),
      same("columns", "kubectl get deploy web -o wide"),
      same(
        "another image",
        "kubectl apply -f two.yaml && kubectl rollout status deploy/web --timeout=60s | tail -1",
      ),
      same("history", "kubectl rollout history deploy/web"),
      same("history of a revision", "kubectl rollout history deploy/web --revision=1"),
      same(
        "undo",
        "kubectl rollout undo deploy/web && kubectl rollout status deploy/web --timeout=60s | tail -1",
      ),
      same("undo to what there is not", "kubectl rollout undo deploy/web --to-revision=77", /unable to find/),
      same(
        "pause and resume",
        "kubectl rollout pause deploy/web && kubectl rollout pause deploy/web; kubectl rollout resume deploy/web",
      ),
      same(
        "restart",
        "kubectl rollout restart deploy/web && kubectl rollout status deploy/web --timeout=60s | tail -1",
      ),
      same(
        "scale",
        "kubectl scale deploy web --replicas=3 && kubectl rollout status deploy/web --timeout=60s | tail -1",
      ),
      same(
        "scale from what it is not",
        "kubectl scale deploy web --current-replicas=99 --replicas=1",
        /Expected replicas/,
      ),
      same("describe", "kubectl describe deploy web", /Replicas:/),
      same(
        "scale of replica sets",
        "kubectl rollout pause deploy/web && kubectl scale rs -l app=web --replicas=0 | sort",
        /scaled/,
      ),
    ],
  },
  {
    name: "rollout of sets",
    files: { "s.yaml": statefulSet, "d.yaml": daemonSet },
    cases: [
      same("stateful set", "kubectl apply -f s.yaml && kubectl rollout status sts/s --timeout=60s | tail -1"),
      same(
        "its next image",
        "kubectl set image sts/s c=s:2 && kubectl rollout status sts/s --timeout=60s | tail -1",
      ),
      same("its history", "kubectl rollout history sts/s"),
      same(
        "its way back",
        "kubectl rollout undo sts/s && kubectl rollout status sts/s --timeout=60s | tail -1",
      ),
      same(
        "its scale",
        "kubectl scale sts s --replicas=1 && kubectl wait --for=delete pod/s-1 --timeout=30s",
      ),
      same("describe it", "kubectl describe sts s"),
      same("daemon set", "kubectl apply -f d.yaml && kubectl rollout status ds/d --timeout=60s | tail -1"),
      same("its history too", "kubectl rollout history ds/d"),
      same(
        "its restart",
        "kubectl rollout restart ds/d && kubectl rollout status ds/d --timeout=60s | tail -1",
      ),
      same("describe that", "kubectl describe ds d"),
    ],
  },
  {
    name: "wait and watch",
    files: { "web.yaml": deployment("web", "web:1") },
    cases: [
      same(
        "available",
        "kubectl apply -f web.yaml && kubectl wait --for=condition=Available deploy/web --timeout=30s",
        /condition met/,
      ),
      same(
        "a value",
        "kubectl wait --for=jsonpath='{.status.readyReplicas}'=2 deploy/web --timeout=20s",
        /condition met/,
      ),
      same(
        "in vain",
        "kubectl wait --for=jsonpath='{.status.readyReplicas}'=7 deploy/web --timeout=1s",
        /timed out/,
      ),
      same(
        "a job",
        "kubectl create job jw --image=busybox -- true; kubectl wait --for=condition=complete job/jw --timeout=30s",
        /condition met/,
      ),
      same(
        "a deletion",
        "kubectl delete job jw --wait=false; kubectl wait --for=delete job/jw --timeout=20s",
      ),
      same(
        "a deletion of a pod",
        "kubectl run gone --image=x && kubectl delete pod gone --wait=false && kubectl wait --for=delete pod/gone --timeout=60s",
      ),
      same(
        "a creation",
        "(sleep 0.5; kubectl create cm late --from-literal=a=b >/dev/null) & kubectl wait --for=create cm/late --timeout=10s",
        /condition met/,
      ),
      same(
        "watch",
        "kubectl create cm w --from-literal=a=b >/dev/null; kubectl get cm w -w --output-watch-events >seen & P=$!; until grep -qs ADDED seen; do sleep 0.05; done; kubectl label cm w a=b >/dev/null; kubectl delete cm w >/dev/null; until grep -qs DELETED seen; do sleep 0.05; done; kill $P; wait 2>/dev/null; cat seen",
      ),
    ],
  },
  {
    name: "read",
    files: { "web.yaml": deployment("web", "web:1") },
    cases: [
      same(
        "begins",
        "kubectl apply -f web.yaml && kubectl create cm settings --from-literal=a=b && kubectl rollout status deploy/web --timeout=30s | tail -1",
      ),
      unordered("all", "kubectl get all"),
      same("wide", "kubectl get pods -o wide"),
      same("everywhere", "kubectl get deploy -A --field-selector metadata.namespace=$NAMESPACE"),
      same("labels", "kubectl get deploy --show-labels -L app"),
      same("sorted", "kubectl get cm --sort-by=.metadata.creationTimestamp -o name"),
      same("custom columns", "kubectl get deploy -o custom-columns=N:.metadata.name,R:.spec.replicas"),
      same("a template", "kubectl get deploy web -o go-template='{{.spec.replicas}}'", /2/),
      same("YAML", "kubectl get cm settings -o yaml"),
      same("several types", "kubectl get cm/settings deploy/web -o name"),
      same("a field", "kubectl get pods --field-selector=status.phase=Running -o name | wc -l"),
      same(
        "a field that cannot be asked for",
        "kubectl get pods --field-selector=spec.nothing=1",
        /field label not supported/,
      ),
      same("a type that there is not", "kubectl get nothings", /doesn't have a resource type/),
      same("pages", "kubectl get cm --chunk-size=1 -o name"),
      same("ready", "kubectl get --raw /readyz"),
      same("ready, in words", "kubectl get --raw '/readyz?verbose' | tail -1", /check passed/),
      same("events of a namespace", "kubectl get events | head -1"),
      same("quotas and limits", "kubectl get quota,limits"),
      same("autoscalers", "kubectl get hpa"),
      same("leases", "kubectl get lease"),
      same("health", "kubectl get --raw /livez; kubectl get --raw /healthz"),
      same("metrics", "kubectl get --raw /metrics | head -1 | cut -c1-7", /# HELP/),
      same("openapi", "kubectl get --raw /openapi/v3 | cut -c1-9"),
      same("raw", "kubectl get --raw /api/v1/namespaces/$NAMESPACE/configmaps/none", /NotFound/),
      same(
        "explain",
        "kubectl explain deploy.spec.replicas | grep : | grep -v DESCRIPTION",
        /FIELD: replicas/,
      ),
      same("explain in words", "kubectl explain deploy.spec.paused", /Indicates/),
      same("explain a field of a map", "kubectl explain cm.data", /Data contains/),
      same(
        "explain by version 2",
        "kubectl explain deploy.spec.paused --output=plaintext-openapiv2",
        /Indicates/,
      ),
      same("explain a pod", `kubectl explain pod.spec.containers.livenessProbe ${fields}`),
      same("explain a service", `kubectl explain svc.spec.ports ${fields}`),
      same("explain all of a pod", `kubectl explain pod --recursive ${allFields}`),
      same("explain all of a deployment", `kubectl explain deploy --recursive ${allFields}`),
      same("explain all of a claim", `kubectl explain pvc --recursive ${allFields}`),
      same("explain all of a policy", `kubectl explain netpol --recursive ${allFields}`),
      same("explain a definition", `kubectl explain crd.spec.versions ${fields}`),
      same("explain in another version", `kubectl explain hpa.spec --api-version=autoscaling/v1 ${fields}`),
      same("resources of a group", "kubectl api-resources --api-group=apps -o wide"),
      same("resources by verb", "kubectl api-resources --api-group=apps --verbs=list --namespaced -o name"),
      same("resources of storage", `kubectl api-resources --api-group=storage.k8s.io ${served}`),
      same("resources of core", `kubectl api-resources --api-group= -o wide ${served}`),
      same("resources of autoscaling", "kubectl api-resources --api-group=autoscaling -o wide"),
      same("resources of batch", "kubectl api-resources --api-group=batch -o wide"),
      same("resources of policy", "kubectl api-resources --api-group=policy -o wide"),
      same("resources of rbac", "kubectl api-resources --api-group=rbac.authorization.k8s.io -o wide"),
      same(
        "resources of networking",
        `kubectl api-resources --api-group=networking.k8s.io -o wide ${served}`,
      ),
      same(
        "versions",
        "kubectl api-versions | grep -x 'apps/v1\\|batch/v1\\|v1\\|autoscaling/v2\\|policy/v1'",
      ),
      same("version", "kubectl version | grep Server | sed 's/+.*//'"),
      same("where it is", "kubectl cluster-info | head -1 | sed 's/https.*//'"),
      same("its service", "kubectl get svc -n default kubernetes"),
      same("its priority classes", "kubectl get pc system-cluster-critical system-node-critical"),
      same("its services as APIs", "kubectl get apiservices v1.apps v1.batch v2.autoscaling"),
      same(
        "dumped",
        "kubectl cluster-info dump --namespaces $NAMESPACE --output-directory=dump >/dev/null; ls dump/$NAMESPACE | sort | head -3",
      ),
      unordered("events", "kubectl events --for deploy/web | awk '{ print $2, $3, $4 }'"),
      same("top of pods", "kubectl top pods", /Metrics API not available/),
      same("top of nodes", "kubectl top nodes", /Metrics API not available/),
    ],
  },
  {
    name: "describe",
    files: {
      "web.yaml": deployment("web", "web:1"),
      "claim.yaml":
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: pvc1}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
      "policy.yaml":
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: np1}, spec: {podSelector: {}, policyTypes: [Ingress]}}",
      "limits.yaml":
        "{apiVersion: v1, kind: LimitRange, metadata: {name: lr}, spec: {limits: [{type: Container, default: {cpu: 100m}}]}}",
      "lease.yaml":
        "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: held}, spec: {holderIdentity: me, leaseDurationSeconds: 10}}",
    },
    cases: [
      same(
        "begins",
        "kubectl apply -f web.yaml && kubectl rollout status deploy/web --timeout=30s | tail -1 && kubectl expose deploy web",
      ),
      same("pod", "kubectl describe pod -l app=web", /Containers:/),
      same("service", "kubectl describe svc web | sed 's/^IPs*:.*//;s/^Endpoints:.*//'"),
      same("replica set", "kubectl describe rs -l app=web", /Replicas:/),
      same(
        "job",
        "kubectl create job j --image=x -- true && kubectl wait --for=condition=complete job/j --timeout=30s && kubectl describe job j | grep -v Duration",
      ),
      same(
        "cron job",
        "kubectl create cronjob cj --image=x --schedule='0 0 1 1 *' && kubectl describe cronjob cj",
      ),
      same("secret", "kubectl create secret generic s --from-literal=k=v && kubectl describe secret s"),
      same("configmap", "kubectl create cm c --from-literal=k=v && kubectl describe cm c"),
      same("namespace", "kubectl describe ns $NAMESPACE"),
      same("role", "kubectl create role r --verb=get --resource=pods && kubectl describe role r"),
      same("binding", "kubectl create rolebinding rb --role=r --user=u && kubectl describe rolebinding rb"),
      same("ingress", "kubectl create ingress i --rule='foo.com/bar=web:80' && kubectl describe ingress i"),
      same(
        "disruption budget",
        "kubectl create pdb pdb --selector=app=web --min-available=1 && kubectl wait --for=jsonpath='{.status.disruptionsAllowed}'=1 pdb/pdb --timeout=20s && kubectl describe pdb pdb",
      ),
      same(
        "quota",
        "kubectl create quota q --hard=services=10 && kubectl wait --for=jsonpath='{.status.used.services}'=1 quota/q --timeout=20s && kubectl describe quota q",
      ),
      same("limits", "kubectl apply -f limits.yaml && kubectl describe limits lr"),
      same(
        "claim",
        "kubectl apply -f claim.yaml && kubectl wait --for=jsonpath='{.status.phase}'=Bound pvc/pvc1 --timeout=20s && kubectl describe pvc pvc1",
      ),
      same("network policy", "kubectl apply -f policy.yaml && kubectl describe netpol np1"),
      same(
        "autoscaler",
        "kubectl autoscale deploy web --min=2 --max=3 --cpu=80% && kubectl describe hpa web | sed '/^Deployment pods/,$d'",
      ),
      same("priority class", "kubectl describe pc system-node-critical"),
      same("lease", "kubectl apply -f lease.yaml && kubectl describe lease held && kubectl get lease"),
      same("service account", "kubectl create sa acc && kubectl describe sa acc"),
      same("what there is not", "kubectl describe cm none", /NotFound/),
    ],
  },
  {
    name: "nodes",
    files: {
      "one.yaml": pod("one"),
      "evict.json": '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"one"}}',
    },
    cases: [
      same("columns", "kubectl get node $NODE"),
      same("label", "kubectl label node $NODE zone=a --overwrite"),
      same("taint", "kubectl taint node $NODE k=v:NoSchedule"),
      same("taint twice", "kubectl taint node $NODE k=v:NoSchedule", /already has k taint/),
      same("taint goes", "kubectl taint node $NODE k-"),
      same(
        "cordon",
        "kubectl cordon $NODE && kubectl get node $NODE --no-headers | awk '{ print $2 }'",
        /SchedulingDisabled/,
      ),
      same("uncordon", "kubectl uncordon $NODE"),
      same(
        "eviction",
        "kubectl apply -f one.yaml && kubectl wait --for=condition=Ready pod/one --timeout=20s && kubectl create --raw /api/v1/namespaces/$NAMESPACE/pods/one/eviction -f evict.json",
      ),
      same(
        "drain on the client",
        "kubectl drain $NODE --dry-run=client --ignore-daemonsets --force --delete-emptydir-data --pod-selector=app=one 2>/dev/null",
      ),
      same(
        "drain",
        "kubectl drain $NODE --force --ignore-daemonsets --delete-emptydir-data --timeout=30s --pod-selector=app=one && kubectl uncordon $NODE",
      ),
      same(
        "describe",
        "kubectl describe node $NODE | sed -n '1,/^Conditions/p' | grep -v 'Lease\\|ttl' | sed 's/Annotations://'",
      ),
    ],
  },
  {
    name: "access",
    files: {
      "role.yaml":
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: rr, namespace: HERE}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n",
    },
    cases: [
      same("can I", "kubectl auth can-i create pods", /yes/),
      same("can somebody", "kubectl auth can-i delete pods --as=bob", /no/),
      same("list of what I can", "kubectl auth can-i --list | head -3"),
      same(
        "who am I",
        "kubectl auth whoami -o jsonpath='{.status.userInfo.groups}' | grep -o system:masters",
        /masters/,
      ),
      same("reconcile", "sed s/HERE/$NAMESPACE/ role.yaml | kubectl auth reconcile -f -", /reconciled/),
      same("as somebody", "kubectl get pods --as=bob", /forbidden/),
      same(
        "as somebody who may",
        "kubectl create rolebinding bobs --role=rr --user=bob && kubectl get pod none --as=bob",
        /NotFound/,
      ),
      same("as an account", "kubectl get pods --as=system:serviceaccount:$NAMESPACE:default", /forbidden/),
      same("a certificate is wanted", "kubectl get csr"),
    ],
  },
  {
    name: "what nodes answer",
    always: true,
    files: {
      "one.yaml": pod("one"),
      "two.yaml": pod("two", ", resources: { requests: { cpu: 100m }, limits: { cpu: 200m } }"),
    },
    cases: [
      same(
        "ready",
        "kubectl apply -f one.yaml -f two.yaml && kubectl wait --for=condition=Ready pod/one pod/two --timeout=20s",
        /condition met/,
      ),
      same("logs", "kubectl logs one", /simulated container c of pod/),
      same("logs of all", "kubectl logs -l app=one --all-containers --prefix", /\[pod\/one\/c\]/),
      same(
        "logs of an instance that there was not",
        "kubectl logs one --previous; true",
        /previous terminated container "c" in pod "one" not found/,
      ),
      same(
        "logs that are followed",
        "kubectl logs -f one >followed & P=$!; until grep -qs simulated followed; do sleep 0.05; done; sleep 0.5; kill $P && cat followed",
        /simulated container/,
      ),
      same("exec", "kubectl exec one -- greet", /hello of c in one/),
      same("exec with input", "echo words | kubectl exec -i one -- read-back", /words/),
      same("exec that fails", "kubectl exec one -- fail; test $? = 3", /went wrong[\s\S]*exit code 3/),
      same("exec that nothing answers", "kubectl exec one -- nothing; true", /nothing answers "nothing"/),
      same(
        "exec over SPDY",
        "export KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false; echo more | kubectl exec -i one -- read-back && kubectl exec one -- greet && kubectl exec one -- fail; test $? = 3",
        /more\nhello of c in one\nwent wrong\n/,
      ),
      same("copy from", "kubectl cp one:/etc/motd copied && cat copied", /welcome/),
      same(
        "copy to",
        "echo sent > sent && kubectl cp sent one:/tmp/sent && kubectl exec one -- received",
        /sent/,
      ),
      same("attach", "timeout 1 kubectl attach one 2>&1; test $? = 124", /If you don't see|^$/),
      same(
        "port-forward",
        "kubectl port-forward pod/one $PORT:80 >said & P=$!; until grep -qs Forwarding said; do sleep 0.05; done; curl -s http://127.0.0.1:$PORT/; kill $P; wait 2>/dev/null; cat said",
        /served by the pod[\s\S]*Handling connection/,
      ),
      same(
        "port-forward over SPDY",
        "export KUBECTL_PORT_FORWARD_WEBSOCKETS=false; kubectl port-forward pod/one $PORT:80 >spdy & P=$!; until grep -qs Forwarding spdy; do sleep 0.05; done; curl -s http://127.0.0.1:$PORT/; kill $P; wait 2>/dev/null; true",
        /served by the pod/,
      ),
      same(
        "port-forward to a closed port",
        "kubectl port-forward pod/one $PORT:81 >refused 2>&1 & P=$!; until grep -qs Forwarding refused; do sleep 0.05; done; curl -s http://127.0.0.1:$PORT/; wait $P; cat refused",
        /error forwarding port 81 to pod one/,
      ),
      same(
        "debug",
        "kubectl debug one --image=busybox -c dbg1 --attach=false --profile=general && kubectl wait --for=jsonpath='{.status.ephemeralContainerStatuses[0].state.running.startedAt}' pod/one --timeout=10s",
        /condition met/,
      ),
      same(
        "debug by a copy",
        "kubectl debug one --image=busybox --copy-to=copied --container=dbg --attach=false --profile=general && kubectl get pod copied -o jsonpath='{.spec.containers[*].name}'",
      ),
      same(
        "resize",
        `kubectl patch pod two --subresource=resize -p '{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"150m"}}}]}}' && kubectl get pod two -o jsonpath='{.spec.containers[0].resources}'`,
      ),
      same(
        "resize that changes the class",
        `kubectl patch pod one --subresource=resize -p '{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"10m"}}}]}}'`,
        /QOS/i,
      ),
      same(
        "resize by hand",
        `kubectl patch pod two -p '{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"160m"}}}]}}' 2>&1 | head -1`,
        /may not change/,
      ),
      same(
        "proxy",
        "kubectl proxy --port=$PORT >/dev/null & P=$!; until curl -s http://127.0.0.1:$PORT/api/v1/namespaces/$NAMESPACE; do sleep 0.1; done; kill $P",
        /"kind": ?"Namespace"/,
      ),
    ],
  },
];
