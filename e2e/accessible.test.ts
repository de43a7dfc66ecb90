import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import {
  expectAccessible,
  expectEveryLookAccessible,
  follow,
  loaded,
  openStage,
  type Stage,
  type Tab,
} from './browser.ts';
import { PUBLIC, SIGNED_IN } from './screens.ts';

/** Screens as a new account sees them; how they look with data, each screen's own tests check. */
let stage: Stage;
let bob: Person;

beforeAll(async () => {
  stage = await openStage();
  bob = await stage.signUp('Bob');
});
afterAll(() => stage?.close());

describe('in a new account', () => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await stage.tab({ as: bob });
  });
  afterAll(() => tab?.[Symbol.asyncDispose]());

  for (const { path, heading } of SIGNED_IN)
    test(`${path} is accessible in light and dark and fits a phone`, async () => {
      await follow(tab.page, path);
      await tab.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await loaded(tab.page);
      await expectEveryLookAccessible(tab.page);
    });
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
