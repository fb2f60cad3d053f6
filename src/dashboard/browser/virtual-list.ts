// A list of which only the part in sight is in the page, so that thousands of rows cost as much as a screenful.
import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<T> {
  readonly items: readonly T[];
  /** Pixels; every item has this height. */
  readonly itemHeight: number;
  readonly label: string;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** Items above and below what is in sight, for quick scrolling. */
const overscan = 8;

export function VirtualList<T>({ items, itemHeight, label, children }: VirtualListProps<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const look = (): void => setPlace({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const first = Math.max(0, Math.floor(place.top / itemHeight) - overscan);
  const last = Math.min(items.length, Math.ceil((place.top + place.height) / itemHeight) + overscan);
  return html`<div class="rows" ref=${frame} role="rowgroup" aria-label=${label} tabindex="0">
    <div class="rows-inner" role="presentation" style=${{ height: `${items.length * itemHeight}px` }}>
      ${items.slice(first, last).map((item, index) => children(item, first + index))}
    </div>
  </div>`;
}
