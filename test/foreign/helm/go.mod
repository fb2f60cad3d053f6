module foreign

go 1.26.0

require (
	helm.sh/helm/v4 v4.3.2
	k8s.io/cli-runtime v0.37.2
)
