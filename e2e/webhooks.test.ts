import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendOtp } from '#contract/otp.ts';
import { createWebhook, listWebhooks, testWebhook } from '#contract/webhooks.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../server/test/fakes/receiver.ts';
import type { Person } from '../server/test/person.ts';
import {
  eventually,
  expectAccessible,
  expectEveryLookAccessible,
  failUntilTriedAgain,
  look,
  openStage,
  type Stage,
  texts,
} from './browser.ts';
import { expectAddress, rows, showing } from './lists.ts';

let stage: Stage;
let receiver: Receiver;

beforeAll(async () => {
  stage = await openStage();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.close();
  await stage?.close();
});

const TABLE = 'Webhooks';

async function endpoint(of: Person, name: string, url: string): Promise<{ id: string; secret: string }> {
  const { status, body } = await stage.service.call(createWebhook, {
    bearer: of.access,
    body: { name, url },
  });
  expect(status).toBe(201);
  return body;
}

async function sendTo(recipient: string, by: Person): Promise<void> {
  const { key } = await stage.apiKey(by);
  const { status } = await stage.service.call(sendOtp, {
    apiKey: key,
    body: { channel: 'email', recipient },
  });
  expect(status).toBe(201);
}

const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });

async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

async function openStatistics(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: `Statistics of ${name}` }).click();
  const statistics = page.getByRole('dialog');
  await statistics.getByRole('heading', { name: 'Statistics' }).waitFor();
  return statistics;
}

const toast = (page: Page, text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();

/** Throws where the signature is not of this secret. */
const verifyBy = (secret: string, { text, headers }: ReceivedRequest): unknown =>
  new Webhook(secret).verify(text, headers);

test('a new endpoint shows its secret once and receives messages signed with it', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  await page.getByRole('heading', { name: 'No webhook endpoints' }).waitFor();
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  const add = dialog(page, 'Add Webhook');
  await add.getByRole('textbox', { name: 'Name' }).waitFor();
  await expectAccessible(page);

  // active and all five events, until somebody says otherwise
  expect(await add.getByRole('switch', { name: 'Active' }).isChecked()).toBe(true);
  for (const event of ['Sent', 'Delivered', 'Failed', 'Verified', 'Expired'])
    expect(await add.getByRole('checkbox', { name: event }).isChecked()).toBe(true);

  await add.getByRole('button', { name: 'Add Webhook' }).click();
  expect(await texts(add.getByText('This field is required.'))).toHaveLength(2);
  await add.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await add.getByRole('textbox', { name: 'URL' }).fill('shop.example.com/hooks');
  await add.getByRole('button', { name: 'Add Webhook' }).click();
  tab.expectError(/status of 400|ApiError/);
  await add.getByText('The URL must begin with https:// or http://.').waitFor();
  await add.getByRole('textbox', { name: 'URL' }).fill(receiver.at('/ok?of=alice'));
  await add.getByRole('button', { name: 'Add Webhook' }).click();

  await toast(page, 'Webhook endpoint created successfully');
  const reveal = dialog(page, 'Your Signing Secret');
  await reveal.getByRole('button', { name: 'Copy', exact: true }).click();
  await toast(page, 'Copied to clipboard!');
  const secret = await tab.clipboard();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await expectAccessible(page);
  // neither a click beside it nor Escape loses it
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await reveal.getByText(secret).first().waitFor();
  await reveal.getByRole('button', { name: "I've Copied the Secret" }).click();
  await reveal.waitFor({ state: 'hidden' });
  expect(await page.content()).not.toContain(secret);

  expect(await texts(rows(page, TABLE).first().getByRole('cell'))).toEqual([
    'Shop',
    receiver.at('/ok?of=alice'),
    'Active',
    expect.stringMatching(/^5\s+all$/),
  ]);
  const statistics = await openStatistics(page, 'Shop');
  expect(await texts(statistics.getByRole('definition'))).toEqual(['0', '0', 'Never', 'Never']);
  await expectAccessible(page);
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await toast(page, 'Test webhook sent successfully');
  await statistics.getByText(/^Answered 200 in \d+ ms\.$/).waitFor();
  expect(await texts(statistics.getByRole('definition'))).toEqual([
    '1',
    '0',
    expect.stringContaining(','),
    expect.stringContaining(','),
  ]);

  await sendTo(alice.email, alice);
  const [tested, sent] = await receiver.waitFor(2, { path: '/ok?of=alice' });
  expect(verifyBy(secret, tested as ReceivedRequest)).toMatchObject({ type: 'webhook.test' });
  expect(verifyBy(secret, sent as ReceivedRequest)).toMatchObject({
    type: 'otp.sent',
    data: { recipient: alice.email },
  });
});

