// The text of a value with `${ … }` in it, cut into what is literal and what is an expression. Knows nothing of what they say.

/** A part of a text. */
export type TextPart =
  | { readonly literal: string }
  | { readonly expression: string }
  /** An expression that has no end: the text from where it begins. */
  | { readonly unclosed: string };

/** The parts of a text, in order; `$${` is the text `${`. */
export function textPartsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let literal = "";
  let at = 0;
  const endLiteral = (): void => {
    if (literal !== "") parts.push({ literal });
    literal = "";
  };
  while (at < text.length) {
    if (text.startsWith("$${", at)) {
      literal += "${";
      at += 3;
    } else if (text.startsWith("${", at)) {
      endLiteral();
      const end = endOfExpression(text, at + 2);
      if (end === undefined) return [...parts, { unclosed: text.slice(at) }];
      parts.push({ expression: text.slice(at + 2, end) });
      at = end + 1;
    } else {
      literal += text.charAt(at);
      at += 1;
    }
  }
  endLiteral();
  return parts;
}

/** The text with another one in place of each expression. */
export function withSample(text: string, sample: (expression: string) => string): string {
  return textPartsOf(text)
    .map((part) => ("literal" in part ? part.literal : sample("expression" in part ? part.expression : "")))
    .join("");
}

/** The text as it is compared with others: blanks around expressions mean nothing. */
export function comparableText(text: string): string {
  return withSample(text, (expression) => `\${${expression.trim()}}`);
}

/** Whether a text has an expression. */
export function hasExpression(text: string): boolean {
  return text.includes("${") && textPartsOf(text).some((part) => !("literal" in part));
}

/** The position of the brace that ends an expression; braces in texts of it, and in pairs, are its own. */
function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") {
      at += 1;
      while (at < text.length && text.charAt(at) !== char) at += text.charAt(at) === "\\" ? 2 : 1;
    } else if (char === "{") depth += 1;
    else if (char === "}" && depth === 0) return at;
    else if (char === "}") depth -= 1;
  }
  return undefined;
}
