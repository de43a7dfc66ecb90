import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Chromium's own sandbox does not work as root, nor does its shared memory in small containers. */
const REQUIRED = ['--no-sandbox', '--disable-dev-shm-usage'];
/** Leaves out work that no test looks at: a graphics card in software, colored edges of letters, optimized scripts. */
const FRUGAL = [
  '--disable-gpu',
  '--disable-gpu-compositing',
  '--disable-software-rasterizer',
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--js-flags=--no-opt --no-maglev',
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
