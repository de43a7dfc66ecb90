import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { follow, openStage, type Stage, sharedTab, type Tab, type TabOptions } from './browser.ts';
import { rows } from './lists.ts';

/** A service that is unavailable for a while. */
let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const opened = async (options: TabOptions): Promise<Tab> => {
  const tab = await stage.tab(options);
  tab.expectError(LOST);
  return tab;
};
const alices = sharedTab(() => opened({ as: alice, path: '/docs' }));
const visitors = sharedTab(() => opened({ path: '/terms' }));
const clocked = sharedTab(() => opened({ path: '/terms', clock: true }));

const LOST =
  /Failed to load resource|Failed to fetch|Unable to preload|Query failed|ERR_|dynamically imported|The service could not be reached/;

test('during an outage, a list keeps its rows and shows when they were loaded, then reloads', async () => {
  const { key } = await stage.apiKey(alice);
  const send = async (recipient: string) => {
    const body = { channel: 'email', recipient } as const;
    expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  };
  await send('before@example.com');
  const { page, context } = alices();
  // The code for the first steps and the live lists is still loading when the outage begins.
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
  await page.route('**/assets/{FirstSteps,live-stream}*', async (route) => {
    await lost;
    await route.abort();
  });
  await follow(page, '/');
  await rows(page, 'Verifications').getByText('before@example.com').waitFor();
  await context.setOffline(true);
  lose();
  await page.getByText(/^Offline, last updated \d+:\d+:\d+ [AP]M$/).waitFor();
  await rows(page, 'Verifications').getByText('before@example.com').waitFor();
  await send('meanwhile@example.com');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await rows(page, 'Verifications').getByText('meanwhile@example.com').waitFor();
  await page.getByText(/^Offline, last updated/).waitFor({ state: 'hidden' });
  await page.getByText('2 of 4 done', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Search or jump to... Connected' }).waitFor();
});

test('a screen whose code did not load offers Retry, and recovers once the service is available', async () => {
  const { page } = alices();
  await page.goto('/docs');
  await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  await page.route('**/{assets,config.json}**', (route) => route.abort());
  await page.route('**/assets/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const box = page.getByRole('alert').filter({ hasText: 'Something went wrong!' });
  await box.getByRole('button', { name: 'Retry' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
});

test('a dashboard opened during an outage starts once the service is available', async () => {
  const { page } = visitors();
  await page.route('**/config.json', (route) => route.abort());
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor();
});

test.each(['index', 'start'])(
  'a page whose file %s cannot be loaded shows a message and reloads',
  async (name) => {
    const { page } = visitors();
    await page.route(`**/assets/${name}-*.js`, (route) => route.abort());
    await page.goto('/sign-in');
    await page.getByRole('status').getByText('The page could not be loaded.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('link', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor();
  },
);

test('a page whose scripts never arrive shows a message after a minute', async () => {
  const { page } = clocked();
  await page.route('**/assets/*.js', () => {});
  await page.goto('/sign-in', { waitUntil: 'commit' });
  await page.getByRole('status').getByText('Loading…').waitFor();
  await page.clock.fastForward(61_000);
  await page.getByRole('link', { name: 'Reload' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a sign-in without a response shows an error within 30 seconds', async () => {
  clocked().expectError(/did not respond in time/);
  const { page } = clocked();
  await page.goto('/sign-in');
  await page.route('**/api/v1/auth/**', () => {});
  await page.getByLabel('Email').fill(alice.email);
  await page.getByLabel('Password', { exact: true }).fill('a password of nobody');
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await page.getByText('Signing in...').waitFor();
  await page.clock.fastForward(31_000);
  await page
    .getByText('The service did not respond in time. Check your connection, then try again.')
    .waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a screen that throws shows the error on request, and Retry works once the data is valid', async () => {
  const { page } = alices();
  alices().expectError(/TypeError|undefined|route|boundary/i);
  await page.route('**/api/v1/verifications/?*', (route) =>
    route.fulfill({ json: { count: 1, results: [{ id: 'broken' }] } }),
  );
  await page.goto('/');
  const box = page.getByRole('alert').filter({ hasText: 'Something went wrong!' });
  await box.getByRole('heading', { name: 'Something went wrong!' }).waitFor();
  const error = box.getByText(/undefined/);
  await expect.poll(() => error.isVisible()).toBe(false);
  await box.getByRole('button', { name: 'Show Error' }).click();
  await error.waitFor();
  await box.getByRole('button', { name: 'Hide Error' }).click();
  await error.waitFor({ state: 'hidden' });
  const retry = box.getByRole('button', { name: 'Retry' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await retry.click();
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
});
