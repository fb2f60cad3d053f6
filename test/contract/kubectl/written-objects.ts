// Commands that write objects: apply, create, patch, replace, edit, label, set, delete.
import { same, unordered, type KubectlSection } from "./kubectl-case.ts";

const web = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      automountServiceAccountToken: false
      containers: [{ name: web, image: "web:1", ports: [{ containerPort: 80 }] }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data:
  LEVEL: debug
  SIZE: "1"
`;
const map = (name: string, rest = ""): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, labels: {set: pruned}}${rest}}\n`;
const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { kind: Widget, listKind: WidgetList, plural: widgets, singular: widget, shortNames: [wd] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {}, scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size } }
      additionalPrinterColumns: [{ name: Size, type: integer, jsonPath: .spec.size }]
      schema:
        openAPIV3Schema:
          type: object
          description: A widget.
          properties:
            spec:
              type: object
              description: What is wanted.
              required: [size]
              properties:
                size: { type: integer, minimum: 0, description: How large it is. }
            status: { type: object, properties: { size: { type: integer } } }
`;
const widget = (size: number): string =>
  `{apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: ${size}}}\n`;

/** Asks for a certificate that nobody here signs. */
const requestCertificate = `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=bob/O=shop -keyout key -out csr 2>/dev/null
kubectl create -f - <<END
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: { name: $1 }
spec: { signerName: example.com/shop, usages: [client auth], request: $(base64 -w0 csr) }
END
`;

export const writtenObjects: readonly KubectlSection[] = [
  {
    name: "apply",
    always: true,
    files: { "web.yaml": web },
    cases: [
      same("creates", "kubectl apply -f web.yaml", /created/),
      same("changes nothing", "kubectl apply -f web.yaml", /unchanged/),
      same("changes", "sed 's/replicas: 1/replicas: 2/' web.yaml | kubectl apply -f -", /configured/),
      same(
        "removes a field",
        "sed /LEVEL/d web.yaml | kubectl apply -f - && kubectl get cm settings -o jsonpath='{.data}'",
      ),
      same("on the server", "kubectl apply --server-side --field-manager=one -f web.yaml --force-conflicts"),
      same(
        "conflicts",
        "sed 's/web:1/web:2/' web.yaml | kubectl apply --server-side --field-manager=two -f -",
        /conflict/,
      ),
      same("tries on the server", "kubectl apply --dry-run=server -f web.yaml"),
      same("tries on the client", "kubectl apply --dry-run=client -f web.yaml"),
      same(
        "refuses an unknown field",
        "echo '{apiVersion: v1, kind: ConfigMap, metadata: {name: bad}, foo: 1}' | kubectl apply -f -",
        /unknown field/,
      ),
      same(
        "takes it when it is told to",
        "echo '{apiVersion: v1, kind: ConfigMap, metadata: {name: bad}, foo: 1}' | kubectl apply --validate=ignore -f -",
      ),
      same(
        "warns of it",
        "echo '{apiVersion: v1, kind: ConfigMap, metadata: {name: bad2}, foo: 1}' | kubectl apply --validate=warn -f -",
        /Warning/,
      ),
    ],
  },
  {
    name: "apply and its record",
    files: {
      "web.yaml": web,
      "both.yaml": `${map("one")}---\n${map("two")}`,
      "two.yaml": map("two"),
      "kustomization.yaml":
        "namePrefix: kz-\nresources: [two.yaml]\nconfigMapGenerator: [{name: gen, literals: [a=b]}]\n",
      "edit.sh": '#!/bin/sh\nsed -i "s/SIZE: .*/SIZE: \\"77\\"/" "$1"\n',
    },
    cases: [
      same("creates", "kubectl apply -f web.yaml"),
      same("shows", "kubectl apply view-last-applied deploy/web", /replicas: 1/),
      same("shows JSON", "kubectl apply view-last-applied cm/settings -o json"),
      same("sets", "kubectl apply set-last-applied -f web.yaml"),
      same("is edited", "KUBE_EDITOR='sh edit.sh' kubectl apply edit-last-applied cm/settings"),
      same(
        "prunes",
        "kubectl apply -f both.yaml --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap && kubectl apply -f two.yaml --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap",
        /one pruned/,
      ),
      same(
        "prunes of all kinds",
        "kubectl apply -f both.yaml && kubectl apply -f two.yaml --prune -l set=pruned",
      ),
      same(
        "prunes by a set",
        "export KUBECTL_APPLYSET=true; kubectl apply -n $NAMESPACE --prune --applyset=set1 -f both.yaml --server-side --force-conflicts && kubectl apply -n $NAMESPACE --prune --applyset=set1 -f two.yaml --server-side --force-conflicts",
      ),
      same("of a kustomization", "kubectl apply -k ."),
      same("kustomize", "kubectl kustomize ."),
      same(
        "diff of what differs",
        "sed 's/replicas: 1/replicas: 5/' web.yaml | kubectl diff -f - | grep '^[+-] '; true",
        /replicas: 5/,
      ),
      same("diff of what is the same", "kubectl diff -f two.yaml"),
    ],
  },
  {
    name: "create",
    files: {
      "key.yaml": map("fromfile"),
      "dir/a.yaml": map("inside"),
      "dir/deep/b.json":
        '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"}}]}',
    },
    cases: [
      same("deployment", "kubectl create deployment d1 --image=a --image=b --replicas=2 --port=80"),
      same("deployment on the client", "kubectl create deployment d2 --image=a --dry-run=client -o yaml"),
      same("configmap of literals", "kubectl create configmap c1 --from-literal=a=1 --from-literal=b=2"),
      same(
        "configmap of a file",
        "kubectl create cm c2 --from-file=key.yaml && kubectl get cm c2 -o jsonpath='{.data}'",
      ),
      same("configmap twice", "kubectl create cm c2 --from-file=key.yaml", /already exists/),
      same("on the server only", "kubectl create cm c3 --from-literal=a=b --dry-run=server -o yaml"),
      same("secret generic", "kubectl create secret generic s1 --from-literal=k=v"),
      same(
        "secret docker-registry",
        "kubectl create secret docker-registry reg --docker-username=u --docker-password=p --docker-server=s && kubectl get secret reg -o jsonpath='{.type}'",
      ),
      same(
        "secret tls without a pair",
        "kubectl create secret tls t1 --cert=key.yaml --key=key.yaml",
        /failed to (?:load|find)/,
      ),
      same(
        "secret tls",
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=shop -keyout key -out cert 2>/dev/null; kubectl create secret tls t2 --cert=cert --key=key && kubectl get secret t2",
        /kubernetes.io.tls/,
      ),
      same(
        "namespace",
        "kubectl create ns $NAMESPACE-more && kubectl get ns $NAMESPACE-more -o jsonpath='{.status.phase}'",
      ),
      same("quota", "kubectl create quota q1 --hard=pods=200,services=10"),
      same("service account", "kubectl create sa sa1"),
      same("role", "kubectl create role r1 --verb=get,list --resource=pods --resource=deployments.apps"),
      same(
        "role of a resource that there is not",
        "kubectl create role r2 --verb=get --resource=nothings",
        /doesn't have a resource type/,
      ),
      same("role binding", "kubectl create rolebinding rb1 --role=r1 --serviceaccount=$NAMESPACE:sa1"),
      same("cluster role", "kubectl create clusterrole kubectl-cr1 --verb=get --resource=pods"),
      same("aggregated cluster role", 'kubectl create clusterrole kubectl-cr2 --aggregation-rule="a=b"'),
      same(
        "cluster role of a path",
        "kubectl create clusterrole kubectl-cr3 --verb=get --non-resource-url=/logs/*",
      ),
      same(
        "cluster role binding",
        "kubectl create clusterrolebinding kubectl-crb1 --clusterrole=view --user=u1",
      ),
      same(
        "ingress",
        "kubectl create ingress i1 --rule='foo.com/bar=app:80' --rule='bar.com/*=app:http,tls=secret'",
      ),
      same("disruption budget", "kubectl create pdb pdb1 --selector=app=app --min-available=1"),
      same("priority class", "kubectl create priorityclass kubectl-pc1 --value=1000 --description=some"),
      same("service clusterip", "kubectl create svc clusterip svc1 --tcp=80:8080"),
      same("service headless", "kubectl create svc clusterip svc2 --clusterip=None"),
      same("service nodeport", "kubectl create svc nodeport svc3 --tcp=80:80"),
      same("service externalname", "kubectl create svc externalname svc4 --external-name=foo.com"),
      same("service loadbalancer", "kubectl create svc loadbalancer svc5 --tcp=80:80"),
      same("job", "kubectl create job j1 --image=busybox -- true"),
      same("cron job", "kubectl create cronjob cj1 --image=busybox --schedule='*/1 * * * *' -- date"),
      same("job of a cron job", "kubectl create job j2 --from=cronjob/cj1"),
      same(
        "cron job with a wrong schedule",
        "kubectl create cronjob cj2 --image=busybox --schedule='every day' -- date",
      ),
      same("token", "kubectl create token sa1 --duration=1h | cut -c1-3", /eyJ/),
      same(
        "token bound to a secret",
        "kubectl create token sa1 --bound-object-kind=Secret --bound-object-name=s1 | cut -c1-3",
        /eyJ/,
      ),
      same("token of nobody", "kubectl create token nobody", /not found/),
      same("folder", "kubectl create -f dir -R"),
      same(
        "expose",
        "kubectl expose deploy d1 --port=80 --name=exp1 && kubectl expose deploy d1 --port=80 --name=exp2 --type=LoadBalancer",
      ),
      same("autoscale", "kubectl autoscale deploy d1 --min=1 --max=3 --cpu=80%"),
      same("run", "kubectl run p1 --image=nginx --labels=a=b --env=X=1 --port=80 --expose"),
      same("run of a command", "kubectl run p3 --image=busybox --restart=Never -- sleep 1"),
      same(
        "run on the client",
        "kubectl run p2 --image=nginx --restart=Never --dry-run=client -o yaml -- sleep 1",
      ),
    ],
  },
  {
    name: "patch, replace, edit",
    files: {
      "web.yaml": web,
      "patch.yaml": 'spec:\n  template:\n    metadata:\n      annotations: { p: "1" }\n',
      "edit.sh": '#!/bin/sh\nsed -i "s/SIZE: .*/SIZE: \\"77\\"/" "$1"\n',
      "spoil.sh": '#!/bin/sh\nsed -i "s/replicas: .*/replicas: many/" "$1"\n',
    },
    cases: [
      same("begins", "kubectl apply -f web.yaml"),
      same(
        "strategic",
        `kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"A","value":"1"}]}]}}}}' -o jsonpath='{.spec.template.spec.containers}'`,
      ),
      same("merge", `kubectl patch deploy web --type=merge -p '{"metadata":{"labels":{"m":"1"}}}'`),
      same(
        "JSON",
        `kubectl patch deploy web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":1}]'`,
      ),
      same(
        "JSON at a path that there is not",
        `kubectl patch deploy web --type=json -p '[{"op":"remove","path":"/spec/nothing"}]'`,
        /the server rejected/,
      ),
      same(
        "of the scale",
        `kubectl patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`,
      ),
      same(
        "of the status",
        `kubectl patch deploy web --subresource=status --type=merge -p '{"status":{"observedGeneration":1}}'`,
      ),
      same("of a file", "kubectl patch deploy web --patch-file patch.yaml"),
      same(
        "without a change",
        `kubectl patch cm settings --type=merge -p '{"data":{"SIZE":"1"}}'`,
        /no change/,
      ),
      same("of what there is not", `kubectl patch cm none --type=merge -p '{}'`, /NotFound/),
      same(
        "of what is wrong",
        `kubectl patch deploy web -p '{"spec":{"replicas":-1}}'`,
        /must be greater than or equal to 0/,
      ),
      same(
        "replace",
        `kubectl get cm settings -o yaml | sed 's/SIZE: "1"/SIZE: "9"/' | kubectl replace -f -`,
      ),
      same("replace by force", "kubectl get cm settings -o yaml | kubectl replace --force -f -"),
      same(
        "edit",
        "KUBE_EDITOR='sh edit.sh' kubectl edit cm settings && kubectl get cm settings -o jsonpath='{.data.SIZE}'",
        /77/,
      ),
      same("edit that changes nothing", "KUBE_EDITOR=true kubectl edit cm settings", /cancelled/),
      same(
        "edit of the status",
        "KUBE_EDITOR='sed -i s/observedGeneration:.*/observedGeneration:\\ 1/' kubectl edit deploy web --subresource=status",
        /edited|cancelled/,
      ),
    ],
  },
  {
    name: "label, annotate, set",
    files: { "web.yaml": web },
    cases: [
      same("begins", "kubectl apply -f web.yaml"),
      same("label", "kubectl label deploy web tier=front"),
      same("label that is there", "kubectl label deploy web tier=back", /already has a value/),
      same("label by force", "kubectl label deploy web tier=back --overwrite"),
      same("label goes", "kubectl label deploy web tier-"),
      same("label of all", "kubectl label cm settings x=y && kubectl get cm -l x=y -o name"),
      same("label of all by name", "kubectl label cm --all all=yes"),
      same("label that is wrong", "kubectl label cm settings 'x=y z'", /a valid label/),
      same("annotate", "kubectl annotate deploy web note=hello"),
      same(
        "annotate an older version",
        "kubectl annotate deploy web note=b --overwrite --resource-version=1",
        /modified/,
      ),
      same("set image", "kubectl set image deploy/web web=web:2"),
      same(
        "set image of no container",
        "kubectl set image deploy/web none=web:2",
        /unable to find container/,
      ),
      same("set env", "kubectl set env deploy/web FOO=bar"),
      same("set env, listed", "kubectl set env deploy/web --list"),
      unordered(
        "set env from",
        "kubectl set env deploy/web --from=configmap/settings && kubectl set env deploy/web --list --resolve",
      ),
      same(
        "set resources",
        "kubectl set resources deploy/web --limits=cpu=200m,memory=64Mi && kubectl get deploy web -o jsonpath='{.spec.template.spec.containers[0].resources}'",
      ),
      same("set selector", "kubectl set selector svc/web 'app=other'"),
      same("set serviceaccount", "kubectl set serviceaccount deploy/web default"),
      same(
        "set subject",
        "kubectl create rolebinding rb --clusterrole=view --user=u1 && kubectl set subject rolebinding rb --user=u2 && kubectl get rolebinding rb -o jsonpath='{.subjects}'",
      ),
    ],
  },
  {
    name: "certificates",
    files: { "request.sh": requestCertificate },
    cases: [
      same("are asked for", "sh request.sh kubectl-one && sh request.sh kubectl-two", /created/),
      same("approve", "kubectl certificate approve kubectl-one", /approved/),
      same("approve again", "kubectl certificate approve kubectl-one"),
      same("deny", "kubectl certificate deny kubectl-two", /denied/),
      same("approve what is denied", "kubectl certificate approve kubectl-two"),
      same("deny what there is not", "kubectl certificate deny kubectl-none", /NotFound/),
      same(
        "columns",
        "kubectl get csr kubectl-one kubectl-two --no-headers | awk '{ print $1, $3, $5, $6 }'",
        /Approved/,
      ),
      same("describe", "kubectl describe csr kubectl-one | grep -v '^Requesting User'", /Signer/),
      same("delete", "kubectl delete csr kubectl-one kubectl-two"),
    ],
  },
  {
    name: "delete",
    files: { "web.yaml": web },
    cases: [
      same(
        "in the background",
        "kubectl create deploy bg --image=x && kubectl wait --for=create rs -l app=bg --timeout=20s >/dev/null && kubectl delete deploy bg --cascade=background && kubectl wait --for=delete rs -l app=bg --timeout=20s && kubectl get rs -l app=bg",
      ),
      same(
        "in the foreground",
        "kubectl create deploy fg --image=x && kubectl wait --for=create rs -l app=fg --timeout=20s >/dev/null && kubectl delete deploy fg --cascade=foreground --timeout=20s && kubectl get rs -l app=fg",
      ),
      same(
        "leaving orphans",
        "kubectl create deploy orph --image=x && kubectl wait --for=create rs -l app=orph --timeout=20s >/dev/null && kubectl delete deploy orph --cascade=orphan && kubectl get rs -l app=orph -o jsonpath='{.items[*].metadata.ownerReferences}' && kubectl delete rs -l app=orph",
      ),
      same(
        "by label",
        "kubectl create cm one --from-literal=a=b && kubectl label cm one set=x && kubectl delete cm -l set=x",
      ),
      same("what there is not", "kubectl delete cm none", /NotFound/),
      same("what there is not, in peace", "kubectl delete cm none --ignore-not-found"),
      same("all", "kubectl create job j --image=x -- true && kubectl delete job --all"),
      same("at once", "kubectl run now --image=x && kubectl delete pod now --now"),
      same("by force", "kubectl run forced --image=x && kubectl delete pod forced --force --grace-period=0"),
      same(
        "on the server only",
        "kubectl create cm kept --from-literal=a=b && kubectl delete cm kept --dry-run=server && kubectl get cm kept -o name",
      ),
      same(
        "held by a finalizer",
        `kubectl patch cm kept --type=merge -p '{"metadata":{"finalizers":["a.b/c"]}}' && kubectl delete cm kept --wait=false && kubectl patch cm kept --type=merge -p '{"metadata":{"finalizers":null}}'; kubectl get cm kept`,
        /NotFound/,
      ),
      same(
        "raw",
        'kubectl create cm raw --from-literal=a=b && kubectl delete --raw /api/v1/namespaces/$NAMESPACE/configmaps/raw | sed \'s/"uid":"[^"]*"//\'',
      ),
      same("what a file says", "kubectl apply -f web.yaml && kubectl delete -f web.yaml"),
      same(
        "a namespace",
        "kubectl create ns $NAMESPACE-gone && kubectl delete ns $NAMESPACE-gone --timeout=60s",
      ),
    ],
  },
  {
    name: "custom resources",
    files: { "crd.yaml": widgets, "one.yaml": widget(1), "three.yaml": widget(3), "wrong.yaml": widget(-1) },
    cases: [
      same(
        "define",
        "kubectl apply -f crd.yaml && kubectl wait --for=condition=Established crd/widgets.shop.example.com --timeout=20s",
      ),
      same(
        "create",
        "until kubectl get widgets >/dev/null 2>&1; do sleep 0.2; done; kubectl apply -f one.yaml",
      ),
      same("change", "kubectl apply -f three.yaml"),
      same("refuse", "kubectl apply -f wrong.yaml", /should be greater than or equal to 0/),
      same("columns", "kubectl get wd"),
      same("scale", "kubectl scale widget/w --replicas=2 && kubectl get wd w -o jsonpath='{.spec.size}'"),
      same("explain", "kubectl explain widget.spec"),
      same("explain deeply", "kubectl explain widget --recursive | grep -v fieldsV1"),
      same(
        "patch of the status",
        `kubectl patch widget w --subresource=status --type=merge -p '{"status":{"size":2}}'`,
      ),
      same("strategic patch", `kubectl patch widget w -p '{"spec":{"size":4}}'`),
      same("describe", "kubectl describe widget w"),
      same("describe the definition", "kubectl describe crd widgets.shop.example.com", /Accepted Names/),
      same("delete the definition", "kubectl delete crd widgets.shop.example.com --timeout=20s"),
    ],
  },
];
