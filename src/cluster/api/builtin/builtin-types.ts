// The built-in types that the server serves, made of the rows in rows/.
import { apiVersionOf } from "../../../meta/resource-type.ts";
import type { Random } from "../../../ports/random.ts";
import { isFields, type ApiObject, type Fields } from "../api-object.ts";
import { builtinColumns } from "../representation/builtin-columns.ts";
import { podRowConditions } from "../representation/columns/pod-columns.ts";
import { inFieldOrder } from "../field-order.ts";
import type { IncomingShape, ServedType, TypeBehaviour } from "../served-type.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { builtinSchema } from "./builtin-schemas.ts";
import { coreGroup } from "./rows/core-rows.ts";
import { otherGroups } from "./rows/policy-rows.ts";
import { noteBuiltinKind } from "./builtin-kinds.ts";
import type { Row } from "./rows/row.ts";
import { appsGroup, autoscalingGroups, batchGroup } from "./rows/workload-rows.ts";
import { shapeObject } from "./shape-object.ts";

/** All built-in types but the CustomResourceDefinition, which custom/ declares. */
export function createBuiltinTypes(store: ObjectStore, random: Random): readonly ServedType[] {
  const groups = [
    coreGroup(store, random),
    appsGroup,
    batchGroup,
    ...autoscalingGroups,
    ...otherGroups(store),
  ];
  return groups.flatMap(({ rows, ...group }) => rows.map((row) => createBuiltinType({ ...group, row })));
}

/** One built-in type from its row. */
export function createBuiltinType({
  group,
  version,
  packageName,
  row,
}: {
  readonly group: string;
  readonly version: string;
  readonly packageName: string;
  readonly row: Row;
}): ServedType {
  const schema = builtinSchema(`${packageName}.${row.kind}`);
  const { stored } = row;
  const typed = { custom: false, schema };
  const apiVersion = apiVersionOf({ group, version });
  noteBuiltinKind(apiVersion, row.kind);
  // Both groups of events share one key space.
  const storageKey = group === "" || group === "events.k8s.io" ? row.plural : `${row.plural}.${group}`;
  return {
    group,
    version,
    kind: row.kind,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    listKind: `${row.kind}List`,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced: row.clusterScoped !== true,
    storageKey,
    custom: false,
    schema,
    hasStatus: row.hasStatus ?? false,
    scale: row.scale,
    ...(row.otherSubresources === undefined ? {} : { otherSubresources: row.otherSubresources }),
    ...(row.review === undefined ? {} : { review: row.review }),
    ...(row.deprecation === undefined ? {} : { deprecation: row.deprecation }),
    behaviour: withRules(row),
    columns: builtinColumns(row.plural),
    ...(row.plural === "pods" ? { rowConditions: podRowConditions } : {}),
    ...(row.selectable === undefined ? {} : { selectable: row.selectable }),
    shape: (body) => shapeBody(body),
    fromStorage:
      stored === undefined ? (object) => object : (object) => inFieldOrder(typed, stored.fromStorage(object)),
    toStorage: row.stored?.toStorage ?? ((object) => object),
  };

  function shapeBody(body: Fields): IncomingShape {
    const { apiVersion: _version, kind: _kind, metadata, ...content } = body;
    const shaped = shapeObject(schema, { metadata: metadata ?? {}, ...content });
    const fields = isFields(shaped.value) ? shaped.value : {};
    return {
      object: { kind: row.kind, apiVersion, ...fields } as ApiObject,
      unknownFields: shaped.unknownFields,
      typeErrors: shaped.typeErrors,
    };
  }
}

/** The behaviour of a type, whose checks include its rules. What only reports a status is not held to them. */
function withRules({
  behaviour = {},
  rules,
  rulesOfChanged = rules,
  statusRules,
  statusChanges,
  rulesOfNew,
  changes,
}: Row): TypeBehaviour {
  if ((rules ?? statusRules ?? statusChanges ?? rulesOfNew ?? changes) === undefined) return behaviour;
  return {
    ...behaviour,
    validate(object, previous, subresource) {
      const causes = behaviour.validate?.(object, previous, subresource) ?? [];
      const isNew = previous === undefined;
      if (subresource === "status") {
        return [
          ...causes,
          ...(statusRules?.(object, "", object) ?? []),
          ...(isNew ? [] : (statusChanges?.(object, previous, subresource) ?? [])),
        ];
      }
      return [
        ...causes,
        ...((isNew ? rules : rulesOfChanged)?.(object, "", object) ?? []),
        ...(isNew
          ? (rulesOfNew?.(object, "", object) ?? [])
          : (changes?.(object, previous, subresource) ?? [])),
      ];
    },
  };
}
