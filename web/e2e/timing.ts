import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { pages } from '../src/pages.ts';
import { launch } from './chromium.ts';
import { openDemo, storageOf } from './demo.ts';
import { settled, watchTraffic } from './settled.ts';

/**
 * Measures in the page how long a user waits: from the navigation, or from a click in the sidebar shortly after hovering, to the
 * frame with the rows. Every round loads every screen anew. The first visits, with an empty cache, are over a phone's network.
 */
const GOAL_MS = 100;
/** From the start of the navigation to the rows, for a signed-in user. */
const START_GOAL_MS = 300;
/** From the start of a first visit at Fast 4G to the rows. */
const FIRST_VISIT_GOAL_MS = 1_100;
/** "Fast 4G" of Chromium's developer tools: bytes per second, and milliseconds added to each request. */
const FAST_4G = { downloadThroughput: 1_012_500, uploadThroughput: 168_750, latency: 165, offline: false };
const ROUNDS = Number(process.argv[2] ?? 20);
/** People take at least this long from reaching a link to pressing. */
const HOVER_MS = 150;

const row = (table: string): string => `table[aria-label="${table}"][aria-busy="false"] tbody td`;
const places = [
  { ...pages.logs, content: row('Requests') },
  { ...pages.apiKeys, content: row('API keys') },
  { ...pages.connections, content: row('Connections') },
  { ...pages.webhooks, content: row('Webhooks') },
  { ...pages.protection, content: 'form[aria-label="Rules"] input' },
  { ...pages.credits, content: row('Payment History') },
  { ...pages.team, content: 'ul[aria-label="Members"] li' },
  { ...pages.docs, content: 'main h2' },
  { ...pages.settings, content: 'form[aria-label="Profile"] input' },
  { ...pages.verifications, content: row('Verifications') },
] as const;

/** In the page: records when a frame with the content was drawn, and when the last click happened. */
const WATCH = `
  window.drawn = (path, content) => new Promise((resolve, reject) => {
    const look = () => location.pathname === path && document.querySelector(content)
      ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
      : requestAnimationFrame(look);
    setTimeout(() => reject(new Error('never drawn: ' + path)), 15_000);
    look();
  });
  addEventListener('click', (event) => { window.clickedAt = event.timeStamp; }, true);
`;

async function started(page: Page): Promise<number> {
  await page.goto('/');
  return await page.evaluate<number>(`drawn('/', ${JSON.stringify(row('Verifications'))})`);
}

/** The first visit of a signed-in user. */
async function visitedFirst(browser: Browser, options: BrowserContextOptions): Promise<number> {
  const context = await browser.newContext(options);
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', FAST_4G);
  const ms = await started(page);
  await context.close();
  return ms;
}

async function clicked(page: Page, { title, path, content }: (typeof places)[number]): Promise<number> {
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: title, exact: true });
  await link.hover();
  await page.waitForTimeout(HOVER_MS);
  const drawn = page.evaluate<number>(
    `drawn(${JSON.stringify(path)}, ${JSON.stringify(content)}).then((at) => at - clickedAt)`,
  );
  await page.mouse.down();
  await page.mouse.up();
  return await drawn;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

await using demo = await openDemo();
const browser = await launch();
const options = {
  baseURL: demo.url,
  viewport: { width: 1280, height: 900 },
  storageState: storageOf(demo.url, await demo.signIn('full')),
};
const context = await browser.newContext(options);
await context.addInitScript(WATCH);
const page = await context.newPage();
watchTraffic(page);

const START = 'Start, signed in';
const FIRST_VISIT = 'First visit, 4G';
const samples = new Map<string, number[]>(
  [START, ...places.map(({ title }) => title), FIRST_VISIT].map((name) => [name, []]),
);
for (let round = -1; round < ROUNDS; round++) {
  const note = (name: string, ms: number) => round >= 0 && samples.get(name)?.push(ms);
  note(START, await started(page));
  await settled(page);
  for (const place of places.slice(0, -1)) {
    note(place.title, await clicked(page, place));
    await settled(page);
  }
  await page.goto('/docs');
  await settled(page);
  for (const place of places.slice(-1)) note(place.title, await clicked(page, place));
  note(FIRST_VISIT, await visitedFirst(browser, options));
}
await browser.close();

const goals: Record<string, number> = { [START]: START_GOAL_MS, [FIRST_VISIT]: FIRST_VISIT_GOAL_MS };
console.log(`\nMedian of ${ROUNDS}, in ms\n`);
for (const [name, values] of samples) {
  const ms = median(values);
  const goal = goals[name] ?? GOAL_MS;
  const result = `${ms <= goal ? 'reached' : 'missed'} (goal ${goal})`;
  console.log(`  ${name.padEnd(18)} ${ms.toFixed(0).padStart(5)}  ${result}`);
}
