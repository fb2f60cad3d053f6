// Where the objects of a resource may be: in a namespace that they have, where it can own them, and no two in the same place.
import type { Kind } from "../../kinds/define-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import { overlap } from "../../reconcile/resources/application-states.ts";
import { canBeTogether, statesOf } from "../../statechart/configuration.ts";
import type { WrittenChild, WrittenManifest } from "../written/written-children.ts";
import { type TemplatePlace } from "../expressions/template.ts";
import { comparableText } from "../expressions/template-text.ts";

/** The namespace of the custom resource, as it is written. */
const ownNamespace = "${metadata.namespace}";

/** An object of a type that has namespaces must be in one: that of the custom resource, unless that has none. */
export function checkNamespaced(
  type: Pick<ResourceType, "kind" | "namespaced">,
  namespace: string | undefined,
  { reader, path, owner }: TemplatePlace,
): void {
  if (owner === undefined || owner.namespaced || !type.namespaced || namespace !== undefined) return;
  reader.report({
    code: "NAMESPACE_MISSING",
    path,
    message: `a ${type.kind} is in a namespace, and ${owner.kind}, which has the scope Cluster, is in none`,
    remedy: "Write the namespace: namespace: '${ spec.namespace }', or the name of one.",
  });
}

/** What belongs to a resource in a namespace is in the same namespace: the garbage collector deletes what says otherwise. */
export function checkOwnable(
  { type, namespace, place }: WrittenManifest,
  ownerReference: boolean | "always",
): void {
  const { reader, path, owner } = place;
  if (owner?.namespaced !== true || ownerReference === false) return;
  const isOwn = namespace === undefined || comparableText(namespace) === ownNamespace;
  if (type.namespaced && isOwn) return;
  const free =
    ownerReference === "always"
      ? ""
      : " Or write ownerReference: false beside the manifest, and delete it by a task (delete: { … }) in a state on the path to the final one.";
  const where = type.namespaced ? `in the namespace "${namespace}"` : "in no namespace";
  const own = type.namespaced
    ? "Leave the namespace out."
    : `Give ${owner.kind} scope: Cluster, if there is one for the whole cluster.`;
  reader.report({
    code: "OWNER_SCOPE",
    path: type.namespaced ? [...path, "metadata", "namespace"] : [...path, "kind"],
    message: `a ${type.kind} ${where} cannot belong to a ${owner.kind}, which is in a namespace of its own: the garbage collector would delete it`,
    remedy: `${own}${free}`,
  });
}

/** Two objects of one name would be refused in a run, where both are there. */
export function checkTwice(
  children: readonly WrittenChild[],
  { lifecycle }: Pick<Kind<KubeObject>, "lifecycle">,
): void {
  const application =
    lifecycle === undefined
      ? undefined
      : {
          names: statesOf(lifecycle.index),
          canBeTogether: (one: string, other: string) => canBeTogether(lifecycle.index, one, other),
          isIn: () => undefined,
          persistMove: () => Promise.resolve(),
        };
  const known = new Map<string, { readonly child: WrittenChild; readonly manifest: WrittenManifest }[]>();
  for (const child of children) {
    for (const manifest of child.manifests) {
      const { type, name, namespace = ownNamespace, place } = manifest;
      checkRepeated(child, manifest);
      const key = `${typeKeyOf(type)} ${comparableText(namespace)}/${comparableText(name)}`;
      const others = known.get(key) ?? [];
      const other = others.find(
        (each) => overlap(application, each.child.states, child.states) && mayBeTogether(each.child, child),
      );
      if (other !== undefined) {
        const { reader, path } = other.manifest.place;
        place.reader.report({
          code: "RESOURCE_DUPLICATE",
          path: [...place.path, "metadata", "name"],
          message: `the ${type.kind} "${name}" is a child already, in ${reader.placeOf([...path, "metadata", "name"])}`,
          remedy:
            "Give one of them another name, make one manifest of both, or tie each to other states by in.",
        });
      }
      known.set(key, [...others, { child, manifest }]);
    }
  }
}

/** Conditions that differ may be meant to exclude each other. */
function mayBeTogether({ form: one }: WrittenChild, { form: other }: WrittenChild): boolean {
  if (one.when === undefined || other.when === undefined) return true;
  return comparableText(one.when) === comparableText(other.when);
}

/** What is repeated has a name for each item. */
function checkRepeated({ form }: WrittenChild, { type, name, namespace = "", place }: WrittenManifest): void {
  const unused = Object.keys(form.each ?? {}).find(
    (item) => !new RegExp(`\\b${item}\\b`).test(`${name} ${namespace}`),
  );
  if (unused === undefined) return;
  place.reader.report({
    code: "RESOURCE_DUPLICATE",
    path: [...place.path, "metadata", "name"],
    message: `each makes a ${type.kind} for every ${unused}, and all of them would have the name "${name}"`,
    remedy: `Let the name say which it is: '\${ metadata.name }-\${ ${unused} }', or a field of ${unused}.`,
  });
}
