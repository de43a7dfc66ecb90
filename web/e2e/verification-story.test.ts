import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab } from './browser.ts';
import { sendCode, verifyCode } from './codes.ts';
import { expectAddress, rows, showing } from './lists.ts';

/** Codes are sent and verified while Bob's list is open. */
let stage: Stage;
let bob: Person;
let key: string;

const TABLE = 'Verifications';

beforeAll(async () => {
  stage = await openStage();
  bob = await stage.signUp('Bob');
  ({ key } = await stage.apiKey(bob, 'Shop'));
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: bob, path: '/' }));
const details = () => tab().page.getByRole('dialog', { name: 'Verification Details' });

test('the first steps can be dismissed, and the empty list then shows a sample call', async () => {
  const { page } = tab();
  await page.getByRole('button', { name: 'Dismiss first steps' }).click();
  await page.getByRole('region', { name: 'First steps' }).waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Send a code' }).getByText('curl -X POST').waitFor();
});

test('the list shows new codes and new states without a reload', async () => {
  const { page } = tab();
  // New rows wait while the pointer is on the list, which takes the place of what was dismissed.
  await page.mouse.move(0, 0);
  await sendCode(stage, key, '+14155552001');
  await showing(page, '1-1 of 1 OTP(s)');
  const second = await sendCode(stage, key, '+14155552002');
  await showing(page, '1-2 of 2 OTP(s)');
  await verifyCode(stage, key, second);
  await rows(page, TABLE).first().getByText('Verified', { exact: true }).waitFor();
});

test('the details follow a code from sent to verified without a reload', async () => {
  const { page } = tab();
  const otp_id = await sendCode(stage, key, '+14155553001');
  const row = rows(page, TABLE).filter({ hasText: '+14155553001' });
  await row.getByRole('button', { name: 'View History' }).click();
  await details().getByText('Complete history and status changes for this verification').waitFor();
  await details().getByText('SMS OTP', { exact: true }).waitFor();
  await details().getByText('-1 credit', { exact: true }).waitFor();
  await details()
    .getByText(`${otp_id.slice(0, 16)}…`, { exact: true })
    .waitFor();
  await details().getByText('Initial status set to Pending').waitFor();
  await details().getByText('Status changed from Pending to Sent').waitFor();
  await expect.poll(() => details().getByText('from 127.0.0.1').count()).toBeGreaterThan(0);
  await expectAddress(page, `/?otp=${otp_id}`);

  await verifyCode(stage, key, otp_id);
  await details().getByText('Status changed from Sent to Verified').waitFor();
  await details().getByText('Verified', { exact: true }).first().waitFor();
  const timeline = details().getByRole('region', { name: 'Timeline' }).getByRole('listitem');
  await eventually(async () =>
    expect((await timeline.allTextContents()).map((text) => text.split(' ')[0])).toEqual([
      'Created',
      'Sent',
      'Verified',
      'Expires',
    ]),
  );
  await details()
    .getByText(/^Verified .* after the message was sent\.$/)
    .waitFor();

  await page.keyboard.press('Escape');
  await details().waitFor({ state: 'hidden' });
  await expectAddress(page, '/');
});

