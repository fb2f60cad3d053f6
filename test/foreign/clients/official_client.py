"""The official Python client: typed calls, which refuse what does not fit its models, and the dynamic client."""

import threading
import time
import urllib.request

from kubernetes import client, config, dynamic, watch
from kubernetes.client import api_client
from kubernetes.stream import portforward, stream
from transcript import show, step

config.load_kube_config()
api = api_client.ApiClient()
core, apps, batch = client.CoreV1Api(api), client.AppsV1Api(api), client.BatchV1Api(api)
custom, policy = client.CustomObjectsApi(api), client.PolicyV1Api(api)
namespace = "shop"


def deployment(replicas=2, image="web:1"):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": image, "ports": [{"containerPort": 80}]}]},
            },
        },
    }


def until(check, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = check()
        if value:
            return value
        time.sleep(0.1)
    raise TimeoutError("not in time")


def available(replicas):
    def check():
        status = apps.read_namespaced_deployment("web", namespace).status
        return status.available_replicas == replicas and status.updated_replicas == replicas
    return until(check)


def pod_name():
    pods = core.list_namespaced_pod(namespace, label_selector="app=web", field_selector="status.phase=Running")
    return next(pod.metadata.name for pod in pods.items if pod.metadata.deletion_timestamp is None)


# Each type is listed and read by the models, where there is one.
resources = dynamic.DynamicClient(api).resources
found = [each for each in resources.search() if not each.kind.endswith("List")]
show("types", sorted(f"{each.group}/{each.api_version} {each.kind} {each.name}" for each in found))
for each in sorted(found, key=lambda each: (each.group or "", each.api_version, each.name)):
    if "list" not in each.verbs or "metrics" in (each.group or ""):
        continue
    step(f"list {each.group}/{each.name}", lambda: each.get(limit=500).kind)
typed = {
    "nodes": core.list_node,
    "namespaces": core.list_namespace,
    "events": core.list_event_for_all_namespaces,
    "services": core.list_service_for_all_namespaces,
    "leases": client.CoordinationV1Api(api).list_lease_for_all_namespaces,
    "roles": client.RbacAuthorizationV1Api(api).list_cluster_role,
    "bindings": client.RbacAuthorizationV1Api(api).list_cluster_role_binding,
    "definitions": client.ApiextensionsV1Api(api).list_custom_resource_definition,
    "priorities": client.SchedulingV1Api(api).list_priority_class,
    "api services": client.ApiregistrationV1Api(api).list_api_service,
    "flow schemas": client.FlowcontrolApiserverV1Api(api).list_flow_schema,
    "endpoint slices": client.DiscoveryV1Api(api).list_endpoint_slice_for_all_namespaces,
    "autoscalers": client.AutoscalingV2Api(api).list_horizontal_pod_autoscaler_for_all_namespaces,
}
for name, listing in typed.items():
    step(f"typed {name}", lambda: type(listing()).__name__)

step("create", lambda: apps.create_namespaced_deployment(namespace, deployment()).status.to_dict())
step("available", lambda: available(2))


def seen():
    names = []
    stream_of = watch.Watch().stream(
        apps.list_namespaced_deployment, namespace, field_selector="metadata.name=web", timeout_seconds=30
    )
    for event in stream_of:
        names.append((event["type"], event["object"].spec.replicas))
        if names[-1] == ("MODIFIED", 3):
            return sorted(set(names))
        if len(names) == 1:
            threading.Thread(
                target=apps.patch_namespaced_deployment_scale, args=("web", namespace, {"spec": {"replicas": 3}})
            ).start()
    return names


step("watch", seen)
step("scale", lambda: apps.read_namespaced_deployment_scale("web", namespace).spec.to_dict())
step("scaled", lambda: available(3))
strategic = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "web:2"}]}}}}
step(
    "strategic patch",
    lambda: apps.patch_namespaced_deployment("web", namespace, strategic).spec.template.spec.containers[0].to_dict(),
)
step("rolled", lambda: available(3))
ports = [{"op": "replace", "path": "/spec/replicas", "value": 1}, {"op": "test", "path": "/spec/replicas", "value": 2}]
step("JSON patch whose test fails", lambda: apps.patch_namespaced_deployment("web", namespace, ports))
step(
    "JSON patch",
    lambda: apps.patch_namespaced_deployment("web", namespace, ports[:1]).spec.replicas,
)
step("one is left", lambda: available(1))
step("wrong", lambda: apps.create_namespaced_deployment(namespace, deployment(replicas=-1)))
step("twice", lambda: apps.create_namespaced_deployment(namespace, deployment()))
step("none", lambda: core.read_namespaced_pod("none", namespace))
step(
    "dry run of what has unknown fields",
    lambda: apps.create_namespaced_deployment(
        namespace,
        {**deployment(), "metadata": {"name": "other"}, "typo": 1},
        dry_run="All",
        field_validation="Strict",
    ),
)

