// The official Java client: models that refuse what they do not know, informers on OkHttp, commands, ports, copies, pagers, patches.
import com.google.gson.Gson;
import io.kubernetes.client.*;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.*;
import io.kubernetes.client.openapi.*;
import io.kubernetes.client.openapi.apis.*;
import io.kubernetes.client.openapi.models.*;
import io.kubernetes.client.util.*;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;

public class OfficialClient {
  static final String namespace = "shop";
  static final Gson gson = new Gson();

  static void step(String name, Callable<Object> run) {
    Object value;
    try {
      value = run.call();
    } catch (ApiException error) {
      value = List.of(error.getCode(), "" + error.getResponseBody());
    } catch (Exception error) {
      value = error.toString();
    }
    System.out.println(gson.toJson(Collections.singletonMap(name, value)));
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = Config.defaultClient();
    client.setReadTimeout(0);
    Configuration.setDefaultApiClient(client);
    var core = new CoreV1Api(client);
    var apps = new AppsV1Api(client);

    step("typed", () -> {
      var kinds = new TreeSet<String>();
      kinds.add(core.listNamespace().execute().getKind());
      kinds.add(core.listServiceForAllNamespaces().execute().getKind());
      kinds.add(core.listEventForAllNamespaces().execute().getKind());
      kinds.add(new RbacAuthorizationV1Api(client).listClusterRole().execute().getKind());
      kinds.add(new ApiregistrationV1Api(client).listAPIService().execute().getKind());
      kinds.add(new FlowcontrolApiserverV1Api(client).listFlowSchema().execute().getKind());
      kinds.add(new StorageV1Api(client).listStorageClass().execute().getKind());
      kinds.add(new CoordinationV1Api(client).listLeaseForAllNamespaces().execute().getKind());
      kinds.add(new DiscoveryV1Api(client).listEndpointSliceForAllNamespaces().execute().getKind());
      return kinds;
    });
    step("discovery", () -> new io.kubernetes.client.Discovery(client).findAll().stream()
        .map(each -> each.getGroup() + " " + each.getKind() + " " + new TreeSet<>(each.getVersions())).sorted().toList());

    var seen = new ConcurrentSkipListSet<String>();
    var factory = new SharedInformerFactory(client);
    var pods = new GenericKubernetesApi<>(V1Pod.class, V1PodList.class, "", "v1", "pods", client);
    var informer = factory.sharedIndexInformerFor(pods, V1Pod.class, 0, namespace);
    informer.addEventHandler(new ResourceEventHandler<V1Pod>() {
      public void onAdd(V1Pod pod) { seen.add("added"); }
      public void onUpdate(V1Pod old, V1Pod pod) { seen.add("updated"); }
      public void onDelete(V1Pod pod, boolean isUnknown) { seen.add("deleted"); }
    });
    factory.startAllRegisteredInformers();

    var pod = new V1Pod().metadata(new V1ObjectMeta().name("java").labels(Map.of("app", "java")))
        .spec(new V1PodSpec().containers(List.of(new V1Container().name("c").image("web"))).terminationGracePeriodSeconds(0L));
    // The model has an empty one, which Kubernetes refuses.
    pod.getSpec().overhead(null);
    step("create", () -> core.createNamespacedPod(namespace, pod).execute().getSpec().getRestartPolicy());
    step("running", () -> {
      for (int each = 0; each < 600; each++) {
        var status = core.readNamespacedPod("java", namespace).execute().getStatus();
        if ("Running".equals(status.getPhase())) return status.getQosClass();
        Thread.sleep(50);
      }
      return "not in time";
    });
    step("log", () -> new String(new PodLogs(client).streamNamespacedPodLog(namespace, "java", "c").readNBytes(20), StandardCharsets.UTF_8));
    for (var command : List.of("greet", "fail", "nothing")) {
      step("exec of " + command, () -> {
        var process = new Exec(client).exec(namespace, "java", new String[] {command}, "c", false, false);
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        var err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor(20, TimeUnit.SECONDS);
        return List.of(out, err, process.exitValue());
      });
    }
    step("port-forward", () -> {
      var forward = new PortForward(client).forward(namespace, "java", List.of(80));
      var out = forward.getOutboundStream(80);
      out.write("GET / HTTP/1.1\r\nHost: web\r\nConnection: keep-alive\r\n\r\n".getBytes());
      out.flush();
      var text = new StringBuilder();
      var in = forward.getInputStream(80);
      for (int each; !text.toString().contains("served by the pod") && (each = in.read()) >= 0; ) text.append((char) each);
      return text.substring(text.indexOf("\r\n\r\n") + 4);
    });
    step("strategic patch", () -> new TreeMap<>(PatchUtils.patch(V1Pod.class,
        () -> core.patchNamespacedPod("java", namespace, new V1Patch("{\"metadata\":{\"labels\":{\"a\":\"b\"}}}")).buildCall(null),
        V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, client).getMetadata().getLabels()));
    step("apply", () -> {
      var applied = PatchUtils.patch(V1ConfigMap.class,
          () -> core.patchNamespacedConfigMap("java", namespace, new V1Patch("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"java\"},\"data\":{\"a\":\"1\"}}"))
              .fieldManager("java").force(true).buildCall(null),
          V1Patch.PATCH_FORMAT_APPLY_YAML, client);
      return applied.getMetadata().getManagedFields().get(0).getManager();
    });
    step("dynamic", () -> {
      var maps = new DynamicKubernetesApi("", "v1", "configmaps", client);
      return maps.get(namespace, "java").throwsApiException().getObject().getRaw().get("data");
    });
    step("pages", () -> core.listNamespacedConfigMap(namespace).limit(1).execute().getMetadata().getContinue() != null);
    step("wrong", () -> core.createNamespacedPod(namespace, new V1Pod().metadata(new V1ObjectMeta().name("UPPER")).spec(pod.getSpec())).execute());
    step("none", () -> apps.readNamespacedDeployment("none", namespace).execute());
    step("delete", () -> pods.delete(namespace, "java").isSuccess());
    step("config goes", () -> core.deleteNamespacedConfigMap("java", namespace).execute().getStatus());
    step("seen", () -> {
      for (int each = 0; each < 600 && !seen.contains("deleted"); each++) Thread.sleep(50);
      return seen;
    });
    factory.stopAllRegisteredInformers();
    System.exit(0);
  }
}
