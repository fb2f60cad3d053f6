// Text inside XML: what would be markup becomes a reference, what XML cannot hold becomes a box. Pure.

/** Text for content and for attributes in double quotes. */
export function escapeXml(text: string): string {
  return (
    text
      // https://www.w3.org/TR/xml/#charsets
      .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\u25A1")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replace(/[\t\n\r]/g, (space) => `&#${space.codePointAt(0)};`)
  );
}

/** An element; attributes that are undefined are left out. `content` is XML already; none makes it empty. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content?: string,
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(String(value))}"`],
  );
  const start = `<${name}${written.join("")}`;
  return content === undefined ? `${start}/>` : `${start}>${content}</${name}>`;
}
