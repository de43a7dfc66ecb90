import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { nowMs } from '../api/clock.ts';
import { relativeTime } from './dates.ts';

const MARGIN = 8;

/** The element that made this code load, and when. */
export interface First {
  element: Element;
  /** in ms since 1970 */
  atMs: number;
}

/**
 * Shows the `data-tip` text of the element under the pointer or with the keyboard's focus. One tooltip for all keeps a
 * positioning library out of the first load. It is purely visual, because the elements have the text as their label.
 */
export function Tooltips({ first }: { first: First }) {
  const [target, setTarget] = useState<Element>();
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timing = tooltipTiming(setTarget);
    if (first.element.matches(':hover, :focus-visible')) timing.enter(first.element, nowMs() - first.atMs);
    const tipped = (event: Event): Element | null =>
      event.target instanceof Element ? event.target.closest('[data-tip]') : null;
    const enter = (event: Event): void => {
      const element = tipped(event);
      if (!element) timing.leave();
      else if (event.type !== 'focusin' || element.matches(':focus-visible')) timing.enter(element);
    };
    const leave = (event: Event): void => {
      if (!(event instanceof KeyboardEvent) || event.key === 'Escape') timing.leave();
    };
    const entering = ['pointerover', 'focusin'];
    const leaving = ['pointerdown', 'focusout', 'keydown', 'scroll'];
    for (const name of entering) document.addEventListener(name, enter);
    for (const name of leaving) document.addEventListener(name, leave, true);
    return () => {
      for (const name of entering) document.removeEventListener(name, enter);
      for (const name of leaving) document.removeEventListener(name, leave, true);
      timing.leave();
    };
  }, [first]);

  useLayoutEffect(() => {
    if (!target || !tip.current) return;
    const { left, top } = placeOf(target.getBoundingClientRect(), tip.current.getBoundingClientRect(), {
      isBeside: target.getAttribute('data-tip-side') === 'right',
    });
    tip.current.style.left = `${left}px`;
    tip.current.style.top = `${top}px`;
  }, [target]);

  return target && isToBeShown(target) ? (
    <div
      ref={tip}
      className="pointer-events-none fixed z-500 max-w-[min(20rem,calc(100vw-1rem))] rounded-8 bg-ink px-[0.6rem] py-[0.3rem] text-13 leading-[1.4] text-canvas"
      aria-hidden="true"
    >
      {textOf(target)}
    </div>
  ) : null;
}

/** The menu or popover that a button has opened says more than its name. */
export const isToBeShown = (
  target: Pick<Element, 'isConnected' | 'ariaExpanded' | 'ariaHasPopup'>,
): boolean => target.isConnected && !(target.ariaHasPopup && target.ariaExpanded === 'true');

/** The tooltip of a time is its age at the moment when it appears. */
const textOf = (target: Element): string | null =>
  target instanceof HTMLTimeElement
    ? relativeTime(target.dateTime, nowMs())
    : target.getAttribute('data-tip');

/** Above the target, or below it at the top of the window, or to its right; always inside the window. */
function placeOf(target: DOMRect, tip: DOMRect, { isBeside }: { isBeside: boolean }) {
  if (isBeside) return { left: target.right + MARGIN, top: target.top + (target.height - tip.height) / 2 };
  const above = target.top - tip.height - MARGIN;
  const centred = target.left + (target.width - tip.width) / 2;
  return {
    left: Math.max(MARGIN, Math.min(centred, window.innerWidth - tip.width - MARGIN)),
    top: above < MARGIN ? target.bottom + MARGIN : above,
  };
}

const OPEN_MS = 700;
const SKIP_MS = 300;

/** When tooltips open: after 700 ms, or immediately within 300 ms of another one. */
export function tooltipTiming(show: (target: Element | undefined) => void, now: () => number = Date.now) {
  let opening: ReturnType<typeof setTimeout> | undefined;
  let shown: Element | undefined;
  let closedAt = Number.NEGATIVE_INFINITY;
  const open = (target: Element): void => {
    shown = target;
    show(target);
  };
  const leave = (): void => {
    clearTimeout(opening);
    if (!shown) return;
    shown = undefined;
    closedAt = now();
    show(undefined);
  };
  return {
    /** `beforeMs`: how long the pointer or the focus has been there */
    enter(target: Element, beforeMs = 0): void {
      if (target === shown) return;
      const opensNow = shown !== undefined || now() - closedAt < SKIP_MS || beforeMs >= OPEN_MS;
      leave();
      if (opensNow) open(target);
      else opening = setTimeout(() => open(target), OPEN_MS - beforeMs);
    },
    leave,
  };
}
