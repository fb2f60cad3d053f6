// The fields of ingresses, network policies and addresses of Services of networking.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of ingresses, network policies and addresses of Services of networking.k8s.io/v1. */
export const networkingSchemas = `
HTTPIngressPath: backend*#2@3 IngressBackend, path#1 string, pathType*?#3 string
HTTPIngressRuleValue: paths*#1 [HTTPIngressPath]
IPBlock: cidr*#1 string, except#2 [string]
Ingress (object): spec+#2 IngressSpec, status+#3 IngressStatus
IngressBackend: resource#3@4 TypedLocalObjectReference, service#4 IngressServiceBackend
IngressClass (object): spec+#2 IngressClassSpec
IngressClassParametersReference: apiGroup?#1 string, kind*#2 string, name*#3 string, namespace?#5 string,
    scope?#4 string
IngressClassSpec: controller#1 string, parameters#2 IngressClassParametersReference
IngressLoadBalancerIngress: hostname#2 string, ip#1 string, ports#4 [IngressPortStatus]
IngressLoadBalancerStatus: ingress#1 [IngressLoadBalancerIngress]
IngressPortStatus: error?#3 string, port*#1 int, protocol*#2 string
IngressRule: host#1 string, http#2.1 HTTPIngressRuleValue
IngressServiceBackend: name*#1 string, port+#2 ServiceBackendPort
IngressSpec: defaultBackend#1 IngressBackend, ingressClassName?#4@0 string, rules#3 [IngressRule],
    tls#2 [IngressTLS]
IngressStatus: loadBalancer+#1 IngressLoadBalancerStatus
IngressTLS: hosts#1 [string], secretName#2 string
NetworkPolicy (object): spec+#2 NetworkPolicySpec
NetworkPolicyEgressRule: ports#1 [NetworkPolicyPort], to#2 [NetworkPolicyPeer]
NetworkPolicyIngressRule: from#2 [NetworkPolicyPeer], ports#1 [NetworkPolicyPort]
NetworkPolicyPeer: ipBlock#3 IPBlock, namespaceSelector#2 LabelSelector, podSelector#1 LabelSelector
NetworkPolicyPort: endPort?#3 int, port#2 intstr, protocol?#1 string
NetworkPolicySpec: egress#3 [NetworkPolicyEgressRule], ingress#2 [NetworkPolicyIngressRule],
    podSelector+#1 LabelSelector, policyTypes#4 [string]
IPAddress (object): spec*#2 IPAddressSpec
IPAddressSpec: parentRef*?#1 ParentReference
ParentReference: group#1 string, name*#4 string, namespace#3 string, resource*#2 string
ServiceCIDR (object): spec+#2 ServiceCIDRSpec, status+#3 ServiceCIDRStatus
ServiceCIDRSpec: cidrs#1 [string]
ServiceCIDRStatus: conditions#1 [Condition] map(type) merge(type)
ServiceBackendPort (atomic): name#1 string, number#2 int
`;
