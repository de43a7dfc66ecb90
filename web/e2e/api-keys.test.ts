import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, follow, look, openStage, type Stage, sharedTab } from './browser.ts';
import { expectAddress, rows, showing } from './lists.ts';

let stage: Stage;
let bob: Person;

const TABLE = 'API keys';

beforeAll(async () => {
  stage = await openStage();
  bob = await stage.signUp('Bob');
});
afterAll(() => stage?.close());

const bobs = sharedTab(() => stage.tab({ as: bob, path: '/api-keys' }));

test('an API key can be created, copied while it is shown once, used and deleted', async () => {
  const { page } = bobs();
  await page.getByRole('heading', { name: 'No API keys' }).waitFor();
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const create = page.getByRole('dialog', { name: 'Create API Key' });

  // A name of blanks only is invalid.
  await create.getByLabel('Name').fill('   ');
  await create.getByRole('button', { name: 'Create API Key' }).click();
  await create.getByText('Please enter a key name', { exact: true }).waitFor();
  await create.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  await create.getByLabel('Name').fill('  Web shop  ');
  await create.getByRole('button', { name: 'Create API Key' }).click();

  const reveal = page.getByRole('dialog', { name: 'Your New API Key' });
  await reveal.getByText('This is the only time you will see this key.').waitFor();
  await reveal.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Copied to clipboard!', { exact: true }).waitFor();
  const key = await bobs().clipboard();
  expect(key).toMatch(/^sd_live_[0-9A-Za-z]{38}$/);
  await reveal.getByRole('region', { name: 'Send a code with the new key' }).getByText(key).waitFor();
  await reveal.getByText("Use with Twilio's client").click();
  const twilio = reveal.getByRole('region', { name: "Values for Twilio's client" });
  await twilio.getByRole('button', { name: 'Copy Auth token' }).click();
  await expect.poll(() => bobs().clipboard()).toBe(key);
  // Neither a click outside nor Escape closes the dialog.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await reveal.getByText(key).first().waitFor();
  await reveal.getByRole('button', { name: "I've Copied the Key" }).click();
  await reveal.waitFor({ state: 'hidden' });
  await expect.poll(() => page.content()).not.toContain(key);

  const row = rows(page, TABLE).first();
  await row.getByText('Web shop', { exact: true }).waitFor();
  await row.getByText('Never', { exact: true }).waitFor();
  await row.getByText(`${key.slice(0, 14)}…`).waitFor();
  await row.getByRole('button', { name: 'Edit Web shop' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit API Key' });
  await edit.getByLabel('Daily credit limit').fill('50');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await row.getByText('0 of 50', { exact: true }).waitFor();
  const send = () =>
    stage.service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient: bob.email } });
  expect((await send()).status).toBe(201);

  await row.getByRole('button', { name: 'Delete Web shop' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete API Key' });
  await confirm
    .getByText(
      'Are you sure you want to delete the API key "Web shop"? This action cannot be undone and will immediately revoke access for this key.',
      { exact: true },
    )
    .waitFor();
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  await confirm.waitFor({ state: 'hidden' });
  await row.getByRole('button', { name: 'Delete Web shop' }).click();
  await confirm.getByRole('button', { name: 'Delete API Key' }).click();
  await page.getByText('API key deleted successfully', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'No API keys' }).waitFor();
  await eventually(async () => expect((await send()).status).toBe(401));
});

/** Staging, a test key. */
let key: string;

test('a limited test key sends into the test inbox, and the lists switch to its rows', async () => {
  const { page } = bobs();
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const create = page.getByRole('dialog', { name: 'Create API Key' });
  await create.getByLabel('Name').fill('Staging');
  await create.getByText('Sends cost credits. This sandbox simulates messages.').waitFor();
  await create.getByText('Advanced', { exact: false }).first().click();
  await create.getByRole('checkbox', { name: 'Verify', exact: true }).uncheck();
  // A test key costs nothing, so it has no limit.
  await create.getByText('Test', { exact: true }).click();
  await create.getByLabel('Daily credit limit').waitFor({ state: 'hidden' });
  await create.getByRole('button', { name: 'Create API Key' }).click();
  const reveal = page.getByRole('dialog', { name: 'Your New API Key' });
  await reveal.getByRole('button', { name: 'Copy', exact: true }).click();
  // Not the toast: the previous key's may still be shown.
  key = await eventually(async () => {
    const copied = await bobs().clipboard();
    expect(copied).toMatch(/^sd_test_/);
    return copied;
  });
  await reveal.getByRole('button', { name: "I've Copied the Key" }).click();
  const row = rows(page, TABLE).first();
  for (const text of ['Test', 'Send and read', 'Free']) await row.getByText(text, { exact: true }).waitFor();

  const body = { channel: 'email', recipient: 'delivered@sixdigit.test' } as const;
  expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  await follow(page, '/');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  // Test mode is not a filter.
  await showing(page, '1-1 of 1 OTP(s)');
  await rows(page, 'Verifications').first().getByText('delivered@sixdigit.test').waitFor();
  await page.getByRole('tab', { name: 'Test inbox' }).click();
  await expectAddress(page, '/?mode=test&view=inbox');
  const message = page.getByRole('article', { name: 'Email to delivered@sixdigit.test' });
  await message.getByText('123456', { exact: true }).waitFor();
  await follow(page, '/logs');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await showing(page, '1-1 of 1 requests');
});

test('a key can be limited, rotated with both secrets shown, and deleted from its menu on a phone', async () => {
  const { page } = bobs();
  await follow(page, '/api-keys');
  const row = rows(page, TABLE).first();
  await row.getByRole('button', { name: 'Edit Staging' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit API Key' });
  await edit.getByRole('checkbox', { name: 'Verify', exact: true }).uncheck();
  await edit.getByLabel('Allowed networks').fill('203.0.113.0/24');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  for (const text of ['Send and read', '1 network']) await row.getByText(text, { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Rotate Staging' }).click();
  const rotate = page.getByRole('dialog', { name: 'Rotate API Key' });
  await rotate.getByLabel('The current secret stays valid for').selectOption('7');
  await rotate.getByRole('button', { name: 'Rotate API Key' }).click();
  const reveal = page.getByRole('dialog', { name: 'Your New API Key' });
  await reveal.getByText(`The old secret ${key.slice(0, 14)}… stays valid until`).waitFor();
  await reveal.getByRole('button', { name: "I've Copied the Key" }).click();
  await row.getByText('Rotated', { exact: true }).waitFor();
  await row.getByText('Old secret:').waitFor();
  // On a phone, the actions are in a menu.
  await look(page, 'light', 390);
  await page.getByRole('button', { name: 'Actions for Staging' }).click();
  await page.getByRole('menuitem', { name: 'Delete API Key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete API Key' }).click();
  await page.getByRole('heading', { name: 'No API keys' }).waitFor();
});
