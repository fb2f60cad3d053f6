// The layout of kustomize: a base that is generated again and again, a component for monitoring, and an overlay that is the author's.
import type { ManifestFile } from "./manifests.ts";

/** A file of the layout: data, or a text that is the author's from then on. */
export type LayoutFile =
  | { readonly path: string; readonly documents: readonly object[] }
  | { readonly path: string; readonly text: string; readonly once: true };

/** The files of the layout. */
export function kustomizeLayout(
  image: string,
  manifests: readonly ManifestFile[],
  monitoring: readonly ManifestFile[],
): readonly LayoutFile[] {
  return [
    ...manifests.map((file) => ({ path: `base/${file.name}.yaml`, documents: file.documents })),
    { path: "base/kustomization.yaml", documents: [kustomization("Kustomization", "v1beta1", manifests)] },
    ...monitoring.map((file) => ({
      path: `components/monitoring/${file.name}.yaml`,
      documents: file.documents,
    })),
    {
      path: "components/monitoring/kustomization.yaml",
      documents: [kustomization("Component", "v1alpha1", monitoring)],
    },
    { path: "overlays/default/kustomization.yaml", text: overlayOf(image), once: true },
  ];
}

function kustomization(kind: string, version: string, files: readonly ManifestFile[]): object {
  return {
    apiVersion: `kustomize.config.k8s.io/${version}`,
    kind,
    resources: files.map(({ name }) => `${name}.yaml`),
  };
}

function overlayOf(image: string): string {
  const { name, tag } = partsOf(image);
  return `# Yours: generated once. Apply it with: kubectl apply --server-side -k overlays/default
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../base
# The Prometheus operator's kinds:
# components:
#   - ../../components/monitoring
images:
  - name: ${name}
    newTag: "${tag}"
`;
}

/** Name and tag of an image; the port of a registry is no tag. */
export function partsOf(image: string): { readonly name: string; readonly tag: string } {
  const [, name = image, tag = "latest"] = /^(.+):([^:/@]+)$/.exec(image) ?? [];
  return { name, tag };
}
