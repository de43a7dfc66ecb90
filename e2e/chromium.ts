import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Chromium's own sandbox does not work as root, nor does its shared memory in small containers. */
const REQUIRED = ['--no-sandbox', '--disable-dev-shm-usage'];
/**
 * Chromium prepares pages for the popups of its address bar in every window, which cost more than most of our screens. The
 * others are Playwright's, whose list this one replaces.
 */
const ABSENT = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  'ThirdPartyStoragePartitioning',
];
/** Leaves out work that no test looks at: a graphics card in software, colored edges of letters, optimized scripts. */
const FRUGAL = [
  `--disable-features=${ABSENT.join(',')}`,
  '--disable-gpu',
  '--disable-gpu-compositing',
  '--disable-software-rasterizer',
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--js-flags=--no-opt',
];

export const launch = ({ isFrugal = false } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? onPath('chromium') ?? chromium.executablePath(),
    args: isFrugal ? [...REQUIRED, ...FRUGAL] : REQUIRED,
  });

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);

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
