// Why a text is no JSON, in the words of Go's reader. Asked once the engine's own reader has refused the text.

/** What is awaited next inside of an object or a list, or at the end of all. */
type Awaited =
  "value" | "key or end" | "key" | "colon" | "after member" | "value or end" | "after item" | "end";

const outsideOf: Readonly<Record<Awaited, string>> = {
  value: "looking for beginning of value",
  "key or end": "looking for beginning of object key string",
  key: "looking for beginning of object key string",
  colon: "after object key",
  "after member": "after object key:value pair",
  "value or end": "looking for beginning of value",
  "after item": "after array element",
  end: "after top-level value",
};

const tooShort = "unexpected end of JSON input";
const space = 0x20;

/** The first fault of a text that is no JSON. */
export function jsonFault(text: string): string {
  return new FaultSearch(Buffer.from(text)).find();
}

/** One way through the bytes of a text. */
class FaultSearch {
  readonly #bytes: Buffer;
  readonly #open: ("{" | "[")[] = [];
  #at = 0;
  #awaited: Awaited = "value";

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  find(): string {
    for (;;) {
      while (isSpace(this.#bytes[this.#at])) this.#at += 1;
      if (this.#at >= this.#bytes.length) return tooShort;
      const fault = this.#step(this.#character());
      if (fault !== undefined) return fault;
    }
  }

  /** What stands at a place; one space stands behind the end. */
  #character(at = this.#at): string {
    return String.fromCharCode(this.#bytes[at] ?? space);
  }

  #step(character: string): string | undefined {
    const awaited = this.#awaited;
    const invalid = (): string => wrongCharacter(character, outsideOf[awaited]);
    if (awaited === "end") return invalid();
    if (awaited === "colon") return this.#take(character === ":" ? "value" : undefined, invalid);
    if (awaited === "after member" || awaited === "after item") {
      const [closing, next] =
        awaited === "after member" ? (["}", "key"] as const) : (["]", "value"] as const);
      if (character === closing) return this.#close();
      return this.#take(character === "," ? next : undefined, invalid);
    }
    if (awaited === "key or end" || awaited === "key") {
      if (character === "}" && awaited === "key or end") return this.#close();
      return character === '"' ? this.#string("colon") : invalid();
    }
    if (character === "]" && awaited === "value or end") return this.#close();
    if (character === "{" || character === "[") {
      this.#open.push(character);
      return this.#take(character === "{" ? "key or end" : "value or end", invalid);
    }
    if (character === '"') return this.#string(this.#behind());
    if (/[-\d]/.test(character)) return this.#number();
    const literal = ["true", "false", "null"].find((each) => each.startsWith(character));
    return literal === undefined ? invalid() : this.#literal(literal);
  }

  #take(next: Awaited | undefined, invalid: () => string): string | undefined {
    if (next === undefined) return invalid();
    this.#at += 1;
    this.#awaited = next;
    return undefined;
  }

  #close(): undefined {
    this.#open.pop();
    this.#at += 1;
    this.#awaited = this.#behind();
  }

  /** What is awaited behind a value. */
  #behind(): Awaited {
    const around = this.#open.at(-1);
    return around === undefined ? "end" : around === "{" ? "after member" : "after item";
  }

  #string(next: Awaited): string | undefined {
    let at = this.#at + 1;
    while (at < this.#bytes.length) {
      const character = this.#character(at);
      at += 1;
      if (character === '"') {
        this.#at = at;
        this.#awaited = next;
        return undefined;
      }
      if (character < " ") return wrongCharacter(character, "in string literal");
      if (character !== "\\") continue;
      const escaped = this.#character(at);
      if (!/["\\/bfnrtu]/.test(escaped)) return wrongCharacter(escaped, "in string escape code");
      at += 1;
      if (escaped !== "u") continue;
      const digits = [0, 1, 2, 3].map((digit) => this.#character(at + digit));
      const wrong = digits.find((digit) => !/[\da-f]/i.test(digit));
      if (wrong !== undefined) {
        return wrongCharacter(wrong, String.raw`in \u hexadecimal character escape`);
      }
      at += 4;
    }
    return tooShort;
  }

  #number(): string | undefined {
    const needed = (where: string): string | undefined => {
      const character = this.#character();
      return /\d/.test(character) ? undefined : wrongCharacter(character, where);
    };
    const passDigits = (): void => {
      while (/\d/.test(this.#character())) this.#at += 1;
    };
    if (this.#character() === "-") this.#at += 1;
    const missing = needed("in numeric literal");
    if (missing !== undefined) return missing;
    if (this.#character() === "0") this.#at += 1;
    else passDigits();
    if (this.#character() === ".") {
      this.#at += 1;
      const fault = needed("after decimal point in numeric literal");
      if (fault !== undefined) return fault;
      passDigits();
    }
    if (/e/i.test(this.#character())) {
      this.#at += 1;
      if (/[+-]/.test(this.#character())) this.#at += 1;
      const fault = needed("in exponent of numeric literal");
      if (fault !== undefined) return fault;
      passDigits();
    }
    this.#awaited = this.#behind();
    return undefined;
  }

  #literal(literal: string): string | undefined {
    for (const expected of literal) {
      const character = this.#character();
      if (character !== expected) {
        return wrongCharacter(character, `in literal ${literal} (expecting '${expected}')`);
      }
      this.#at += 1;
    }
    this.#awaited = this.#behind();
    return undefined;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function wrongCharacter(character: string, where: string): string {
  const quoted = JSON.stringify(character)
    .slice(1, -1)
    .replace(/^\\"$/, '"')
    .replace(/^'$/, String.raw`\'`);
  return `invalid character '${quoted}' ${where}`;
}
