// Finds fields that occur twice in one object of a JSON text, which JSON.parse passes over in silence.

/** Paths of the fields that occur more than once, such as `data.a`. The text must be valid JSON. */
export function duplicateFieldsOf(text: string): readonly string[] {
  const duplicates: string[] = [];
  let at = 0;

  const skipSpace = (): void => {
    while (/\s/.test(text[at] ?? "")) at += 1;
  };
  const readString = (): string => {
    const start = at;
    at += 1;
    while (text[at] !== '"' && at < text.length) at += text[at] === "\\" ? 2 : 1;
    at += 1;
    return JSON.parse(text.slice(start, at)) as string;
  };
  const skipString = (): void => {
    at += 1;
    while (text[at] !== '"' && at < text.length) at += text[at] === "\\" ? 2 : 1;
    at += 1;
  };
  const readValue = (path: string): void => {
    skipSpace();
    if (text[at] === "{") readObject(path);
    else if (text[at] === "[") readArray(path);
    else if (text[at] === '"') skipString();
    else while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at += 1;
    skipSpace();
  };
  const readObject = (path: string): void => {
    const names = new Set<string>();
    at += 1;
    skipSpace();
    while (at < text.length && text[at] !== "}") {
      skipSpace();
      const name = readString();
      const place = path === "" ? name : `${path}.${name}`;
      if (names.has(name)) duplicates.push(place);
      names.add(name);
      skipSpace();
      at += 1;
      readValue(place);
      if (text[at] === ",") at += 1;
      skipSpace();
    }
    at += 1;
  };
  const readArray = (path: string): void => {
    at += 1;
    skipSpace();
    for (let index = 0; at < text.length && text[at] !== "]"; index += 1) {
      readValue(`${path}[${index}]`);
      if (text[at] === ",") at += 1;
      skipSpace();
    }
    at += 1;
  };

  readValue("");
  return [...new Set(duplicates)];
}