test('the sample receiver beside the secret works as pasted', async () => {
  const bob = await stage.signUp('Bob');
  const port = await freePort();
  await using tab = await stage.tab({ as: bob, path: '/webhooks?dialog=create' });
  const { page } = tab;
  const add = dialog(page, 'Add Webhook');
  await add.getByRole('textbox', { name: 'Name' }).fill('Laptop');
  await add.getByRole('textbox', { name: 'URL' }).fill(`http://127.0.0.1:${port}/`);
  await add.getByRole('button', { name: 'Add Webhook' }).click();
  const sample = await dialog(page, 'Your Signing Secret')
    .getByRole('region', { name: 'A receiver that checks signatures' })
    .textContent();
  await page.getByRole('button', { name: "I've Copied the Secret" }).click();

  await using pasted = await paste(sample ?? '', { PORT: String(port) });
  const statistics = await openStatistics(page, 'Laptop');
  await eventually(() => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '' }));
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await statistics.getByText(/^Answered 204 in/).waitFor();
  expect(pasted.output()).toContain('webhook.test');

  // somebody else's message
  const forged = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: '{}',
    headers: {
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    },
  });
  expect(forged.status).toBe(400);
});

test('an edited and disabled endpoint keeps its secret', async () => {
  const alice = await stage.signUp('Alice');
  const { secret } = await endpoint(alice, 'Old name', receiver.at('/ok?edited'));
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  await chooseAction(page, 'Old name', 'Edit Settings');
  const edit = dialog(page, 'Edit Settings');
  expect(await edit.getByRole('textbox', { name: 'URL' }).inputValue()).toBe(receiver.at('/ok?edited'));
  await edit.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(101));
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await edit.getByText('Name must be at most 100 characters').waitFor();
  await edit.getByRole('textbox', { name: 'Name' }).fill('New name');
  await edit.getByRole('checkbox', { name: 'Sent' }).click();
  await edit.getByRole('checkbox', { name: 'Expired' }).click();
  await edit.getByRole('switch', { name: 'Active' }).click();
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await toast(page, 'Webhook endpoint updated successfully');
  await edit.waitFor({ state: 'hidden' });
  expect(await texts(rows(page, TABLE).first().getByRole('cell'))).toEqual([
    'New name',
    receiver.at('/ok?edited'),
    'Inactive',
    expect.stringMatching(/^3\s+delivered, failed, verified$/),
  ]);

  // an inactive endpoint can still be tested
  const statistics = await openStatistics(page, 'New name');
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await toast(page, 'Test webhook sent successfully');
  const [tested] = await receiver.waitFor(1, { path: '/ok?edited' });
  verifyBy(secret, tested as ReceivedRequest);
});

