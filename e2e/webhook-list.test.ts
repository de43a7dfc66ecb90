import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import {
  expectAccessible,
  expectEveryLookAccessible,
  look,
  openStage,
  type Stage,
  sharedTab,
} from './browser.ts';
import { expectAddress, rows, showing } from './lists.ts';

const TABLE = 'Webhooks';

/** Dora has twelve endpoints, Endpoint 1 to Endpoint 12. */
let stage: Stage;
let dora: Person;
beforeAll(async () => {
  stage = await openStage();
  dora = await stage.signUp('Dora');
  for (let n = 1; n <= 12; n += 1) {
    const body = { name: `Endpoint ${n}`, url: `https://hooks.example.com/${n}` };
    const { status } = await stage.service.call(createWebhook, { bearer: dora.access, body });
    expect(status).toBe(201);
  }
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: dora, path: '/webhooks' }));

test('the URL of the webhook list stores the search, the order and the page', async () => {
  const { page } = tab();
  await showing(page, '1-10 of 12 webhooks');
  expect(await page.getByRole('columnheader').allTextContents()).toEqual([
    'Name',
    'URL',
    'Status',
    'Events',
    'Actions',
  ]);
  await page.getByRole('button', { name: 'Next' }).click();
  await showing(page, '11-12 of 12 webhooks');
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
  await showing(page, '1-4 of 4 webhooks (filtered)');
  await page.reload();
  await showing(page, '1-4 of 4 webhooks (filtered)');
  await page.getByPlaceholder('Search webhooks...').fill('nothing like it');
  await page.getByText('No webhook endpoint matches “nothing like it”.').waitFor();
  await page.getByRole('button', { name: 'Clear Search' }).last().click();
  await showing(page, '1-10 of 12 webhooks');
});

test('the webhooks screen, its menu and its deliveries are accessible in light and dark and fit a phone', async () => {
  const { page } = tab();
  await showing(page, '1-10 of 12 webhooks');
  await expectEveryLookAccessible(page);
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    await look(page, colorScheme, width);
    await page.getByRole('button', { name: 'Actions for Endpoint 12' }).click();
    await page.getByRole('menuitem', { name: 'View Deliveries' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  }
  await page.getByRole('button', { name: 'Actions for Endpoint 12' }).click();
  await page.getByRole('menuitem', { name: 'View Deliveries' }).click();
  await page.getByText(/^Nothing was sent to this endpoint/).waitFor();
  await expectEveryLookAccessible(page);
});
