// The operator: one controller for each kind.
import { defineOperator } from "xstate-operator";
import { websiteController } from "./src/website/controller.ts";

export default defineOperator({ name: "website-operator", controllers: [websiteController] });
