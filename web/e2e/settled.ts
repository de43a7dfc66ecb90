// Functions that run in the page use the types of the DOM.
/// <reference lib="dom" />
import type { Page, Request } from 'playwright-core';

/** Long enough for every step, even on a busy machine. */
export const PATIENCE_MS = 15_000;

/** What a screen is made of. The live stream stays open, and a picture that is late moves nothing. */
const AWAITED = new Set(['document', 'fetch', 'font', 'script', 'stylesheet', 'xhr']);
const isAwaited = (request: Request): boolean =>
  AWAITED.has(request.resourceType()) && !new URL(request.url()).pathname.endsWith('/live/');

interface Traffic {
  open: Set<Request>;
  /** how many requests have begun */
  begun: number;
  /** Called when a request ends. */
  next: (() => void)[];
}
const traffic = new WeakMap<Page, Traffic>();

/** Observes a page's requests from now on, so that `settled` can wait for them. */
export function watchTraffic(page: Page): void {
  const seen: Traffic = { open: new Set(), begun: 0, next: [] };
  traffic.set(page, seen);
  const end = (ended: Request): void => {
    if (seen.open.delete(ended)) for (const wake of seen.next.splice(0)) wake();
  };
  page.on('request', (request) => {
    if (!isAwaited(request)) return;
    seen.open.add(request);
    seen.begun += 1;
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  page.on('response', (response) => {
    const request = response.request();
    // The previous document's requests have no end.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame())
      for (const older of seen.open) if (older !== request) end(older);
  });
}

/**
 * The one definition of a page that has settled: its heading is shown, no call is open, nothing is marked as loading, no dialog
 * waits for its name, fonts are loaded, no animation runs, and two frames in a row have the same layout. Everything that measures or
 * photographs a page waits for this.
 */
export async function settled(page: Page): Promise<void> {
  const seen = traffic.get(page);
  if (!seen)
    throw new Error('The requests of this page are not observed: call `watchTraffic` after it opens.');
  let deadline = Date.now() + PATIENCE_MS;
  let reason = '';
  while (Date.now() < deadline) {
    const before = reason;
    const { begun } = seen;
    if (seen.open.size > 0) {
      reason = `open: ${[...seen.open].map((request) => request.url()).join(', ')}`;
      await endOfOne(seen, deadline - Date.now());
    } else {
      // A document that is being replaced cannot be examined.
      reason = await page.evaluate(UNREST).catch((cause: Error) => {
        if (page.isClosed()) throw cause;
        return cause.message;
      });
      if (reason === '' && seen.begun === begun) return;
    }
    // A busy machine makes progress, if slowly.
    if (reason !== before) deadline = Date.now() + PATIENCE_MS;
  }
  throw new Error(`${page.url()} has not settled: ${reason}`);
}

const endOfOne = (seen: Traffic, mostMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, mostMs);
    seen.next.push(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** In the page: the reason why it has not settled within some frames, or an empty string. */
async function UNREST(): Promise<string> {
  const FRAMES = 30;
  const LOADING =
    '[aria-busy="true"], [data-loading], [data-stale], .mantine-Skeleton-root, .mantine-Loader-root, .start';
  const NAMELESS = '[role="dialog"]:not([aria-label]):not([aria-labelledby])';
  const PARTS = 'h1, h2, h3, p, tr, li, form, button, a, input, select, textarea, [role], img, svg';
  // A test may have paused the page's own clock.
  const clock = Reflect.get(window, '__pwClock') as { builtins?: Window } | undefined;
  const { requestAnimationFrame, requestIdleCallback } = clock?.builtins ?? window;

  const unrest = (): string => {
    if (![...document.querySelectorAll('h1')].some((one) => one.checkVisibility())) return 'no heading';
    const loading = document.querySelector(`${LOADING}, ${NAMELESS}`);
    if (loading) return `loading: ${loading.outerHTML.slice(0, 200)}`;
    if (document.fonts.status !== 'loaded') return 'fonts are loading';
    const moving = document
      .getAnimations()
      .find(
        ({ playState, timeline, effect }) =>
          playState === 'running' &&
          timeline instanceof DocumentTimeline &&
          effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY,
      );
    if (moving) {
      const target = (moving.effect as KeyframeEffect | null)?.target;
      return `moving: ${target?.outerHTML.slice(0, 200)}`;
    }
    return '';
  };
  const layout = (): string => {
    const boxes = [...document.querySelectorAll(PARTS)].map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return `${x} ${y} ${width} ${height}`;
    });
    return `${boxes.join()} ${document.body.textContent.length}`;
  };

  let reason = '';
  let before = '';
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await new Promise((resolve) => requestAnimationFrame.call(window, resolve));
    // Work that the page does in idle moments, and parts that it draws after the first frame, come before this callback.
    await new Promise((resolve) => requestIdleCallback.call(window, resolve, { timeout: 1_000 }));
    reason = unrest();
    const now = reason === '' ? layout() : '';
    if (now !== '' && now === before) return '';
    before = now;
    reason ||= 'the layout changes';
  }
  return reason;
}
