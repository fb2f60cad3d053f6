module charts

go 1.26.0

tool (
	helm.sh/helm/v4/cmd/helm
	sigs.k8s.io/kustomize/kustomize/v5
)

require helm.sh/helm/v4 v4.3.2
