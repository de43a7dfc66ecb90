import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, follow, openStage, type Stage } from './browser.ts';
import { scrollTo } from './parts.ts';

/** Failures on the way to a purchase. */
let stage: Stage;
let bob: Person;
beforeAll(async () => {
  stage = await openStage();
  bob = await stage.signUp('Bob');
});
afterAll(() => stage?.close());

test('while send prices cannot be loaded, no screen shows one', async () => {
  await using tab = await stage.tab({ as: bob, path: '/sign-in' });
  tab.expectError(/500|Query failed/);
  const { page } = tab;
  await page.route('**/payments/prices/', (route) => route.fulfill({ status: 500, json: {} }));
  for (const [path, sentence] of [
    ['/credits', 'Sending a code costs credits. Verifying it is free.'],
    ['/docs', /^Sending costs credits and returns an/],
  ] as const) {
    await follow(page, path);
    await page.getByText(sentence).waitFor();
    await page.getByText(/costs? (1|one) credit(?!, unless)/).waitFor({ state: 'detached' });
  }
  await follow(page, '/settings');
  // The preview loads once it is near.
  await scrollTo(page.getByRole('heading', { name: 'OTP Configuration', exact: true }));
  // A placeholder that React replaces can stay in the page, hidden.
  await page
    .getByRole('region', { name: 'SMS preview' })
    .getByText('The exact text of the message.', { exact: true })
    .waitFor();
});

test('a declined card is reported in view, and the choice to save it is below the card', async () => {
  await using tab = await stage.tab({ as: bob, path: '/credits', width: 390, height: 600 });
  tab.expectError(/4\d\d|declined/);
  const { page } = tab;
  await page.getByRole('button', { name: 'Purchase Bundle' }).first().click();
  const card = page.getByLabel('Card number');
  await card.fill('4000000000000002');
  await page.getByLabel('Expiration date').fill('1234');
  await page.getByLabel('Security code').fill('123');
  const save = page.getByLabel('Save payment method for future purchases');
  await eventually(async () => {
    const [above, below] = [await card.boundingBox(), await save.boundingBox()];
    expect(above?.y).toBeLessThan(below?.y ?? 0);
  });
  await page.getByRole('button', { name: 'Complete Payment' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'declined' });
  await alert.waitFor();
  await expect
    .poll(() => alert.evaluate((element) => element === element.ownerDocument.activeElement))
    .toBe(true);
  await eventually(async () => {
    const box = await alert.boundingBox();
    expect(box && box.y >= 0 && box.y < 600).toBe(true);
  });
});
