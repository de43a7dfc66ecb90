import { afterAll, beforeAll, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import {
  expectAccessible,
  expectEveryLookAccessible,
  follow,
  look,
  openStage,
  type Stage,
  settled,
  sharedTab,
} from './browser.ts';
import { PUBLIC, SIGNED_IN } from './screens.ts';

/** Screens of a new account. Each screen's own tests check it with data. */
let stage: Stage;
let bob: Person;

beforeAll(async () => {
  stage = await openStage();
  bob = await stage.signUp('Bob');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: bob }));

for (const { path, heading } of SIGNED_IN)
  test(`${path} of a new account is accessible in light and dark and fits a phone`, async () => {
    const { page } = tab();
    await follow(page, path);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await settled(page);
    await expectEveryLookAccessible(page);
  });

test('the sidebar and the header of a desktop are accessible in dark', async () => {
  const { page } = tab();
  await follow(page, '/');
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
  await look(page, 'dark', 1280);
  await settled(page);
  await expectAccessible(page);
});

for (const { path, text } of PUBLIC)
  test(`${path} is accessible in light and dark and fits a phone`, async () => {
    await using tab = await stage.tab({ path });
    await tab.page.getByText(text).first().waitFor();
    await settled(tab.page);
    await expectEveryLookAccessible(tab.page);
  });
