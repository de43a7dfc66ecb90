import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendOtp } from '#contract/otp.ts';
import { createWebhook } from '#contract/webhooks.ts';
import type { Person } from '../server/test/person.ts';
import { expectAccessible, openStage, type Stage } from './browser.ts';
import { PUBLIC, SIGNED_IN } from './screens.ts';

let stage: Stage;
let empty: Person;
let full: Person;

/** Bob has nothing yet; Alice has a key, codes and a webhook. */
beforeAll(async () => {
  stage = await openStage();
  empty = await stage.signUp('Bob');
  full = await stage.signUp('Alice');
  const { key } = await stage.apiKey(full);
  for (const recipient of ['+14155552671', 'somebody@example.com'])
    await stage.service.call(sendOtp, {
      apiKey: key,
      body: { channel: recipient.startsWith('+') ? 'sms' : 'email', recipient },
    });
  await stage.service.call(createWebhook, {
    bearer: full.access,
    body: { name: 'Shop', url: 'http://127.0.0.1:9/hook' },
  });
});
afterAll(() => stage?.close());

const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
] as const;

for (const { path, heading } of SIGNED_IN)
  test(`${path} is accessible, empty and with data, light and dark, and fits a phone`, async () => {
    for (const [n, look] of looks.entries())
      for (const as of [empty, full]) {
        await using tab = await stage.tab({ ...look, as, path });
        await tab.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
        await tab.page.waitForLoadState('networkidle');
        await expectAccessible(tab.page);
        if (n === 1) await expectNoSidewaysScroll(tab.page);
      }
  });

for (const path of PUBLIC)
  test(`${path} is accessible, light and dark, and fits a phone`, async () => {
    for (const [n, look] of looks.entries()) {
      await using tab = await stage.tab({ ...look, path });
      await tab.page.getByText(/\S/).first().waitFor();
      await tab.page.waitForLoadState('networkidle');
      await expectAccessible(tab.page);
      if (n === 1) await expectNoSidewaysScroll(tab.page);
    }
  });

async function expectNoSidewaysScroll(page: import('playwright-core').Page): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0);
}
