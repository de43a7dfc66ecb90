import { afterAll, beforeAll, expect, test } from 'vitest';
import { follow, openStage, type Stage } from './browser.ts';

/** Failures on the way to a purchase. */
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test('a custom amount starts at the minimum, in whole credits, and a failed quote is requested again', async () => {
  const alice = await stage.signUp('Alice');
  await using tab = await stage.tab({ as: alice, path: '/credits' });
  tab.expectError(/500|Query failed/);
  const { page } = tab;
  await page.getByRole('tab', { name: 'Custom Amount' }).click();
  const amount = page.getByLabel('Number of credits');
  await amount.pressSequentially('1.5');
  await page.getByText('Please enter a valid credit amount').waitFor();
  expect(await amount.inputValue()).toBe('1.5');

  await amount.fill('10');
  await page.getByText('The smallest purchase is 25 credits.').waitFor();
  expect(await page.getByRole('button', { name: 'Purchase Credits' }).count()).toBe(0);
  expect(await page.getByText('Complete Payment').count()).toBe(0);

  await page.route('**/payments/calculate-price/', (route) => route.fulfill({ status: 500, json: {} }));
  await amount.fill('1250');
  await page.getByText('Failed to calculate pricing').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('button', { name: 'Purchase 1,250 Credits' }).waitFor();
});

test('while send prices cannot be loaded, no screen shows one', async () => {
  const carol = await stage.signUp('Carol');
  await using tab = await stage.tab({ as: carol, path: '/sign-in' });
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
  await page.getByRole('heading', { name: 'OTP Configuration', exact: true }).scrollIntoViewIfNeeded();
  // A placeholder that React replaces can stay in the page, hidden.
  await page
    .getByRole('region', { name: 'SMS preview' })
    .getByText('The exact text of the message.', { exact: true })
    .waitFor();
});

test('a declined card is reported in view, and the choice to save it is below the card', async () => {
  const bob = await stage.signUp('Bob');
  await using tab = await stage.tab({ as: bob, path: '/credits', width: 390, height: 600 });
  tab.expectError(/4\d\d|declined/);
  const { page } = tab;
  await page.getByRole('button', { name: 'Purchase Bundle' }).first().click();
  const card = page.getByLabel('Card number');
  await card.fill('4000000000000002');
  await page.getByLabel('Expiration date').fill('1234');
  await page.getByLabel('Security code').fill('123');
  const save = page.getByLabel('Save payment method for future purchases');
  const [cardBox, saveBox] = [await card.boundingBox(), await save.boundingBox()];
  expect(cardBox && saveBox && cardBox.y < saveBox.y).toBe(true);
  await page.getByRole('button', { name: 'Complete Payment' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'declined' });
  await alert.waitFor();
  expect(await alert.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  const box = await alert.boundingBox();
  expect(box && box.y >= 0 && box.y < 600).toBe(true);
});
