import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { follow, openStage, type Stage, sharedTab } from './browser.ts';
import { rows } from './lists.ts';

let stage: Stage;
let alice: Person;

const TABLE = 'Connections';

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/connections' }));

/** Opens the menu of the first row and chooses an item. */
const choose = async (name: string, item: string): Promise<void> => {
  const { page } = tab();
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

test('a new connection shows its secret, addresses and settings once, and its test shows the message', async () => {
  const { page } = tab();
  await page.getByRole('heading', { name: 'No connections' }).waitFor();
  await page.getByRole('button', { name: 'Create Connection' }).click();
  const create = page.getByRole('dialog', { name: 'Create Connection' });
  await create.getByRole('button', { name: 'Create Connection' }).click();
  await create.getByText('Please enter a name', { exact: true }).waitFor();
  // Its fields follow the system.
  await create.getByLabel('System').selectOption('FusionAuth');
  await create.getByText('Advanced', { exact: false }).first().click();
  await create.getByLabel('Message').waitFor({ state: 'hidden' });
  await create.getByLabel('System').selectOption('Supabase Auth');
  await create.getByLabel('Code pattern').waitFor({ state: 'hidden' });
  await create.getByLabel('Name').fill('Sign-in');
  await create.getByText('Test', { exact: true }).click();
  await create.getByLabel('Daily credit limit').waitFor({ state: 'hidden' });
  await create.getByLabel('Message').fill('Welcome');
  await create.getByLabel('Codes are valid for').fill('30');
  await create.getByRole('button', { name: 'Create Connection' }).click();
  await create
    .getByText(/\{code\}/)
    .first()
    .waitFor();
  await create.getByLabel('Message').fill('Welcome! Your code is {code}');
  await create.getByLabel('Language').selectOption('German');
  await create.getByLabel('Codes are valid for').fill('600');
  await create.getByRole('button', { name: 'Create Connection' }).click();

  const reveal = page.getByRole('dialog', { name: 'Your New Connection' });
  await reveal
    .getByText('This is the only time you will see the secret below. Enter it in Supabase Auth now.')
    .waitFor();
  const settings = reveal.getByRole('region', { name: 'Settings to enter in Supabase Auth' });
  await settings.getByRole('button', { name: 'Copy Secret of both hooks' }).click();
  await page.getByText('Copied to clipboard!', { exact: true }).waitFor();
  const secret = await tab().clipboard();
  expect(secret).toMatch(/^v1,whsec_/);
  await settings.getByText(secret, { exact: true }).waitFor();
  await settings.getByRole('button', { name: 'Copy URL of the Send SMS hook' }).click();
  await expect.poll(() => tab().clipboard()).toMatch(/\/api\/v1\/in\/[^/]+\/sms$/);
  await reveal.getByRole('button', { name: 'Test Connection' }).click();
  await reveal.waitFor({ state: 'hidden' });
  await expect.poll(() => page.content()).not.toContain(secret);

  const played = page.getByRole('dialog', { name: 'Test Connection' });
  await played.getByRole('button', { name: 'Send Test Request' }).click();
  await played.getByText('The request was accepted.').waitFor();
  await played.getByText('The message appears only in the test inbox and costs nothing.').waitFor();
  await played
    .getByRole('region', { name: 'Message' })
    .getByText(/^Welcome! Your code is \d{6}/)
    .waitFor();
  await played.getByRole('region', { name: 'Response' }).getByText(/^200/).waitFor();
  await played.getByRole('button', { name: 'Done' }).click();
  await played.waitFor({ state: 'hidden' });

  const row = rows(page, TABLE).first();
  for (const text of ['Sign-in', 'Supabase Auth', 'Test', 'Free', 'None'])
    await row.getByText(text, { exact: true }).waitFor();
});

test('lists are filtered by connection, and a request of a system is not shown as a call of the API', async () => {
  const { page } = tab();
  await choose('Sign-in', 'View Requests');
  await page.getByRole('heading', { name: 'Logs', exact: true }).waitFor();
  const filter = page.getByRole('combobox', { name: 'API key' });
  await expect.poll(() => filter.getByRole('option', { selected: true }).textContent()).toBe('Sign-in');
  await rows(page, 'Requests').first().getByText('Sign-in', { exact: true }).waitFor();
  await expect.poll(() => rows(page, 'Requests').count()).toBe(1);
  await rows(page, 'Requests').first().click();
  const details = page.getByRole('dialog', { name: 'Request Details' });
  await details.getByText('Another system made this request in its own format.').waitFor();
  await expect.poll(() => details.getByText('curl').count()).toBe(0);
  await details.getByRole('link', { name: 'View History' }).click();
  const verification = page.getByRole('dialog', { name: /^Verification/ });
  await verification.getByText('The sender verifies the code').waitFor();
  await verification.getByText('Sign-in', { exact: true }).waitFor();
  await expect.poll(() => verification.getByRole('button', { name: 'Resend Code' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await verification.waitFor({ state: 'hidden' });
  await follow(page, '/connections');
  await rows(page, TABLE).first().waitFor();
});
