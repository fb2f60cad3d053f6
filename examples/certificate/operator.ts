// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { certificateController } from "./src/certificate/controller.ts";

export default defineOperator({ name: "certificate-operator", controllers: [certificateController] });
