import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage, settled } from './browser.ts';
import { SIGNED_IN } from './screens.ts';

const DIST = join(import.meta.dirname, '../web/dist');
const FIRST_LOAD = 260_000;
const FURTHER_SCREEN = 40_000;

let stage: Stage;
let alice: Person;
let bob: Person;
/** Alice has used the service before; Bob has just signed up and is shown the first steps. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  bob = await stage.signUp('Bob');
  const { key } = await stage.apiKey(alice);
  for (let n = 0; n < 11; n++) {
    const body = { channel: 'email', recipient: `user${n}@example.com` } as const;
    expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  }
});
afterAll(() => stage?.close());

const kB = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** Gzipped bytes of the scripts, styles and fonts among these addresses. */
const weigh = (paths: Iterable<string>): number => {
  let bytes = 0;
  for (const path of paths)
    if (/\.(js|css|woff2)$/.test(path))
      bytes += gzipSync(readFileSync(join(DIST, path)), { level: 9 }).length;
  return bytes;
};

async function filesOf(as: Person, path: string, heading: string): Promise<Set<string>> {
  await using tab = await stage.tab({ as, path });
  await tab.page.getByRole('heading', { name: heading, exact: true }).waitFor();
  await settled(tab.page);
  return tab.files;
}

/** The files that the first screen loads. */
let home: Set<string>;

test('the first load is at most 260 kB gzipped without the first steps, and its typeface does not shift lines', async () => {
  await using tab = await stage.tab({ as: alice, path: '/' });
  const { page } = tab;
  const heading = page.getByRole('heading', { name: 'Verifications', exact: true });
  const sentence = page.getByText('Every code sent with your API keys');
  const boxes = async () => {
    await heading.waitFor();
    await settled(page);
    const found = await Promise.all([heading.boundingBox(), sentence.boundingBox()]);
    return found.map((box) => ({ x: box?.x, y: box?.y, height: box?.height }));
  };
  const after = await boxes();
  await settled(page);
  home = new Set(tab.files);
  const later = weigh(home);
  console.log(`first load: ${kB(later)} gzipped`);
  expect(later).toBeLessThanOrEqual(FIRST_LOAD);

  expect(await page.evaluate(`document.fonts.ready.then(() => document.fonts.check('16px Figtree'))`)).toBe(
    true,
  );
  expect([...tab.files].filter((file) => file.endsWith('.woff2'))).toHaveLength(1);
  expect(await page.locator('link[rel="preload"][as="font"]').count()).toBe(1);

  tab.expectError(/woff2|preload/);
  await page.route('**/*.woff2', (route) => route.abort());
  await page.reload();
  expect(await boxes()).toEqual(after);
});

test('the first load is at most 260 kB gzipped with the first steps', async () => {
  const beginning = weigh(await filesOf(bob, '/', 'First steps'));
  console.log(`first load with first steps: ${kB(beginning)} gzipped`);
  expect(beginning).toBeLessThanOrEqual(FIRST_LOAD);
});

test('each further screen loads at most 40 kB gzipped', async () => {
  for (const { path, heading } of SIGNED_IN.slice(1)) {
    const files = [...(await filesOf(alice, path, heading))].filter((file) => !home.has(file));
    const more = weigh(files);
    console.log(`${path}: ${kB(more)} more`);
    expect(more, `${path}: ${files.join(' ')}`).toBeLessThanOrEqual(FURTHER_SCREEN);
  }
});
