import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendOtp } from '#contract/otp.ts';
import { createWebhook } from '#contract/webhooks.ts';
import type { Person } from '../server/test/person.ts';
import { expectAccessible, openStage, type Stage, type Tab } from './browser.ts';
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

/** As it opens, then in the dark on a phone: the same page, since its looks follow the window. */
async function expectBothLooks(tab: Tab): Promise<void> {
  await tab.page.waitForLoadState('networkidle');
  await expectAccessible(tab.page);
  await tab.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await tab.page.setViewportSize({ width: 360, height: 900 });
  await tab.page.locator('[data-mantine-color-scheme="dark"]').waitFor();
  await tab.page.waitForLoadState('networkidle');
  await tab.page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
  );
  await expectAccessible(tab.page);
  await expectNoSidewaysScroll(tab.page);
}

for (const { path, heading } of SIGNED_IN)
  test(`${path} is accessible, empty and with data, light and dark, and fits a phone`, async () => {
    for (const as of [empty, full]) {
      await using tab = await stage.tab({ as, path });
      await tab.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await expectBothLooks(tab);
    }
  });

for (const path of PUBLIC)
  test(`${path} is accessible, light and dark, and fits a phone`, async () => {
    await using tab = await stage.tab({ path });
    await tab.page.getByText(/\S/).first().waitFor();
    await expectBothLooks(tab);
  });

async function expectNoSidewaysScroll(page: import('playwright-core').Page): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0);
}