test('the details of a code show wrong codes and webhooks, resend it after a confirmation, and cancel it', async () => {
  const { page } = tab();
  await stage.service.call(createWebhook, {
    bearer: bob.access,
    body: { name: 'Unreachable', url: 'http://127.0.0.1:9/nowhere' },
  });
  // The focus has returned to the list, where new rows wait.
  await page.getByRole('table', { name: TABLE }).locator(':focus').waitFor();
  const otp_id = await sendCode(stage, key, '+14155554001');
  const row = rows(page, TABLE).filter({ hasText: '+14155554001' });
  const history = row.getByRole('button', { name: 'View History' });
  await page.getByRole('button', { name: '1 new', exact: true }).click();
  // Only wrong codes in a row are one entry.
  await row.getByText('Sent', { exact: true }).waitFor();
  await verifyCode(stage, key, otp_id, true);
  await verifyCode(stage, key, otp_id, true);
  await history.click();
  // One timeline has the status changes, the wrong codes and the webhooks.
  const entries = details().getByRole('region', { name: 'Status History' }).getByRole('listitem');
  await entries
    .filter({ hasText: 'Status changed from Pending to Sent' })
    .getByText('Accepted by Sandbox')
    .waitFor();
  await entries.getByText('Wrong code entered 2 times').waitFor();
  const webhook = entries.filter({ hasText: 'otp.sent' });
  await webhook.getByRole('link', { name: 'Unreachable' }).waitFor();

  // The dialog names the recipient and the cost. The new verification replaces this one.
  await details().getByRole('button', { name: 'Resend Code' }).click();
  await details().getByText('Send another message to +14155554001?').waitFor();
  const before = new URL(page.url()).searchParams.get('otp');
  await details().getByRole('button', { name: 'Send Message' }).click();
  await page.getByText('Code sent again').waitFor();
  await eventually(() => expect(new URL(page.url()).searchParams.get('otp')).not.toBe(before));
  await page.keyboard.press('Escape');
  await details().waitFor({ state: 'hidden' });

  await history.last().click();
  await details().getByRole('button', { name: 'Cancel Verification' }).click();
  await details().getByRole('button', { name: 'Cancel Verification' }).click();
  await details().getByText('Status changed from Sent to Expired').waitFor();
  await details().getByRole('button', { name: 'Cancel Verification' }).waitFor({ state: 'hidden' });
  await details().getByRole('link', { name: 'View Requests' }).click();
  await showing(page, '1-3 of 3 requests (filtered)');
});

test('new rows wait while the pointer or the focus is on the list', async () => {
  const { page } = tab();
  await follow(page, '/');
  const list = rows(page, TABLE);
  await showing(page, '1-5 of 5 OTP(s)');
  await page.getByText('Median time to verify').waitFor();
  await list.first().hover();
  await sendCode(stage, key, '+14155553002');
  await page.getByRole('button', { name: '1 new', exact: true }).waitFor();
  await sendCode(stage, key, '+14155553003');
  const fresh = page.getByRole('button', { name: '2 new', exact: true });
  await fresh.waitFor();
  await expect.poll(() => list.count()).toBe(5);
  await fresh.click();
  await list.nth(6).waitFor();
  await fresh.waitFor({ state: 'detached' });

  await page.keyboard.press('j');
  await sendCode(stage, key, '+14155553004');
  await page.getByRole('button', { name: '1 new', exact: true }).press('Enter');
  await list.nth(7).waitFor();
  await expect.poll(() => list.first().evaluate((row) => row === row.ownerDocument.activeElement)).toBe(true);
});

test('a test code is sent, watched and verified, and the equal command is copied', async () => {
  const dan = await stage.signUp('Dan');
  const made = await stage.service.call(createApiKey, {
    bearer: dan.access,
    body: { name: 'Trials', mode: 'test' },
  });
  expect(made.status).toBe(201);
  await using trial = await stage.tab({ as: dan, path: '/docs' });
  const { page } = trial;
  await page.getByRole('link', { name: 'Send a Test Code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send a Test Code' });
  await dialog.getByText('Test key: no message is sent, and nothing is charged.').waitFor();
  await dialog.getByLabel('Channel', { exact: true }).selectOption({ label: 'SMS' });
  await dialog.getByLabel('Recipient').fill('+14155554777');
  await page.keyboard.press('Enter');
  const states = dialog.getByRole('list', { name: 'States' });
  await states.getByText('Delivered').waitFor();
  const hasFocus = (found: Locator) => found.and(page.locator(':focus')).waitFor();
  await hasFocus(dialog.getByLabel('Code', { exact: true }));

  await dialog
    .getByRole('region', { name: 'Send a code' })
    .getByText(`curl -X POST ${stage.url}/api/v1/otp/send/`)
    .waitFor();

  trial.expectError(/status of 400/);
  await dialog.getByLabel('Code', { exact: true }).fill('000000');
  await dialog.getByRole('button', { name: 'Verify Code' }).click();
  await dialog.getByText('Invalid OTP code').waitFor();
  // as phones paste it
  await dialog.getByLabel('Code', { exact: true }).fill('\u202a１\u200b2\u200b3 4\u200b5\u200b6\u202c');
  await page.keyboard.press('Enter');
  await dialog.getByText('The code is correct.').waitFor();
  await states.getByText('Verified').waitFor();
  await hasFocus(dialog.getByRole('button', { name: 'Send Another Code' }));
  await page.keyboard.press('Enter');
  await hasFocus(dialog.getByLabel('Recipient'));
});
