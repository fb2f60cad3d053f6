// The words of an expression, for what is rewritten before the evaluator's parser sees it.

const token =
  /\s+|\/\/[^\n]*|[rRbB]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[A-Za-z_]\w*|\d[\d.]*\w*|[^]/g;

/** The tokens of a text in their order, space and comments included; together they are the text. */
export function tokensOf(text: string): readonly string[] {
  return text.match(token) ?? [];
}

/** Whether a token is space or a comment. */
export function isSpace(text: string): boolean {
  return /^(?:\s|\/\/)/.test(text);
}
