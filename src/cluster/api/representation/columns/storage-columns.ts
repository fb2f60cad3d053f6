// The columns of what storage.k8s.io has besides its StorageClasses.
import { fieldsList, fieldsOf, listOf, textOf, type ApiObject } from "../../api-object.ts";
import type { Column } from "../../served-type.ts";
import { age, integer, named, orNone, specOf, statusOf, text } from "./column.ts";

function flag(name: string, cell: (object: ApiObject) => boolean): Column {
  return { name, type: "boolean", cell };
}

/** The columns of drivers. */
export const driverColumns: readonly Column[] = named(
  flag("AttachRequired", (object) => specOf(object)["attachRequired"] !== false),
  flag("PodInfoOnMount", (object) => specOf(object)["podInfoOnMount"] === true),
  flag("StorageCapacity", (object) => specOf(object)["storageCapacity"] === true),
  text("TokenRequests", (object) => {
    const { tokenRequests } = specOf(object);
    if (tokenRequests === undefined) return "<unset>";
    return fieldsList(tokenRequests)
      .map(({ audience }) => textOf(audience))
      .join(",");
  }),
  flag("RequiresRepublish", (object) => specOf(object)["requiresRepublish"] === true),
  text("Modes", (object) => orNone(listOf(specOf(object)["volumeLifecycleModes"]).map(textOf).join(","))),
  age,
);

/** The columns of what nodes have of drivers. */
export const storageNodeColumns: readonly Column[] = named(
  integer("Drivers", (object) => listOf(specOf(object)["drivers"]).length),
  age,
);

/** The columns of attachments. */
export const attachmentColumns: readonly Column[] = named(
  { ...text("Attacher", (object) => textOf(specOf(object)["attacher"])), format: "name" },
  text("PV", (object) => textOf(fieldsOf(specOf(object)["source"])["persistentVolumeName"])),
  text("Node", (object) => textOf(specOf(object)["nodeName"])),
  flag("Attached", (object) => statusOf(object)["attached"] === true),
  age,
);

/** The columns of classes of attributes. */
export const attributesClassColumns: readonly Column[] = named(
  text("DriverName", (object) => textOf(object["driverName"])),
  age,
);
