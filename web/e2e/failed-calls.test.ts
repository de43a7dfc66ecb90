import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { failUntilTriedAgain, follow, openStage, type Stage, sharedTab } from './browser.ts';

/** Each screen's sentences about calls that fail. */
let stage: Stage;
let alice: Person;
let bob: Person;

/** Alice has nothing. Bob has a key and an endpoint. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  bob = await stage.signUp('Bob');
  await stage.apiKey(bob, 'Shop');
  const body = { name: 'Unlucky', url: 'http://127.0.0.1:9/nowhere' };
  const { status } = await stage.service.call(createWebhook, { bearer: bob.access, body });
  expect(status).toBe(201);
});
afterAll(() => stage?.close());

const ERRORS = /status of (429|500)|Query failed|ApiError/;

describe('reads', () => {
  const tab = sharedTab(() => stage.tab({ as: alice, path: '/docs' }));

  const at = (path: string) => (page: Page) => follow(page, path);
  const activity = async (page: Page) => {
    await follow(page, '/settings');
    await page.getByRole('link', { name: 'View Activity' }).click();
  };

  test.each<[calls: string, texts: string[], loads: string, open: (page: Page) => Promise<unknown>]>([
    ['api-keys/**', ['Failed to fetch API keys'], 'No API keys', at('/api-keys')],
    [
      'webhooks/**',
      ['Error loading webhooks', 'Failed to load webhooks'],
      'No webhook endpoints',
      at('/webhooks'),
    ],
    ['connections/**', ['Failed to fetch connections'], 'No connections', at('/connections')],
    ['logs/**', ['Failed to fetch OTP requests'], 'No requests yet', at('/logs')],
    ['payments/history/**', ['Failed to fetch transactions'], 'Welcome credits', at('/credits')],
    ['insights/**', ['Failed to load the insights'], 'No sends in this period', at('/insights')],
    [
      'verifications/?page=1*',
      ['Error loading data', 'Failed to load OTP verifications'],
      'No verifications yet',
      at('/'),
    ],
    [
      'members/**',
      ['Failed to load the members'],
      'The only member cannot leave. You can delete the account instead.',
      at('/team'),
    ],
    ['audit/**', ['Failed to load the activity'], 'Created the account', activity],
  ])('a failing read of %s shows its error until "Try Again" succeeds', async (calls, texts, loads, open) => {
    const { page } = tab();
    tab().expectError(ERRORS);
    await failUntilTriedAgain(page, `**/api/v1/${calls}`);
    await open(page);
    for (const text of texts) await page.getByText(text, { exact: true }).waitFor();
    // The button would wait for the result of a read that is under way.
    await tab().noneOpen();
    await page.getByRole('button', { name: 'Try Again' }).click();
    await page.getByText(loads, { exact: true }).first().waitFor();
  });
});

describe('changes', () => {
  const tab = sharedTab(() => stage.tab({ as: bob, path: '/docs' }));
  const dialog = (): Locator => tab().page.getByRole('dialog').last();
  const button = (within: Page | Locator, name: string): Locator =>
    within.getByRole('button', { name, exact: true }).first();
  const choose = async (page: Page, action: string): Promise<void> => {
    await button(page, 'Actions for Unlucky').click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const confirm = async (name: string): Promise<void> => {
    await button(dialog(), name).click();
  };

  const attempts: Record<string, Record<string, (page: Page) => Promise<void>>> = {
    '/api-keys': {
      'Failed to create API key': async (page) => {
        await button(page, 'Create API Key').click();
        await dialog().getByLabel('Name').fill('Unlucky');
        await page.keyboard.press('Enter');
      },
      'Failed to delete API key': async (page) => {
        await button(page, 'Delete Shop').click();
        await confirm('Delete API Key');
      },
    },
    '/webhooks': {
      'Failed to create webhook endpoint': async (page) => {
        await button(page, 'Add Webhook').click();
        await dialog().getByRole('textbox', { name: 'Name' }).fill('Never');
        await dialog().getByRole('textbox', { name: 'URL' }).fill('https://example.com/');
        await confirm('Add Webhook');
      },
      'Failed to update webhook endpoint': async (page) => {
        await choose(page, 'Edit Settings');
        await confirm('Save Changes');
      },
      'Failed to rotate the secret': async (page) => {
        await choose(page, 'Rotate Secret');
        await confirm('Rotate Secret');
      },
      'Failed to delete webhook endpoint': async (page) => {
        await choose(page, 'Delete Webhook');
        await confirm('Delete Webhook');
      },
      'Failed to send test webhook': async (page) => {
        await button(page, 'Statistics of Unlucky').click();
        await confirm('Test Webhook');
      },
    },
  };

  test.each(Object.entries(attempts))(
    'each failed change on %s shows its error where the user made it',
    async (path, changes) => {
      const { page } = tab();
      tab().expectError(ERRORS);
      await follow(page, path);
      await page.route(`**/api/v1${path}/**`, (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 500, json: {} }),
      );
      for (const [text, attempt] of Object.entries(changes)) {
        await attempt(page);
        await page.getByRole('alert').getByText(text, { exact: true }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  );

  test('a failed form shows its error inside, and the sentence of the service before its own', async () => {
    const { page } = tab();
    tab().expectError(ERRORS);
    await follow(page, '/settings');
    const form = (name: string) => page.getByRole('form', { name, exact: true });
    const failing = (status: number, json: object) =>
      page.route('**/api/v1/profile/**', (route) =>
        route.request().method() === 'PUT' ? route.fulfill({ status, json }) : route.fallback(),
      );
    await failing(500, {});
    for (const [name, save, text] of [
      ['Profile', 'Save Changes', 'Failed to update profile'],
      ['Two-factor authentication', 'Save Two-Factor Settings', 'Failed to update 2FA settings'],
      ['OTP Configuration', 'Save Changes', 'Failed to save changes'],
    ] as const) {
      await form(name).getByRole('button', { name: save }).click();
      await form(name).getByRole('alert').getByText(text).waitFor();
    }
    const sentence = 'Too many requests. Please try again later.';
    await failing(429, { error: sentence });
    await form('OTP Configuration').getByRole('button', { name: 'Save Changes' }).click();
    await form('OTP Configuration').getByRole('alert').getByText(sentence).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('a form shows that it is loading, and why it could not be loaded', async () => {
    const { page } = tab();
    tab().expectError(ERRORS);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/v1/profile/**', async (route) => {
      await released;
      await route.fulfill({ status: 500, json: {} });
    });
    await page.goto('/settings');
    const panel = page.getByRole('region', { name: 'Profile', exact: true });
    await panel.getByText('Loading...').waitFor();
    release();
    await panel.getByText('Failed to load your profile').waitFor();
    await page.getByText('Failed to load the authenticator app').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await panel.getByRole('button', { name: 'Try Again' }).click();
    await page.getByRole('form', { name: 'Profile', exact: true }).waitFor();
  });
});
