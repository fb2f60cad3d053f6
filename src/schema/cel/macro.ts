// What a macro of the evaluator is made of: it is given the nodes of its call, and checks and evaluates them itself.
// The evaluator's own types leave this out.
import type { ASTNode } from "@marcbachmann/cel-js";

/** A type as the checker knows it. */
export interface MacroType {
  readonly kind: string;
  readonly name: string;
  readonly keyType?: MacroType;
  readonly valueType?: MacroType;
  /** The type of both; nothing where they have none in common. */
  unify(registry: TypeSource, other: MacroType): MacroType | null;
}

/** Where types come from. */
export interface TypeSource {
  getType(name: string): MacroType;
  getListType(item: MacroType): MacroType;
  getMapType(key: MacroType, value: MacroType): MacroType;
  getOptionalType(value: MacroType): MacroType;
}

/** The variables in scope. One that a macro adds holds its value while the macro's expressions are evaluated. */
export interface MacroContext {
  forkWithVariable(name: string, type: MacroType): MacroContext;
  reuse(parent: MacroContext): MacroContext;
  setIterValue(value: unknown, evaluator: MacroEvaluator): MacroContext;
}

/** What a macro checks with. */
export interface MacroChecker {
  readonly registry: TypeSource;
  readonly objectTypes: ReadonlyMap<string, { readonly fields?: Readonly<Record<string, MacroType>> }>;
  check(node: ASTNode, context: MacroContext): MacroType;
  getType(name: string): MacroType;
  formatType(type: MacroType): string;
  createError(code: string, message: string, node: ASTNode): Error;
}

/** What a macro evaluates with. */
export interface MacroEvaluator {
  run(node: ASTNode, context: MacroContext): unknown;
  debugType(value: unknown): {
    readonly name: string;
    fieldLazy(value: unknown, name: unknown, node: ASTNode, evaluator: MacroEvaluator): unknown;
  };
  createError(code: string, message: string, node: ASTNode): Error;
}

/** A macro in one expression. */
export interface Macro {
  readonly async: false;
  typeCheck(checker: MacroChecker, macro: Macro, context: MacroContext): MacroType;
  evaluate(evaluator: MacroEvaluator, macro: Macro, context: MacroContext): unknown;
}

/** The call that a macro is made for. */
export interface MacroCall {
  readonly ast: ASTNode;
  readonly receiver: ASTNode;
  readonly args: readonly ASTNode[];
}

/** Lets a macro stand for a node, whatever the node was. */
export function standFor(node: ASTNode, macro: Macro): void {
  const target = node as unknown as { setMeta(key: string, value: unknown): unknown };
  target.setMeta("alternate", undefined);
  target.setMeta("macro", macro);
  target.setMeta("async", false);
}

/** The name of a macro's variable. */
export function variableName(node: ASTNode | undefined): string | undefined {
  return node?.op === "id" ? node.args : undefined;
}

/**
 * What is asked of a node when it is checked, before the evaluator asks its own and after; it throws what is wrong. What is asked
 * after may know the node's type better.
 */
export interface MoreChecks {
  readonly before?: (checker: MacroChecker, context: MacroContext) => void;
  readonly after?: (checker: MacroChecker) => MacroType | undefined | void;
}

/** Asks something more of a node when it is checked, be it a macro or not. */
export function checkAlso(node: ASTNode, { before, after }: MoreChecks): void {
  type Check = (checker: MacroChecker, node: ASTNode, context: MacroContext) => MacroType;
  const target = node as unknown as {
    readonly meta: { readonly check: Check; readonly macro?: Macro };
    setMeta(key: string, value: Check | Macro): void;
  };
  const { check, macro } = target.meta;
  type Own<T> = (checker: MacroChecker, of: T, context: MacroContext) => MacroType;
  const withMore =
    <T>(own: Own<T>): Own<T> =>
    (checker, of, context) => {
      before?.(checker, context);
      const type = own(checker, of, context);
      return after?.(checker) ?? type;
    };
  if (macro === undefined) target.setMeta("check", withMore(check));
  else target.setMeta("macro", { ...macro, typeCheck: withMore(macro.typeCheck.bind(macro)) });
}

/** Whether a macro stands for a node. */
export function isMacro(node: ASTNode): boolean {
  const { meta } = node as unknown as {
    readonly meta: { readonly alternate?: unknown; readonly macro?: unknown };
  };
  return meta.alternate !== undefined || meta.macro !== undefined;
}
