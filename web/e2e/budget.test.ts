import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { openStage, type Stage, settled, sharedTab, type Tab } from './browser.ts';
import { SIGNED_IN } from './screens.ts';

const DIST = join(import.meta.dirname, '../dist');
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

/** The files of a screen that is loaded on its own. */
async function filesOf({ page, files }: Tab, path: string, heading: string): Promise<Set<string>> {
  // The screen before may still be loading files.
  await page.goto('/healthz');
  files.clear();
  await page.goto(path);
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  await settled(page);
  return new Set(files);
}

const tab = sharedTab(() => stage.tab({ as: alice, path: '/terms' }));

/** The files that the first screen loads. */
let home: Set<string>;

test('the first load is at most 260 kB gzipped without the first steps, and its typeface does not shift lines', async () => {
  const { page, files } = tab();
  const heading = page.getByRole('heading', { name: 'Verifications', exact: true });
  const sentence = page.getByText('Every code sent with your API keys');
  const boxes = async () => {
    await heading.waitFor();
    await settled(page);
    const found = await Promise.all([heading.boundingBox(), sentence.boundingBox()]);
    return found.map((box) => ({ x: box?.x, y: box?.y, height: box?.height }));
  };
  home = await filesOf(tab(), '/', 'Verifications');
  const after = await boxes();
  const later = weigh(home);
  console.log(`first load: ${kB(later)} gzipped`);
  expect(later).toBeLessThanOrEqual(FIRST_LOAD);

  await expect
    .poll(() => page.evaluate(`document.fonts.ready.then(() => document.fonts.check('16px Figtree'))`))
    .toBe(true);
  expect([...files].filter((file) => file.endsWith('.woff2'))).toHaveLength(1);
  await expect.poll(() => page.locator('link[rel="preload"][as="font"]').count()).toBe(1);

  tab().expectError(/woff2|preload/);
  await page.route('**/*.woff2', (route) => route.abort());
  await page.reload();
  await expect.poll(boxes).toEqual(after);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('the first load is at most 260 kB gzipped with the first steps', async () => {
  await using bobs = await stage.tab({ as: bob, path: '/terms' });
  const beginning = weigh(await filesOf(bobs, '/', 'First steps'));
  console.log(`first load with first steps: ${kB(beginning)} gzipped`);
  expect(beginning).toBeLessThanOrEqual(FIRST_LOAD);
});

test('each further screen loads at most 40 kB gzipped', async () => {
  for (const { path, heading } of SIGNED_IN.slice(1)) {
    const files = [...(await filesOf(tab(), path, heading))].filter((file) => !home.has(file));
    const more = weigh(files);
    console.log(`${path}: ${kB(more)} more`);
    expect(more, `${path}: ${files.join(' ')}`).toBeLessThanOrEqual(FURTHER_SCREEN);
  }
});
