import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedCommand } from '../../server/src/operations/commands/seed/seed.ts';
import { eventually, look, openStage, type Stage, settled, type Tab } from './browser.ts';
import { type Furnished, furnish, PASSWORD, type Tokens } from './demo.ts';
import { type Faults, hasLayer, inspect, scan } from './inspections.ts';
import { slowLoading } from './loading.ts';
import type { Screen, State, Who } from './screens.ts';
import { press } from './steps.ts';

/**
 * Visits each screen once, in each look, and each of its states once, and makes every inspection there. Responses arrive one by one, so
 * that a visit also measures what moves while a screen loads. All parts of the tour have the same data as the screenshots.
 *
 * A page load costs a second of CPU time, so screens open inside the dashboard, as by a link, unless they name the widths of windows
 * that load them anew.
 */
export function tour(screens: readonly Screen[]): void {
  let stage: Stage;
  let demo: Furnished;
  const tabs = new Map<Who | 'visitor', Tab>();
  const signedInAtMs = new Map<Who, number>();
  beforeAll(async () => {
    stage = await openStage({ own: true });
    await seedCommand(stage.service.app, [PASSWORD], () => {});
    demo = await furnish(stage.url);
  });
  afterAll(async () => {
    for (const tab of tabs.values()) await tab[Symbol.asyncDispose]();
    await stage?.close();
  });

  async function tabOf(who: Who | undefined): Promise<Tab> {
    const known = tabs.get(who ?? 'visitor');
    if (known) {
      await renew(known, who);
      return known;
    }
    const tab = await stage.tab({ path: '/healthz' });
    await renew(tab, who);
    await tab.context.addInitScript(slowLoading, who === 'empty');
    await tab.context.addInitScript(rememberOpener);
    // Each test expects its own.
    tab.expectError(FAILED_CALL);
    tabs.set(who ?? 'visitor', tab);
    return tab;
  }

  /** Signs in, also again before the access token expires: the first call after that would fail. */
  async function renew({ page }: Tab, who: Who | undefined): Promise<void> {
    if (!who || Date.now() - (signedInAtMs.get(who) ?? 0) < RENEWED_MS) return;
    signedInAtMs.set(who, Date.now());
    await page.evaluate(KEEP_TOKENS, await demo.signIn(who));
  }

  /** Opens a screen inside the dashboard, or anew. */
  async function open(page: Page, screen: Screen, isAnew: boolean): Promise<void> {
    const path = demo.pathOf(screen);
    const { pathname } = new URL(page.url());
    // A section's address alone would not load the page.
    if (isAnew && pathname === new URL(path, stage.url).pathname) await page.goto('/healthz');
    if (isAnew || pathname === '/healthz') await page.goto(path);
    else {
      // What another width moves is no shift of the next screen.
      await settled(page);
      await page.evaluate(GO_TO, path);
    }
  }

  describe.each(screens)('$name', (screen) => {
    /** Whether the screen is open as it was loaded. */
    let isFresh = false;

    test(`${screen.name} opens without a shift, and passes every inspection in each look`, async () => {
      const { page, errors } = await tabOf(screen.as);
      const before = errors.length;
      const found: Record<string, Faults> = {};
      const { loadsAt = [390] } = screen;
      for (const width of loadsAt) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: width === 390 ? 'dark' : 'light' });
        await open(page, screen, screen.loadsAt !== undefined);
        found[`opened at ${width} px`] = { ...(await loadFaults(page, screen)), ...(await scan(page)) };
      }
      for (const width of [820, 390, 1280].filter((one) => !loadsAt.some((known) => known === one))) {
        await look(page, width === 390 ? 'dark' : 'light', width);
        const isScanned = width !== 820 && screen.as !== 'empty' && screen.as !== 'viewer';
        found[`${width} px`] = { ...(await inspect(page)), ...(isScanned && (await scan(page))) };
      }
      isFresh = true;
      expect(without(found), screen.path).toEqual({});
      expectFailures(errors.slice(before), screen);
    });

    test.each(screen.states ?? [])(`${screen.name}: $name passes every inspection`, async (state) => {
      const { page, errors } = await tabOf(screen.as);
      const before = errors.length;
      if (!isFresh) await open(page, screen, true);
      await look(page, 'light', state.width ?? 1280);
      isFresh = false;
      await page.evaluate('window.opener_ = undefined');
      await inState(page, state);
      expectFailures(errors.slice(before), state);
      isFresh = state.title !== undefined && !state.isWithoutOpener && !state.changesScreen;
    });
  });
}

/** Half of the time for which an access token is valid. */
const RENEWED_MS = 300_000;

/** In the page. */
const KEEP_TOKENS = ({ access, refresh }: Tokens): void => {
  localStorage.setItem('refresh_token', refresh);
  localStorage.setItem('access_token', access);
};

/** In the page: goes to a path as a link does. Until the router has resolved it, the page may show the screen before. */
const GO_TO = (path: string): Promise<void> => {
  const { loads, __TSR_ROUTER__: router } = window as unknown as {
    loads: { begin(): void };
    __TSR_ROUTER__: { subscribe(event: 'onResolved', listener: () => void): () => void };
  };
  return new Promise((resolve) => {
    const end = router.subscribe('onResolved', () => {
      end();
      resolve();
    });
    loads.begin();
    history.pushState(null, '', path);
  });
};

