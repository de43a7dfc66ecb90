/**
 * Runs in each document of the tour: shows the responses of the API one at a time, each once the one before is drawn, as over a slow
 * network, and records what moves meanwhile. `html` is marked as loading until all are shown.
 */
export function slowLoading(isUserHeld: boolean): void {
  const none = () => ({
    shift: 0,
    moved: [] as string[],
    rows: [] as number[],
    hidden: [] as string[],
    actions: {} as Record<string, string[]>,
  });
  const loads = { ...none(), look, begin: () => void Object.assign(loads, none()) };
  Reflect.set(window, 'loads', loads);

  function place({ x, y, width, height }: DOMRectReadOnly): string {
    return [x, y, width, height].map(Math.round).join(' ');
  }
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // Nobody uses the screen while it loads. A shift soon after the window's width has changed counts as one after an input too.
      const { value, sources } = entry as unknown as LayoutShift;
      loads.shift += value;
      for (const { node, previousRect, currentRect } of sources)
        loads.moved.push(
          `${(node?.textContent ?? '').slice(0, 40)}: ${place(previousRect)} -> ${place(currentRect)}`,
        );
    }
  }).observe({ type: 'layout-shift', buffered: true });

  const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
  /** What stands for rows that load: its heights, and bars that cannot be seen; and the places of a list's main action. */
  function look(): void {
    for (const row of document.querySelectorAll('main tbody tr[aria-hidden]')) {
      const height = Math.round(row.getBoundingClientRect().height);
      if (!loads.rows.includes(height)) loads.rows.push(height);
      for (const bar of row.querySelectorAll('.mantine-Skeleton-root'))
        if (bar.getBoundingClientRect().width <= 16) loads.hidden.push(bar.outerHTML.slice(0, 120));
    }
    for (const action of document.querySelectorAll('main .mantine-Button-root[data-variant="filled"]')) {
      const places = loads.actions[action.textContent] ?? [];
      loads.actions[action.textContent] = places;
      const now = place(action.getBoundingClientRect());
      if (!places.includes(now)) places.push(now);
    }
  }

  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const drawn = async (): Promise<void> => {
    // Some screens draw their heading once they have a response.
    for (let n = 0; n < 60 && !document.querySelector('h1'); n += 1) await frame();
    await frame();
    look();
    await frame();
  };
  const mark = (by: number): void => {
    waiting += by;
    document.documentElement.toggleAttribute('data-loading', waiting > 0);
  };
  const { fetch } = window;
  window.fetch = async (...call) => {
    const { pathname } = new URL(call[0] instanceof Request ? call[0].url : call[0], location.href);
    // A link to a section scrolls there once the user is known.
    const isHeld =
      pathname.startsWith('/api/v1/') &&
      !pathname.endsWith('/live/') &&
      ((isUserHeld && location.hash === '') || !/\/users\/me$|\/operator\/me\/$/.test(pathname));
    if (!isHeld) return await fetch(...call);
    mark(1);
    try {
      const response = await fetch(...call);
      last = last.then(drawn);
      await last;
      return response;
    } finally {
      // The response is drawn in the frame after.
      void frame()
        .then(look)
        .then(frame)
        .then(() => mark(-1));
    }
  };
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}
