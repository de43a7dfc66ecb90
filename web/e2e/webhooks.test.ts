import { createWebhook, testWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Locator, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../server/test/fakes/receiver.ts';
import type { Person } from '../../server/test/person.ts';
import { eventually, openStage, type Stage, sharedTab, texts } from './browser.ts';
import { sendCode } from './codes.ts';
import { expectAddress, rows } from './lists.ts';
import { dialog } from './parts.ts';

/** Alice's endpoints. */
let stage: Stage;
let receiver: Receiver;
let alice: Person;
let key: string;

/** The receiver's status codes for these paths; 200 for all others. */
const answers: Record<string, { status: number; body?: string }> = {};

beforeAll(async () => {
  stage = await openStage();
  receiver = await startReceiver();
  receiver.answer = ({ path }) => answers[path];
  alice = await stage.signUp('Alice');
  ({ key } = await stage.apiKey(alice));
  await endpoint('Unlucky', receiver.at('/ok'));
});
afterAll(async () => {
  await receiver?.close();
  await stage?.close();
});

const tab = sharedTab(() => stage.tab({ as: alice, path: '/webhooks' }));

async function endpoint(name: string, url: string): Promise<string> {
  const { status, body } = await stage.service.call(createWebhook, {
    bearer: alice.access,
    body: { name, url },
  });
  expect(status).toBe(201);
  return body.id;
}

const row = (page: Page, name: string): Locator => rows(page, 'Webhooks').filter({ hasText: name });

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

/** By Escape, which closes them only while the focus is inside. */
async function closeStatistics(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

const toast = (page: Page, text: string): Promise<void> =>
  page.getByText(text, { exact: true }).first().waitFor();

/** Throws if this secret did not sign the message. */
const verifyBy = (secret: string, request: ReceivedRequest | undefined): unknown =>
  new Webhook(secret).verify(request?.text ?? '', request?.headers ?? {});

test('an endpoint is deleted after a confirmation', async () => {
  const { page } = tab();
  await chooseAction(page, 'Unlucky', 'Delete Webhook');
  const ask = dialog(page, 'Delete Webhook');
  await ask.getByText('Are you sure you want to delete the webhook endpoint "Unlucky"?').waitFor();
  await ask.getByRole('button', { name: 'Cancel' }).click();
  await ask.waitFor({ state: 'hidden' });
  await chooseAction(page, 'Unlucky', 'Delete Webhook');
  await ask.getByRole('button', { name: 'Delete Webhook' }).click();
  await toast(page, 'Webhook endpoint deleted successfully');
  await page.getByRole('heading', { name: 'No webhook endpoints' }).waitFor();
});

/** Of the endpoint Shop, which is renamed. */
const PATH = '/ok?of=alice';
let secret: string;
/** Its first requests. */
const received = (count: number): Promise<ReceivedRequest[]> =>
  eventually(() => {
    const some = receiver.requests.filter(({ path }) => path === PATH);
    expect(some).toHaveLength(count);
    return some;
  });

test('a new endpoint shows its secret once and receives messages signed with it', async () => {
  const { page } = tab();
  await page.getByRole('button', { name: 'Add Webhook' }).click();
  const add = dialog(page, 'Add Webhook');
  await add.getByRole('textbox', { name: 'Name' }).waitFor();

  // The defaults are active and all five events.
  await expect.poll(() => add.getByRole('switch', { name: 'Active' }).isChecked()).toBe(true);
  for (const event of ['Sent', 'Delivered', 'Failed', 'Verified', 'Expired'])
    await expect.poll(() => add.getByRole('checkbox', { name: event }).isChecked()).toBe(true);

  await add.getByRole('button', { name: 'Add Webhook' }).click();
  await expect.poll(() => texts(add.getByText('This field is required.'))).toHaveLength(2);
  await add.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await add.getByRole('textbox', { name: 'URL' }).fill(receiver.at(PATH));
  await add.getByRole('button', { name: 'Add Webhook' }).click();

  await toast(page, 'Webhook endpoint created successfully');
  const reveal = dialog(page, 'Your Signing Secret');
  await reveal.getByRole('button', { name: 'Copy', exact: true }).click();
  await toast(page, 'Copied to clipboard!');
  secret = await tab().clipboard();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  // Neither a click outside nor Escape closes the dialog.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await reveal.getByText(secret).first().waitFor();
  await reveal.getByRole('button', { name: "I've Copied the Secret" }).click();
  await reveal.waitFor({ state: 'hidden' });
  await expect.poll(() => page.content()).not.toContain(secret);

  await expect
    .poll(() => texts(row(page, 'Shop').getByRole('cell')))
    .toEqual(['Shop', receiver.at(PATH), 'Active', expect.stringMatching(/^5\s+All$/)]);
  const statistics = await openStatistics(page, 'Shop');
  await expect.poll(() => texts(statistics.getByRole('definition'))).toEqual(['0', '0', 'Never', 'Never']);
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await toast(page, 'Test webhook sent successfully');
  await statistics.getByText(/^Answered 200 in \d+ ms\.$/).waitFor();
  await expect
    .poll(() => texts(statistics.getByRole('definition')))
    .toEqual(['1', '0', expect.stringContaining(','), expect.stringContaining(',')]);
  await closeStatistics(page);

  await sendCode(stage, key, alice.email, 'email');
  const [tested, sent] = await received(2);
  expect(verifyBy(secret, tested)).toMatchObject({ type: 'webhook.test' });
  expect(verifyBy(secret, sent)).toMatchObject({ type: 'otp.sent', data: { recipient: alice.email } });
});

test('an edited and disabled endpoint can be tested, and after a rotation both secrets sign', async () => {
  const { page } = tab();
  await chooseAction(page, 'Shop', 'Edit Settings');
  const edit = dialog(page, 'Edit Webhook');
  await expect.poll(() => edit.getByRole('textbox', { name: 'URL' }).inputValue()).toBe(receiver.at(PATH));
  await edit.getByRole('textbox', { name: 'Name' }).fill('New name');
  await edit.getByRole('checkbox', { name: 'Sent' }).click();
  await edit.getByRole('checkbox', { name: 'Expired' }).click();
  await edit.getByRole('switch', { name: 'Active' }).click();
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await toast(page, 'Webhook endpoint updated successfully');
  await edit.waitFor({ state: 'hidden' });
  await expect
    .poll(() => texts(row(page, 'New name').getByRole('cell')))
    .toEqual([
      'New name',
      receiver.at(PATH),
      'Inactive',
      expect.stringMatching(/^3\s+delivered, failed, verified$/),
    ]);

  await chooseAction(page, 'New name', 'Rotate Secret');
  const ask = dialog(page, 'Rotate Secret');
  await ask.getByText('The old one stays valid for 24 hours').waitFor();
  await ask.getByRole('button', { name: 'Rotate Secret' }).click();
  const reveal = dialog(page, 'Your New Signing Secret');
  await reveal.getByText('The old secret stays valid for 24 hours').waitFor();
  await reveal.getByRole('button', { name: 'Copy', exact: true }).click();
  const fresh = await eventually(async () => {
    const copied = await tab().clipboard();
    expect(copied).toMatch(/^whsec_/);
    expect(copied).not.toBe(secret);
    return copied;
  });
  await reveal.getByRole('button', { name: "I've Copied the Secret" }).click();
  await (await openStatistics(page, 'New name')).getByRole('button', { name: 'Test Webhook' }).click();
  const [, , again] = await received(3);
  for (const one of [secret, fresh]) verifyBy(one, again);
  await closeStatistics(page);
});

test('an endpoint disabled by the service shows the reason, and a passing test enables it again', async () => {
  answers['/moved'] = { status: 410 };
  const id = await endpoint('Moved', receiver.at('/moved'));
  await stage.service.call(testWebhook, { bearer: alice.access, params: { id } });
  const { page } = tab();
  await page.reload();
  const moved = row(page, 'Moved');
  await moved.getByText('Inactive', { exact: true }).waitFor();
  await moved.getByText('Disabled: the URL is gone', { exact: true }).waitFor();
  const statistics = await openStatistics(page, 'Moved');
  await statistics
    .getByText(/it responded with 410 Gone.*a test that passes makes it Active again/)
    .waitFor();
  answers['/moved'] = { status: 204 };
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await statistics.getByText(/^Answered 204 in/).waitFor();
  await moved.getByText('Active', { exact: true }).waitFor();
  await closeStatistics(page);
});

test('each message shows why its delivery failed, and can be replayed', async () => {
  await endpoint('Flaky', receiver.at('/flaky'));
  const { page } = tab();
  await page.reload();
  // As that of a gateway, it is tried again after a minute: no attempt of the service's own comes between the next steps.
  const broken = { status: 502, body: 'The disk is full' };
  const repaired = { status: 200, body: 'Thank you' };
  answers['/flaky'] = broken;
  const statistics = await openStatistics(page, 'Flaky');
  await statistics.getByRole('button', { name: 'Test Webhook' }).click();
  await toast(page, 'Test webhook failed');
  await statistics.getByText('The endpoint responded with 502. Only 2xx counts as received.').waitFor();
  await closeStatistics(page);
  await row(page, 'Flaky').getByText('Last delivery failed').waitFor();

  // a click on the row opens the log
  await row(page, 'Flaky').getByText('Flaky', { exact: true }).click();
  await eventually(() => expect(new URL(page.url()).search).toMatch(/^\?attempts=[0-9a-f-]{36}$/));
  const log = dialog(page, 'Deliveries');
  const messages = log.getByRole('list', { name: 'Messages' }).locator('> li');
  await sendCode(stage, key, `first.${alice.email}`, 'email');
  const failed = messages.filter({ hasText: `first.${alice.email}` });
  await failed.getByText('Retrying', { exact: true }).waitFor();
  await failed.getByText(/ · 1 attempt · next try in (\d+ seconds?|1 minute)/).waitFor();
  await failed.getByRole('button', { expanded: false }).click();
  await failed.getByText('Attempt 1', { exact: true }).waitFor();
  await failed.getByText('The disk is full').waitFor();
  await failed.getByRole('region', { name: 'Body sent' }).getByText(`first.${alice.email}`).waitFor();

  // The state changes, the new attempt is shown, and the focus stays on the button.
  answers['/flaky'] = repaired;
  const replay = failed.getByRole('button', { name: `Replay otp.sent of first.${alice.email}`, exact: true });
  await replay.press('Enter');
  await toast(page, 'Message queued for another delivery');
  await failed.getByText('Delivered', { exact: true }).waitFor();
  await failed.getByText('Thank you').waitFor();
  await failed.getByRole('button', { name: /^200 Attempt \d/, pressed: true }).waitFor();
  await replay.and(page.locator(':focus')).waitFor();
  await failed.getByRole('button', { name: 'Attempt 1' }).click();
  await failed.getByText('The disk is full').waitFor();

  await log.getByRole('switch', { name: 'Failed only' }).click();
  await failed.waitFor({ state: 'hidden' });
  await messages.filter({ hasText: 'The endpoint responded with 502' }).first().waitFor();
  await log.getByRole('switch', { name: 'Failed only' }).click();

  // All failed messages are replayed together. While the endpoint fails, they wait for the next attempt.
  answers['/flaky'] = broken;
  await sendCode(stage, key, `second.${alice.email}`, 'email');
  const replayAll = log.getByRole('button', { name: 'Replay All Failed' });
  await eventually(async () => {
    await replayAll.click();
    await page.getByRole('menuitem', { name: 'Failed in the last hour' }).click();
    await log.getByText(/^\d+ queued, \d+ still waiting\.$/).waitFor({ timeout: 2_000 });
  });
  await replayAll.and(page.locator(':focus')).waitFor();
  await messages
    .filter({ hasText: `second.${alice.email}` })
    .getByText(/ · \d+ attempts/)
    .waitFor();
  answers['/flaky'] = repaired;
  await replayAll.click();
  await page.getByRole('menuitem', { name: 'Failed in the last hour' }).click();
  await log.getByText(/^\d+ delivered again\.$/).waitFor();

  await page.goBack();
  await log.waitFor({ state: 'hidden' });
  await expectAddress(page, '/webhooks');
});