/** Shows a state, inspects it, and closes what it opened. */
async function inState(page: Page, state: State): Promise<void> {
  const { title, steps, close = press('Escape') } = state;
  await settled(page);
  await steps(page);
  if (title)
    await eventually(async () => expect(await page.evaluate<string>(NAME)).toMatch(asPattern(title)));
  const found: Record<string, Faults> = {};
  found[`${state.width ?? 1280} px`] = await inspect(page);
  expect(await hasLayer(page), 'whether a dialog, sheet or menu is open').toBe(title !== undefined);
  if (!state.width) {
    await look(page, 'dark', 390);
    found['390 px'] = await inspect(page);
  }
  // Colors and names hardly depend on the width.
  found.axe = await scan(page);
  expect(without(found), state.name).toEqual({});
  if (!title) return;
  await look(page, 'light', state.width ?? 1280);
  while (await hasLayer(page)) {
    const before = await page.evaluate<number>(LAYERS);
    await close(page);
    await eventually(async () => expect(await page.evaluate<number>(LAYERS)).toBeLessThan(before));
  }
  if (!state.isWithoutOpener)
    await eventually(async () => expect(await page.evaluate(FOCUS), 'where the focus returned').toBe(''));
}

const FAILED_CALL = /status of 4\d\d|Query failed/;

/** Expects no failed call, unless one should fail. */
function expectFailures(errors: readonly string[], { fails }: Pick<State, 'fails'>): void {
  const failed = errors.filter((error) => FAILED_CALL.test(error));
  if (fails) expect(failed, 'failed calls').not.toEqual([]);
  else expect(failed, 'failed calls').toEqual([]);
}

const asPattern = (title: string | RegExp): RegExp =>
  typeof title === 'string' ? new RegExp(`^${title.replaceAll(/[.?()]/g, '\\$&')}$`) : title;

const without = (found: Record<string, Faults>): Record<string, Faults> =>
  Object.fromEntries(Object.entries(found).filter(([, faults]) => Object.keys(faults).length > 0));

const MOST_SHIFT = 0.02;

/** What moved while the screen loaded. */
async function loadFaults(page: Page, { rowsVary, mostShift = MOST_SHIFT }: Screen): Promise<Faults> {
  await inspect(page);
  const { shift, moved, rows, hidden, actions, shown } = await page.evaluate<{
    shift: number;
    moved: string[];
    rows: number[];
    hidden: string[];
    actions: Record<string, string[]>;
    shown: number[];
  }>(
    `(loads.look(), { ...loads, shown: [...new Set([...document.querySelectorAll('main tr[data-row]')].map((row) => Math.round(row.getBoundingClientRect().height)))] })`,
  );
  const moving = Object.entries(actions).flatMap(([name, places]) =>
    /^(Add|Create) /.test(name) && places.length > 1 ? [`${name}: ${places.join(' -> ')}`] : [],
  );
  return {
    ...(shift >= mostShift && { [`shifts by ${shift} while it loads`]: moved }),
    ...(moving.length > 0 && { 'a main action that moves while the screen loads': moving }),
    ...(hidden.length > 0 && { 'a bar of a loading row that cannot be seen': hidden }),
    ...(!rowsVary &&
      shown.length > 0 &&
      rows.some((height) => !shown.includes(height)) && {
        'loading rows of another height than rows': [`${rows.join(', ')}: ${shown.join(', ')}`],
      }),
  };
}

/** In each document: remembers the control outside of all dialogs, sheets and menus that was used last. */
function rememberOpener(): void {
  const remember = ({ target }: Event): void => {
    const control = (target as Element).closest?.('button, a[href], [tabindex], input, select');
    if (control && !control.closest('[role="dialog"], [role="menu"], [role="listbox"]'))
      Reflect.set(window, 'opener_', control);
  };
  for (const event of ['click', 'keydown']) addEventListener(event, remember, true);
}

const LAYERS = `[...document.querySelectorAll('[role="dialog"], [role="menu"]')].filter((one) => one.checkVisibility()).length`;
const NAME = `(() => {
  const layer = [...document.querySelectorAll('[role="dialog"], [role="menu"]')].filter((one) => one.checkVisibility()).at(-1);
  const label = document.getElementById(layer?.getAttribute('aria-labelledby') ?? '');
  return (layer?.getAttribute('aria-label') ?? label?.getAttribute('aria-label') ?? label?.textContent ?? '').trim();
})()`;

/** Where the focus is instead of on the control that opened the dialog, or an empty string. */
const FOCUS = `(() => {
  const { activeElement: now } = document;
  const before = window.opener_;
  // A narrow window has shown the row without its buttons meanwhile.
  if (before && !before.isConnected) return '';
  if (now === before || (before === undefined && (now === document.body || now?.id === 'content'))) return '';
  return (now?.outerHTML ?? '').slice(0, 200) + ' instead of ' + (before?.outerHTML ?? 'none').slice(0, 200);
})()`;
