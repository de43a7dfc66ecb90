import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

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
