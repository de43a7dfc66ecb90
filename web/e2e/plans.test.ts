import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';

let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const body = { name: 'Trials', mode: 'test' } as const;
  expect((await stage.service.call(createApiKey, { bearer: alice.access, body })).status).toBe(201);
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/settings#plans' }));

test('a country gets channels of its own with their price, and loses them again', async () => {
  const { page } = tab();
  const plans = page.getByRole('list', { name: 'Plans' });
  await plans.getByText('SMS, then voice after 60 s (preset)').waitFor();
  await page.getByRole('button', { name: 'Add Country' }).click();
  const add = page.getByRole('dialog', { name: 'Add Country' });
  await add.getByRole('button', { name: 'Add Plan' }).click();
  await add.getByText('Choose a country.').waitFor();
  await add.getByLabel('Country', { exact: true }).fill('Cana');
  await page.getByRole('option', { name: /^Canada/ }).click();
  await add.getByRole('button', { name: 'Move Voice up' }).click();
  await add.getByLabel('Wait').fill('30');
  await add.getByText('Voice, then SMS after 30 s. At most 2 credits.').waitFor();
  await add.getByRole('button', { name: 'Add Plan' }).click();
  await page.getByText('Plan saved', { exact: true }).waitFor();
  await plans.getByText('Voice, then SMS after 30 s', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Remove the plan: Canada' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Plan' }).click();
  await page.getByText('Plan removed', { exact: true }).waitFor();
  await plans.getByText('Canada').waitFor({ state: 'detached' });
});

test('a test code goes out on the next channel when the first message fails', async () => {
  await using trial = await stage.tab({ as: alice, path: '/docs' });
  const { page } = trial;
  await page.getByRole('link', { name: 'Send a Test Code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send a Test Code' });
  await dialog.getByText('Several in turn').click();
  await dialog.getByLabel('Recipient').fill('+15005550002');
  await dialog.getByRole('button', { name: 'Send Code' }).click();
  const steps = dialog.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  await steps.filter({ hasText: 'SMS' }).getByText('failed').waitFor();
  await steps.filter({ hasText: 'Voice' }).getByText('delivered').waitFor();
  await dialog.getByText('"channels":["sms","voice"]').waitFor();
});
