// A list of which only the part in sight is in the page, so that thousands of rows cost as much as a screenful.
import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps<T> {
  readonly items: readonly T[];
  /** Pixels; every item has this height. */
  readonly itemHeight: number;
  readonly label: string;
  /** All items are there, so that it can be scrolled to where it was. */
  readonly isComplete: boolean;
  /** Pixels by which it was scrolled when it was left. */
  readonly top: () => number;
  /** Called when it has been scrolled. */
  readonly onTop: (top: number) => void;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** Milliseconds for which it has to rest before the scroll position is reported. */
const restFor = 100;
/** Items above and below what is in sight, for quick scrolling. */
const overscan = 8;

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, itemHeight, label, isComplete, top, onTop, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => setPlace({ top: element.scrollTop, height: element.clientHeight });
    const scrolled = (): void => {
      look();
      clearTimeout(rest);
      rest = setTimeout(() => onTop(element.scrollTop), restFor);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", scrolled, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", scrolled);
      clearTimeout(rest);
    };
  }, []);
  useEffect(() => {
    if (isComplete && frame.current !== null) frame.current.scrollTop = top();
  }, [isComplete]);
  const first = Math.max(0, Math.floor(place.top / itemHeight) - overscan);
  const last = Math.min(items.length, Math.ceil((place.top + place.height) / itemHeight) + overscan);
  return html`<div class="rows" ref=${frame} role="rowgroup" aria-label=${label} tabindex="0">
    <div class="rows-inner" role="presentation" style=${{ height: `${items.length * itemHeight}px` }}>
      ${items.slice(first, last).map((item, index) => children(item, first + index))}
    </div>
  </div>`;
}
