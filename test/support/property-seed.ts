// Property-based tests draw the same samples in every run, so that a red run means a changed project.
// PROPERTY_SEED=random, or a number, explores others; a failure prints its seed and the shrunk counterexample.
import { configureGlobal, readConfigureGlobal } from "fast-check";

const seed = process.env["PROPERTY_SEED"] ?? "20261128";
if (seed !== "random") configureGlobal({ ...readConfigureGlobal(), seed: Number(seed) });
