import type { Page } from 'playwright-core';

/** Until a screen's own code has loaded and begun to ask for its data. */
const SHORT_MS = 500;

/** The heading is there, and nothing loads. The network is never idle: new rows arrive through a connection that stays open. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForTimeout(SHORT_MS);
  await page
    .locator('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root')
    .first()
    .waitFor({ state: 'detached' });
  await page.waitForTimeout(SHORT_MS);
}