test('the attempts show why a delivery failed, and a message can be replayed', async () => {
  const alice = await stage.signUp('Alice');
  let isBroken = true;
  const { id } = await endpoint(alice, 'Flaky', receiver.at('/flaky'));
  receiver.answer = ({ path }) => {
    if (path !== '/flaky') return undefined;
    return isBroken ? { status: 500, body: 'The disk is full' } : { status: 200, body: 'Thank you' };
  };
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  const statistics = await openStatistics(page, 'Flaky');
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await toast(page, 'Test webhook failed');
  await statistics.getByText('The endpoint answered 500. Only 2xx counts as received.').waitFor();
  await page.keyboard.press('Escape');
  await rows(page, TABLE).first().getByText('Last delivery failed').waitFor();

  // a click on the row opens the log
  await rows(page, TABLE).first().getByText('Flaky', { exact: true }).click();
  await expectAddress(page, `/webhooks?attempts=${id}`);
  const log = dialog(page, 'Delivery Attempts');
  const attempts = log.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
  await sendTo(alice.email, alice);
  const failed = attempts.filter({ hasText: 'otp.sent' }).first();
  await failed.getByText('500', { exact: true }).waitFor();
  await failed.getByText(/^Attempt 1 · [\d,]+ ms · next try /).waitFor();
  await failed.getByText('Answer and ids').click();
  await failed.getByText('The disk is full').waitFor();
  await failed.getByText('Request sent').click();
  await failed.getByRole('region', { name: 'Headers sent' }).getByText('webhook-id: ').waitFor();
  await failed.getByRole('region', { name: 'Body sent' }).getByText(alice.email).waitFor();
  await expectAccessible(page);

  isBroken = false;
  await failed.getByRole('button', { name: 'Replay' }).click();
  await toast(page, 'Message queued for another delivery');
  const answered200 = attempts.filter({ has: page.getByText('200', { exact: true }) });
  await answered200.filter({ hasText: 'otp.sent' }).first().waitFor();
  await log.getByRole('switch', { name: 'Failed only' }).click();
  await answered200.first().waitFor({ state: 'hidden' });
  await attempts.filter({ hasText: 'The endpoint answered 500' }).first().waitFor();
  await log.getByRole('switch', { name: 'Failed only' }).click();

  // all that failed is replayed together; while the endpoint is broken, it waits for the next try
  isBroken = true;
  await sendTo(`second.${alice.email}`, alice);
  await log.getByRole('combobox', { name: 'What to replay' }).selectOption('Failed in the last hour');
  const replayAll = log.getByRole('button', { name: 'Replay All Failed' });
  await eventually(async () => {
    await replayAll.click();
    await log.getByText(/^\d+ queued, \d+ still wait\.$/).waitFor({ timeout: 2_000 });
  });
  await attempts
    .filter({ hasText: /Attempt [23] / })
    .filter({ hasText: 'otp.sent' })
    .first()
    .waitFor();
  isBroken = false;
  await replayAll.click();
  await log.getByText(/^\d+ delivered again\.$/).waitFor();

  for (let n = 0; n < 9; n += 1)
    await stage.service.call(testWebhook, { bearer: alice.access, params: { id } });
  await log.getByRole('button', { name: 'Next' }).click();
  await log.getByText('Page 2 of 2').waitFor();
  await page.goBack();
  await log.waitFor({ state: 'hidden' });
  receiver.answer = undefined;
});

test('after a rotation, the new and the old secret both sign', async () => {
  const alice = await stage.signUp('Alice');
  const { secret: old } = await endpoint(alice, 'Rotating', receiver.at('/ok?rotated'));
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  await chooseAction(page, 'Rotating', 'Rotate Secret');
  const ask = dialog(page, 'Rotate Secret');
  await ask.getByText('The old one signs along for 24 hours').waitFor();
  await expectAccessible(page);
  await ask.getByRole('button', { name: 'Rotate Secret' }).click();
  const reveal = dialog(page, 'Your New Signing Secret');
  await reveal.getByText('The old secret signs along for 24 hours').waitFor();
  await reveal.getByRole('button', { name: 'Copy', exact: true }).click();
  await toast(page, 'Copied to clipboard!');
  const fresh = await tab.clipboard();
  expect(fresh).not.toBe(old);
  await reveal.getByRole('button', { name: "I've Copied the Secret" }).click();
  await (await openStatistics(page, 'Rotating')).getByRole('button', { name: 'Test Webhook' }).click();
  const [tested] = await receiver.waitFor(1, { path: '/ok?rotated' });
  verifyBy(old, tested as ReceivedRequest);
  verifyBy(fresh, tested as ReceivedRequest);
});

