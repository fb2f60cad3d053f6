import { describe, expect, it } from "vitest";
import { expandVariables } from "../../../../src/cluster/pods/process/variable-expansion.ts";

describe("variable expansion", () => {
  it.each([
    ["$(NAME)", "db-0"],
    ["--data=/data/$(NAME)/x", "--data=/data/db-0/x"],
    ["$(NAME)$(PORT)", "db-05432"],
    ["$(UNKNOWN)", "$(UNKNOWN)"],
    ["$$(NAME)", "$(NAME)"],
    ["$$$(NAME)", "$db-0"],
    ["$NAME ${NAME}", "$NAME ${NAME}"],
    ["cost: 5$", "cost: 5$"],
    ["$(EMPTY)|", "|"],
    ["$(toString)", "$(toString)"],
  ])("turns %j into %j", (text, expected) => {
    expect(expandVariables(text, { NAME: "db-0", PORT: "5432", EMPTY: "" })).toBe(expected);
  });

  it("does not expand what a value brings in", () => {
    expect(expandVariables("$(A)", { A: "$(B)", B: "no" })).toBe("$(B)");
  });
});
