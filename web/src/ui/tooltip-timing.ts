const OPEN_MS = 700;
const SKIP_MS = 300;

/** When tooltips open: after 700 ms, or at once within 300 ms of another one. */
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
    enter(target: Element): void {
      if (target === shown) return;
      const skips = shown !== undefined || now() - closedAt < SKIP_MS;
      leave();
      if (skips) open(target);
      else opening = setTimeout(() => open(target), OPEN_MS);
    },
    leave,
  };
}
