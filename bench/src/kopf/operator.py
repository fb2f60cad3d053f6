"""Widget operator on kopf: create/update/resume handlers on Widgets, an event handler on ConfigMaps for repair.

Child reads and writes go straight through aiohttp (kopf has no client of its own); the status goes through kopf's patch.
ConfigMaps are read from the API: kopf's in-memory indices start in quadratic time. Changed default:
settings.posting.enabled=False (kopf otherwise posts an Event per handled change).
"""

import base64
import datetime
import os
import ssl

import aiohttp
import kopf
import yaml

GROUP, VERSION, PLURAL = "bench.example.com", "v1", "widgets"
http: aiohttp.ClientSession
base = ""


@kopf.on.startup()
async def startup(settings: kopf.OperatorSettings, **_):
    global http, base
    with open(os.environ["KUBECONFIG"]) as f:
        cfg = yaml.safe_load(f)
    cluster = cfg["clusters"][0]["cluster"]
    ctx = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    base = cluster["server"]
    http = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=int(os.environ.get("BENCH_WORKERS", "16")), ssl=ctx),
        headers={"Authorization": f"Bearer {cfg['users'][0]['user']['token']}"},
    )
    settings.posting.enabled = False


@kopf.on.cleanup()
async def cleanup(**_):
    await http.close()


async def ensure(namespace, name, uid, size, payload, current):
    data = {**payload, "size": str(size)}
    if current is not None and current[0] == data and uid in current[1]:
        return
    owner = {
        "apiVersion": f"{GROUP}/{VERSION}", "kind": "Widget", "name": name, "uid": uid,
        "controller": True, "blockOwnerDeletion": True,
    }
    cm = {
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": f"w-{name}", "namespace": namespace, "ownerReferences": [owner]},
        "data": data,
    }
    url = f"{base}/api/v1/namespaces/{namespace}/configmaps"
    if current is None:
        async with http.post(url, json=cm) as r:
            if r.status == 409:
                current = ()
            else:
                r.raise_for_status()
    if current is not None:
        async with http.put(f"{url}/w-{name}", json=cm) as r:
            r.raise_for_status()


async def read(path):
    async with http.get(base + path) as r:
        if r.status == 404:
            return None
        r.raise_for_status()
        return await r.json()


def brief(cm):
    refs = cm["metadata"].get("ownerReferences") or []
    return (dict(cm.get("data") or {}), [r["uid"] for r in refs if r.get("controller")])


@kopf.on.resume(GROUP, VERSION, PLURAL)
@kopf.on.create(GROUP, VERSION, PLURAL)
@kopf.on.update(GROUP, VERSION, PLURAL)
async def reconcile(namespace, name, uid, spec, status, meta, patch, **_):
    cm = await read(f"/api/v1/namespaces/{namespace}/configmaps/w-{name}")
    await ensure(namespace, name, uid, spec.get("size", 0), dict(spec.get("payload") or {}), cm and brief(cm))
    old = next((c for c in status.get("conditions") or [] if c["type"] == "Ready"), None)
    ready = old is not None and old["status"] == "True"
    if status.get("observedGeneration") == meta["generation"] and ready:
        return
    patch.status["observedGeneration"] = meta["generation"]
    if not ready:
        patch.status["conditions"] = [{
            "type": "Ready", "status": "True", "reason": "Reconciled", "message": "ConfigMap is up to date",
            "lastTransitionTime": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}]


@kopf.on.event("", "v1", "configmaps")
async def repair(type, namespace, name, body, **_):
    if type not in ("MODIFIED", "DELETED") or not name.startswith("w-"):
        return
    refs = body.metadata.get("ownerReferences") or []
    owner = next((r for r in refs if r.get("controller") and r["kind"] == "Widget"), None)
    w = owner and await read(f"/apis/{GROUP}/{VERSION}/namespaces/{namespace}/{PLURAL}/{owner['name']}")
    if not w or w["metadata"]["uid"] != owner["uid"]:
        return
    current = None if type == "DELETED" else brief(body)
    await ensure(namespace, owner["name"], owner["uid"], w["spec"].get("size", 0), w["spec"].get("payload") or {}, current)
