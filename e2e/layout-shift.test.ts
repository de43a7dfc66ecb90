import { sendOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage, settled } from './browser.ts';
import { SIGNED_IN } from './screens.ts';

/** Over a slow network, a screen's parts arrive one by one. */
let stage: Stage;
/** Olivia, the first account, is the operator. Alice has sent more codes than a beginner, and some were blocked. Bob has just signed up. */
let olivia: Person;
let alice: Person;
let bob: Person;
let aliceId: string;
beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  alice = await stage.signUp('Alice');
  bob = await stage.signUp('Bob');
  const { key } = await stage.apiKey(alice);
  await stage.apiKey(alice, 'Staging');
  const account = await stage.service.app.db.one<{ id: string }>('select id from accounts where email = $1', [
    alice.email,
  ]);
  aliceId = account.id;
  for (let n = 0; n < 11; n++) {
    const body = { channel: 'email', recipient: `first-paint${n}@example.com` } as const;
    expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  }
  const body = { rules: { client_velocity: { mode: 'enforce' as const, recipients: 2 } } };
  expect((await stage.service.call(updateProtection, { bearer: alice.access, body })).status).toBe(200);
  for (let n = 0; n < 4; n++) {
    const sent = { channel: 'sms', recipient: `+1646555019${n}`, client_ip: '203.0.113.78' } as const;
    expect((await stage.service.call(sendOtp, { apiKey: key, body: sent })).status).toBe(n < 2 ? 201 : 400);
  }
  await stage.service.app.protection.exchange();
});
afterAll(() => stage?.close());

/** In each document: the sum of the layout shifts that no input caused, and what moved from where to where. */
const WATCH = `window.shifts = { sum: 0, moved: [] };
const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    window.shifts.sum += value;
    for (const { node, previousRect, currentRect } of sources)
      window.shifts.moved.push((node?.textContent ?? '').slice(0, 40) + ': ' + place(previousRect) + ' -> ' + place(currentRect));
  }
}).observe({ type: 'layout-shift', buffered: true });`;
interface Shifts {
  sum: number;
  moved: string[];
}
const MOST_SHIFT = 0.02;
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const IS_LOADED = `document.querySelector('h1') !== null && !document.querySelector('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root, .start')`;

/**
 * Opens a screen and answers its calls one at a time after its heading is drawn, each once the previous response is drawn. The
 * page waits up to a second for the user's profile.
 */
async function shiftsOf(
  as: Person,
  path: string,
  width: number,
  { isUserKnown = false } = {},
): Promise<Shifts> {
  await using tab = await stage.tab({ as, path: '/healthz', width });
  const { page, context } = tab;
  await context.addInitScript(WATCH);
  const held: (() => Promise<void>)[] = [];
  await page.route('**/api/v1/**', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname.endsWith('/live/') || (isUserKnown && pathname.endsWith('/users/me')))
      return route.continue();
    held.push(async () => await route.fulfill({ response: await route.fetch() }));
  });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (;;) {
    await page.evaluate(TWO_FRAMES);
    const answer = held.shift();
    if (answer) await answer();
    else if (await page.evaluate(IS_LOADED)) break;
  }
  await page.evaluate(TWO_FRAMES);
  const shifts = await page.evaluate<Shifts>('window.shifts');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  return shifts;
}

const expectStill = ({ sum, moved }: Shifts): void =>
  expect(sum, `moved: ${moved.join('; ')}`).toBeLessThan(MOST_SHIFT);

/** In the page: the heights of the rows, in pixels, each once. */
const ROW_HEIGHTS = `[...new Set([...document.querySelectorAll('main tbody tr')].map((row) => Math.round(row.getBoundingClientRect().height)))]`;

/** In the page: whether each bar of the rows that are shown while they load can be seen. */
const BARS_SHOWN = `[...document.querySelectorAll('main tbody tr[aria-hidden] .mantine-Skeleton-root')].every((bar) => bar.getBoundingClientRect().width > 16)`;

test.each([
  ['/', 'verifications/'],
  ['/logs', 'logs/'],
  ['/api-keys', 'api-keys/'],
  ['/credits?type=usage', 'payments/history/'],
  ['/settings/activity', 'audit/'],
] as const)('the rows of %s are as high as the rows shown while they load', async (path, call) => {
  await using tab = await stage.tab({ as: alice, path: '/healthz' });
  const { page } = tab;
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/api/v1/${call}?*`, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(path);
    await page.locator('main tbody tr[aria-hidden]').first().waitFor();
    expect(await page.evaluate(BARS_SHOWN), `${width} px`).toBe(true);
    const loading = await page.evaluate(ROW_HEIGHTS);
    release();
    await page.locator('main tbody tr:not([aria-hidden])').first().waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(await page.evaluate(ROW_HEIGHTS), `${width} px`).toEqual(loading);
  }
});

test.each(SIGNED_IN.map(({ path }) => path))(
  'on a phone, %s does not shift while its parts load',
  async (path) => {
    expectStill(await shiftsOf(alice, path, 390, { isUserKnown: true }));
  },
);

test.each([
  ['the first steps of a new account', 'Bob', '/', 390],
  ['the first steps of a new account', 'Bob', '/', 1280],
  ['the balance', 'Bob', '/credits', 820],
  ['the team', 'Bob', '/settings#members', 1280],
  ['the team', 'Bob', '/settings#members', 390],
  ['the team', 'Alice', '/settings#members', 390],
  ['the link domains', 'Bob', '/settings#link-domains', 390],
  ['the link domains', 'Bob', '/settings#link-domains', 1280],
  ['the previews', 'Bob', '/settings#messages', 1280],
  ['the blocked sends', 'Alice', '/protection', 1280],
  ['disputes and the reconciliation', 'Olivia', '/operator/payments', 1280],
  ['the accounts', 'Olivia', '/operator/accounts', 390],
  ['one account', 'Olivia', '/operator/accounts/$alice', 390],
] as const)('loading %s for %s does not shift %s at %i px', async (_what, name, path, width) => {
  const people = { Alice: alice, Bob: bob, Olivia: olivia };
  // The console draws nothing until the user is known. A link to a section scrolls there once.
  const isUserKnown = name === 'Olivia' || path.includes('#');
  expectStill(await shiftsOf(people[name], path.replace('$alice', aliceId), width, { isUserKnown }));
});

test.each([
  ['/api-keys', 'api-keys/', 'Create API Key'],
  ['/connections', 'connections/', 'Create Connection'],
  ['/webhooks', 'webhooks/', 'Add Webhook'],
  ['/operator/announcements', 'operator/announcements/', 'Create Announcement'],
  ['/operator/keys', 'operator/keys/', 'Create Operator Key'],
] as const)(
  'the main action of the empty %s does not move after it can be pressed',
  async (path, call, name) => {
    await using tab = await stage.tab({ as: path.startsWith('/operator') ? olivia : bob, path: '/healthz' });
    const { page } = tab;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/api/v1/${call}*`, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(path);
    await page.locator('main tbody tr[aria-hidden]').first().waitFor();
    const action = page.getByRole('main').getByRole('button', { name, exact: true });
    expect(await action.count()).toBe(0);
    release();
    await action.waitFor();
    const place = await action.boundingBox();
    await settled(page);
    expect(await action.boundingBox()).toEqual(place);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
);