test('an endpoint disabled by the service shows the reason, and a passing test enables it again', async () => {
  const alice = await stage.signUp('Alice');
  let status = 410;
  const { id } = await endpoint(alice, 'Moved', receiver.at('/moved'));
  receiver.answer = ({ path }) => (path === '/moved' ? status : undefined);
  await stage.service.call(testWebhook, { bearer: alice.access, params: { id } });
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  const row = rows(page, TABLE).first();
  await row.getByText('Inactive', { exact: true }).waitFor();
  await row.getByText('Switched off: 410 Gone', { exact: true }).waitFor();
  const statistics = await openStatistics(page, 'Moved');
  await statistics.getByText(/it answered 410 Gone.*a test that passes makes it Active again/).waitFor();
  await expectAccessible(page);
  status = 204;
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await toast(page, 'Test webhook sent successfully');
  await row.getByText('Active', { exact: true }).waitFor();
  receiver.answer = undefined;
});

test('an endpoint is deleted after a confirmation', async () => {
  const alice = await stage.signUp('Alice');
  await endpoint(alice, 'Doomed', receiver.at('/ok'));
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  await chooseAction(page, 'Doomed', 'Delete Webhook');
  const ask = dialog(page, 'Delete Webhook');
  await ask.getByText('Are you sure you want to delete the webhook endpoint "Doomed"?').waitFor();
  await expectAccessible(page);
  await ask.getByRole('button', { name: 'Cancel' }).click();
  await ask.waitFor({ state: 'hidden' });
  await chooseAction(page, 'Doomed', 'Delete Webhook');
  await ask.getByRole('button', { name: 'Delete Webhook' }).click();
  await toast(page, 'Webhook endpoint deleted successfully');
  await page.getByRole('heading', { name: 'No webhook endpoints' }).waitFor();
  const { body } = await stage.service.call(listWebhooks, { bearer: alice.access });
  expect(body.count).toBe(0);
});

test('the address of the list of webhooks stores the search, the order and the page', async () => {
  const alice = await twelveEndpoints();
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  await showing(page, '1-10 of 12 webhook(s)');
  expect(await page.getByRole('columnheader').allTextContents()).toEqual([
    'Name',
    'URL',
    'Status',
    'Events',
    'Actions',
  ]);
  await page.getByRole('button', { name: 'Next' }).click();
  await showing(page, '11-12 of 12 webhook(s)');
  await page.getByText('Page 2 of 2').waitFor();
  await expectAddress(page, '/webhooks?page=2');
  for (const [header, ordering] of [
    ['Name', 'name'],
    ['URL', 'url'],
    ['Status', 'is_active'],
  ]) {
    await page
      .getByRole('columnheader', { name: header as string })
      .getByRole('button')
      .click();
    await expectAddress(page, `/webhooks?ordering=${ordering}`);
  }
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await expectAddress(page, '/webhooks?ordering=-name');
  await rows(page, TABLE).first().getByText('Endpoint 9', { exact: true }).waitFor();
  await page.getByPlaceholder('Search webhooks...').fill('endpoint 1');
  await showing(page, '1-4 of 4 webhook(s) (filtered)');
  await page.reload();
  await showing(page, '1-4 of 4 webhook(s) (filtered)');
  await page.getByPlaceholder('Search webhooks...').fill('nothing like it');
  await page.getByText('No webhook endpoint matches “nothing like it”.').waitFor();
  await page.getByRole('button', { name: 'Clear Search' }).last().click();
  await showing(page, '1-10 of 12 webhook(s)');
});

