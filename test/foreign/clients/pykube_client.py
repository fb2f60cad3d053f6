"""pykube-ng, on requests: what kopf's users take beside it."""

import operator

import pykube
from transcript import show, step

api = pykube.HTTPClient(pykube.KubeConfig.from_env())
namespace = "shop"
show("version", api.version[0])
show("types", sorted(each["name"] for each in api.resource_list("v1")["resources"]))
pod = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "kube", "namespace": namespace, "labels": {"app": "kube"}},
    "spec": {"containers": [{"name": "c", "image": "web"}], "terminationGracePeriodSeconds": 0},
}
one = pykube.Pod(api, pod)
step("create", one.create)


def ready():
    for event in pykube.Pod.objects(api, namespace=namespace).filter(selector={"app": "kube"}).watch():
        if event.object.ready:
            return event.type in ("ADDED", "MODIFIED")


step("watch until ready", ready)
step("logs", lambda: one.logs(tail_lines=5))
step("selector in set", lambda: len(pykube.Pod.objects(api, namespace=namespace).filter(selector={"app__in": {"kube", "web"}})))
step("query by field", lambda: len(pykube.Pod.objects(api).filter(namespace=pykube.all, field_selector={"metadata.name": "kube"})))


def updated():
    one.reload()
    one.annotations["note"] = "here"
    one.labels["other"] = "b"
    one.update()
    return one.annotations["note"], one.labels


step("update, which is a merge patch", updated)
step("wrong update", lambda: one.patch({"spec": {"nodeName": "elsewhere"}}))
step("json patch", lambda: one.patch([{"op": "remove", "path": "/metadata/labels/other"}], subresource=None))
Kind = pykube.object_factory(api, "apps/v1", "Deployment")
step("made up kind", lambda: (Kind.endpoint, Kind.version))
step("none", lambda: pykube.Pod.objects(api, namespace=namespace).get(name="none"))
step("delete", lambda: one.delete(propagation_policy="Background"))
step("gone", lambda: not any(iter(lambda: one.exists(), False)) or True)
show("ordered", sorted((each.name for each in pykube.Namespace.objects(api)), key=operator.itemgetter(0)))
