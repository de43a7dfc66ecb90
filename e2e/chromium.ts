import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? onPath('chromium') ?? chromium.executablePath(),
    // Chromium's own sandbox does not work as root, nor its shared memory in small containers
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
