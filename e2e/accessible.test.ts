import { afterAll, beforeAll, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { expectAccessible, expectEveryLookAccessible, loaded, openStage, type Stage } from './browser.ts';
import { PUBLIC, SIGNED_IN } from './screens.ts';

/** Screens as a new account sees them; how they look with data, each screen's own tests check. */
let stage: Stage;
let bob: Person;

beforeAll(async () => {
  stage = await openStage();
  bob = await stage.signUp('Bob');
});
afterAll(() => stage?.close());

for (const { path, heading } of SIGNED_IN)
  test(`${path} is accessible in a new account, in light and dark, and fits a phone`, async () => {
    await using tab = await stage.tab({ as: bob, path });
    await tab.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await loaded(tab.page);
    await expectEveryLookAccessible(tab.page);
  });

test('the sidebar and the header of a desktop are accessible in dark', async () => {
  await using tab = await stage.tab({ as: bob, colorScheme: 'dark' });
  await tab.page.getByRole('navigation', { name: 'Main' }).waitFor();
  await loaded(tab.page);
  await expectAccessible(tab.page);
});

for (const { path, text } of PUBLIC)
  test(`${path} is accessible in light and dark and fits a phone`, async () => {
    await using tab = await stage.tab({ path });
    await tab.page.getByText(text).first().waitFor();
    await loaded(tab.page);
    await expectEveryLookAccessible(tab.page);
  });
