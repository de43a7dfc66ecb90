import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendOtp } from '#contract/otp.ts';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage } from './browser.ts';
import { SIGNED_IN } from './screens.ts';

const DIST = join(import.meta.dirname, '../web/dist');
const FURTHER_SCREEN = 40_000;

let stage: Stage;
let alice: Person;
/** Alice has used the service before. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice);
  const body = { channel: 'sms', recipient: '+14155552671' } as const;
  expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
});
afterAll(() => stage?.close());

/** Gzipped bytes of the scripts and styles among these addresses. */
const weigh = (paths: Iterable<string>): number => {
  let bytes = 0;
  for (const path of paths)
    if (/\.(js|css)$/.test(path)) bytes += gzipSync(readFileSync(join(DIST, path)), { level: 9 }).length;
  return bytes;
};

async function filesOf(path: string, heading: string): Promise<Set<string>> {
  await using tab = await stage.tab({ as: alice, path: '/terms' });
  const files = new Set<string>();
  tab.page.on('request', (request) => files.add(new URL(request.url()).pathname));
  await tab.page.goto(path);
  await tab.page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  await tab.page.waitForLoadState('networkidle');
  return files;
}

test('each further screen weighs at most 40 kB gzipped beyond the first load', async () => {
  const home = await filesOf('/', 'Verifications');
  console.log(`first load: ${(weigh(home) / 1000).toFixed(0)} kB gzipped`);
  for (const { path, heading } of SIGNED_IN.slice(1)) {
    const more = weigh([...(await filesOf(path, heading))].filter((file) => !home.has(file)));
    console.log(`${path}: ${(more / 1000).toFixed(1)} kB more`);
    expect(more, path).toBeLessThanOrEqual(FURTHER_SCREEN);
  }
});
