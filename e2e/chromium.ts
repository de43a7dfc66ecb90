import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Chromium's own sandbox does not work as root, nor does its shared memory in small containers. */
const REQUIRED = ['--no-sandbox', '--disable-dev-shm-usage'];
/**
 * The first three are popups of the address bar, which Chromium prepares in every window at a higher cost than most of our
 * screens. The others are Playwright's own list, which this one replaces.
 */
const ABSENT = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  'ThirdPartyStoragePartitioning',
];
/** Switches off work that no test needs: software rendering of a GPU, subpixel text, optimized scripts. */
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

/** Long enough for a screen's code to load and to request its data. */
const SHORT_MS = 500;

/** Waits until the heading is shown and nothing loads. The network is never idle, because live rows keep a connection open. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForTimeout(SHORT_MS);
  await page
    .locator('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root')
    .first()
    .waitFor({ state: 'detached' });
  await page.waitForTimeout(SHORT_MS);
}