test('a failed call about webhooks shows its error where the user started it', async () => {
  const alice = await stage.signUp('Alice');
  await endpoint(alice, 'Unlucky', receiver.at('/ok'));
  await using tab = await stage.tab({ as: alice, path: '/docs' });
  const { page } = tab;
  tab.expectError(/status of 500|Query failed|ApiError/);
  await failUntilTriedAgain(page, '**/api/v1/webhooks/**');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('Error loading webhooks', { exact: true }).waitFor();
  await page.getByText('Failed to load webhooks', { exact: true }).waitFor();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Try Again' }).click();
  await showing(page, '1-1 of 1 webhook(s)');
  await page.route('**/api/v1/webhooks/**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 500, json: {} }),
  );
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  const add = dialog(page, 'Add Webhook');
  await add.getByRole('textbox', { name: 'Name' }).fill('Never');
  await add.getByRole('textbox', { name: 'URL' }).fill('https://example.com/');
  await add.getByRole('button', { name: 'Add Webhook' }).click();
  await add.getByRole('alert').getByText('Failed to create webhook endpoint').waitFor();
  await add.getByRole('button', { name: 'Cancel' }).click();
  await chooseAction(page, 'Unlucky', 'Edit Settings');
  const edit = dialog(page, 'Edit Settings');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await edit.getByRole('alert').getByText('Failed to update webhook endpoint').waitFor();
  await edit.getByRole('button', { name: 'Cancel' }).click();
  await chooseAction(page, 'Unlucky', 'Rotate Secret');
  await dialog(page, 'Rotate Secret').getByRole('button', { name: 'Rotate Secret' }).click();
  await toast(page, 'Failed to rotate the secret');
  await dialog(page, 'Rotate Secret').getByRole('button', { name: 'Cancel' }).click();
  await chooseAction(page, 'Unlucky', 'Delete Webhook');
  await dialog(page, 'Delete Webhook').getByRole('button', { name: 'Delete Webhook' }).click();
  await toast(page, 'Failed to delete webhook endpoint');
  await dialog(page, 'Delete Webhook').getByRole('button', { name: 'Cancel' }).click();
  const statistics = await openStatistics(page, 'Unlucky');
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await toast(page, 'Failed to send test webhook');
});

test('the webhooks screen, its menu and its attempts are accessible in light and dark and fit a phone', async () => {
  const alice = await twelveEndpoints();
  await using tab = await stage.tab({ as: alice, path: '/webhooks' });
  const { page } = tab;
  await showing(page, '1-10 of 12 webhook(s)');
  await expectEveryLookAccessible(page);
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    await look(page, colorScheme, width);
    await page.getByRole('button', { name: 'Actions for Endpoint 12' }).click();
    await page.getByRole('menuitem', { name: 'View Attempts' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  }
  await chooseAction(page, 'Endpoint 12', 'View Attempts');
  await page.getByText('Nothing has been sent here yet.').waitFor();
  await expectEveryLookAccessible(page);
});

let twelve: Promise<Person> | undefined;
function twelveEndpoints(): Promise<Person> {
  twelve ??= (async () => {
    const owner = await stage.signUp('Dora');
    for (let n = 1; n <= 12; n += 1) await endpoint(owner, `Endpoint ${n}`, `https://hooks.example.com/${n}`);
    return owner;
  })();
  return twelve;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** What somebody pastes in a terminal, in a folder of its own. */
async function paste(
  commands: string,
  env: Record<string, string>,
): Promise<AsyncDisposable & { output: () => string }> {
  const cwd = await mkdtemp(join(tmpdir(), 'sixdigit-paste-'));
  const shell = spawn('bash', ['-c', commands], { cwd, env: { ...process.env, ...env }, detached: true });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (text) => (output += text));
  return {
    output: () => output,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => shell.once('close', resolve));
      // the whole group: the shell and the receiver
      if (shell.pid !== undefined) process.kill(-shell.pid);
      await ended;
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
