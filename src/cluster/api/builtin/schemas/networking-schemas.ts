// The fields of ingresses and network policies of networking.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of ingresses and network policies of networking.k8s.io/v1. */
export const networkingSchemas = `
HTTPIngressPath: backend* IngressBackend, path string, pathType* string
HTTPIngressRuleValue: paths* [HTTPIngressPath]
IPBlock: cidr* string, except [string]
Ingress (object): spec IngressSpec, status IngressStatus
IngressBackend: resource TypedLocalObjectReference, service IngressServiceBackend
IngressLoadBalancerIngress: hostname string, ip string, ports [IngressPortStatus]
IngressLoadBalancerStatus: ingress [IngressLoadBalancerIngress]
IngressPortStatus: error string, port* int, protocol* string
IngressRule: host string, http HTTPIngressRuleValue
IngressServiceBackend: name* string, port ServiceBackendPort
IngressSpec: defaultBackend IngressBackend, ingressClassName string, rules [IngressRule], tls [IngressTLS]
IngressStatus: loadBalancer IngressLoadBalancerStatus
IngressTLS: hosts [string], secretName string
NetworkPolicy (object): spec NetworkPolicySpec
NetworkPolicyEgressRule: ports [NetworkPolicyPort], to [NetworkPolicyPeer]
NetworkPolicyIngressRule: from [NetworkPolicyPeer], ports [NetworkPolicyPort]
NetworkPolicyPeer: ipBlock IPBlock, namespaceSelector LabelSelector, podSelector LabelSelector
NetworkPolicyPort: endPort int, port intstr, protocol string
NetworkPolicySpec: egress [NetworkPolicyEgressRule], ingress [NetworkPolicyIngressRule],
    podSelector LabelSelector, policyTypes [string]
ServiceBackendPort (atomic): name string, number int
`;