step("log", lambda: core.read_namespaced_pod_log(pod_name(), namespace))
step(
    "log in lines",
    lambda: [
        line.decode()
        for line in core.read_namespaced_pod_log(pod_name(), namespace, timestamps=True, _preload_content=False)
    ],
)


def run(*command, **options):
    return stream(
        core.connect_get_namespaced_pod_exec,
        pod_name(),
        namespace,
        command=list(command),
        stderr=True,
        stdin=False,
        stdout=True,
        tty=False,
        **options,
    )


def with_input():
    answer = stream(
        core.connect_get_namespaced_pod_exec,
        pod_name(),
        namespace,
        command=["fail"],
        stderr=True,
        stdin=True,
        stdout=True,
        tty=False,
        _preload_content=False,
    )
    answer.run_forever(timeout=20)
    code = answer.returncode
    return {"out": answer.read_all(), "code": code}


step("exec", lambda: run("greet"))
step("exec that fails", with_input)
step("exec of nothing", lambda: run("nothing"))


def through_port():
    forwarded = portforward(core.connect_get_namespaced_pod_portforward, pod_name(), namespace, ports="80")
    socket = forwarded.socket(80)
    socket.setblocking(True)
    socket.sendall(b"GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
    text = b""
    while chunk := socket.recv(65536):
        text += chunk
    socket.close()
    return {"text": text.split(b"\r\n\r\n")[-1].decode(), "error": forwarded.error(80)}


step("port-forward", through_port)
step(
    "eviction",
    lambda: core.create_namespaced_pod_eviction(
        pod_name(), namespace, client.V1Eviction(metadata=client.V1ObjectMeta(name=pod_name()))
    ).to_dict(),
)
step("pages", lambda: [
    len(first.items) for first in [core.list_namespaced_pod(namespace, limit=1)]
])
step(
    "token",
    lambda: core.create_namespaced_service_account_token(
        "default", namespace, client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[]))
    ).spec.to_dict().keys(),
)
definition = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}},
                            "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
                        },
                    }
                },
            }
        ],
    },
}
definitions = client.ApiextensionsV1Api(api)
step("definition", lambda: definitions.create_custom_resource_definition(definition).status.to_dict())
step(
    "established",
    lambda: until(
        lambda: [
            each.status
            for each in definitions.read_custom_resource_definition("widgets.example.com").status.conditions or []
            if each.type == "Established"
        ]
        == ["True"]
    ),
)
widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": {}}
of_widgets = ("example.com", "v1", namespace, "widgets")
step(
    "custom",
    lambda: until(lambda: custom.create_namespaced_custom_object(*of_widgets, widget))["spec"],
)
step(
    "custom status",
    lambda: custom.patch_namespaced_custom_object_status(*of_widgets, "one", {"status": {"ready": True}})["status"],
)
step("custom that is wrong", lambda: custom.patch_namespaced_custom_object(*of_widgets, "one", {"spec": {"size": "x"}}))
widgets = dynamic.DynamicClient(api).resources.get(api_version="example.com/v1", kind="Widget")
step(
    "applied by a server-side apply",
    lambda: widgets.server_side_apply(
        body={**widget, "spec": {"size": 5}}, name="one", namespace=namespace, field_manager="python", force_conflicts=True
    ).metadata.managedFields[0].to_dict(),
)
step(
    "all are deleted",
    lambda: custom.delete_collection_namespaced_custom_object(*of_widgets).get("kind"),
)
step("definition goes", lambda: definitions.delete_custom_resource_definition("widgets.example.com").status)
step(
    "job",
    lambda: batch.create_namespaced_job(
        namespace,
        {
            "metadata": {"name": "once"},
            "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "job"}]}}},
        },
    ).spec.to_dict(),
)
step("job is done", lambda: until(lambda: batch.read_namespaced_job("once", namespace).status.succeeded))
step(
    "job goes",
    lambda: batch.delete_namespaced_job("once", namespace, propagation_policy="Foreground").status,
)
step("deployment goes", lambda: apps.delete_namespaced_deployment("web", namespace, propagation_policy="Foreground").status)
step("nothing is left", lambda: until(lambda: not core.list_namespaced_pod(namespace).items))
