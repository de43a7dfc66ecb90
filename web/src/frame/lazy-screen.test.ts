import { expect, test } from 'vitest';
import { reloadPage } from '../api/connection.ts';
import { lazyRouteComponent } from './lazy-screen.ts';
import { isMissingCode } from './unreachable.ts';

const WORDINGS = [
  'Failed to fetch dynamically imported module: https://example.com/assets/logs.js',
  'error loading dynamically imported module: https://example.com/assets/logs.js',
  'Importing a module script failed.',
];

test.each(WORDINGS)(
  'a screen whose code is missing (%s) does not reload the page by itself',
  async (wording) => {
    const reloads: string[] = [];
    const globals = { sessionStorage: globalThis.sessionStorage, window: globalThis.window };
    const storage = { getItem: () => null, setItem: (name: string) => void reloads.push(name) };
    Object.assign(globalThis, {
      sessionStorage: storage,
      window: { location: { reload: () => reloads.push('reload') } },
    });
    try {
      const Screen = lazyRouteComponent(() => Promise.reject(new TypeError(wording))) as unknown as {
        preload(): Promise<void>;
        (props: object): unknown;
      };
      await Screen.preload();
      let shown: unknown;
      try {
        Screen({});
      } catch (error) {
        shown = error;
      }
      expect(isMissingCode(shown)).toBe(true);
      expect(reloads).toEqual([]);
    } finally {
      Object.assign(globalThis, globals);
    }
  },
);

test.each([
  [true, 1],
  [false, 0],
])('if the service responds (%s), the page reloads %i times', async (isReachable, times) => {
  let reloads = 0;
  await reloadPage(
    async () => isReachable,
    () => {
      reloads += 1;
    },
  );
  expect(reloads).toBe(times);
});
