import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook, testWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage, settled, sharedTab } from './browser.ts';
import { VIEW_PATHS } from './screens.ts';

let stage: Stage;
let olivia: Awaited<ReturnType<Stage['signUp']>>;
beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  const bob = await stage.signUp('Bob');
  const { key } = await stage.apiKey(olivia);
  await stage.apiKey(olivia, 'Staging');
  const ofBob = await stage.apiKey(bob);
  for (const [apiKey, recipient] of [
    [key, 'ann@example.com'],
    [key, 'ben@example.com'],
    [ofBob.key, 'ann@example.com'],
    [ofBob.key, 'ben@example.com'],
  ] as const) {
    const body = { channel: 'email', recipient } as const;
    expect((await stage.service.call(sendOtp, { apiKey, body })).status).toBe(201);
  }
  for (const name of ['Shop', 'Backup']) {
    const hook = { name, url: 'http://127.0.0.1:9/' };
    const { body } = await stage.service.call(createWebhook, { bearer: olivia.access, body: hook });
    await stage.service.call(testWebhook, { bearer: olivia.access, params: { id: body.id } });
  }
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: olivia, path: '/docs' }));

/** In the page: the names, with descriptions, of buttons and links that several rows of a table or a list repeat. */
const REPEATED = `(() => {
  const names = [...document.querySelectorAll('main :is(tbody tr, li) :is(button, a[href])')]
    .filter((one) => one.checkVisibility() && !one.closest('nav, [role="menu"], [aria-hidden="true"]') && one.tabIndex >= 0)
    .map((one) => {
      const description = document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent ?? '';
      return (one.getAttribute('aria-label') ?? one.textContent.trim()) + ' ' + description;
    });
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
})()`;

const repeated = (page: Page): Promise<string[]> => page.evaluate<string[]>(REPEATED);

test.each(VIEW_PATHS)('each button in a row of %s names its row', async (path) => {
  const { page } = tab();
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await settled(page);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await repeated(page), `${width} px`).toEqual([]);
  }
});

test.each(['verifications', 'requests', 'webhooks', 'payments', 'blocks', 'activity', 'settings'])(
  "each button in a row of an account's page %s names its row",
  async (view) => {
    const { page } = tab();
    const { id } = await stage.service.app.db.one<{ id: string }>(
      "select id from accounts where email like 'bob%'",
    );
    await page.goto(`/operator/accounts/${id}/${view}`);
    await page.locator('h1').first().waitFor();
    await settled(page);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await repeated(page), `${width} px`).toEqual([]);
    }
  },
);
