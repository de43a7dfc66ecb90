import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launch } from './chromium.ts';
import { type Demo, openDemo, storageOf, type Tokens } from './demo.ts';
import { PICTURES, type Picture } from './pictures.ts';
import type { Who } from './screens.ts';
import { settled, watchTraffic } from './settled.ts';

/**
 * Every screen, empty, full, loading and failing, and every dialog, in five looks, as pictures in ./screenshots. The pictures of the README
 * are replaced too. `npm run screenshots -- readme` takes only those, `-- '^operator|-loading$'` those whose names match.
 */
const FOLDER = join(import.meta.dirname, '../../screenshots');
const README_PICTURES = join(import.meta.dirname, '../../docs/pictures');
const README_PICTURE_BYTES = 300_000;
const RENEWED_MS = 300_000;
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  tablet: { colorScheme: 'light', viewport: { width: 820, height: 1180 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  wide: { colorScheme: 'light', viewport: { width: 1920, height: 1080 } },
} as const;
type Look = keyof typeof looks;

async function take(
  browser: Browser,
  demo: Demo,
  look: Look,
  picture: Picture,
  tokens?: Tokens,
): Promise<void> {
  const context = await browser.newContext({
    ...looks[look],
    baseURL: demo.url,
    reducedMotion: 'reduce',
    ...(tokens && { storageState: storageOf(demo.url, tokens) }),
  });
  context.setDefaultTimeout(10_000);
  try {
    const page = await context.newPage();
    watchTraffic(page);
    if (picture.failing) {
      await page.route(`**/api/v1${picture.failing}`, (route) =>
        route.fulfill({ status: 500, json: { error: 'The service could not answer.' } }),
      );
    }
    if (picture.waiting) await page.route(`**/api/v1${picture.waiting}`, () => {});
    await page.goto(demo.pathOf(picture));
    if (picture.waiting) {
      await page.locator('[aria-busy="true"]').first().waitFor();
      // Lower sections are drawn after the first frame.
      await page.evaluate('new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))');
    } else await settled(page);
    await picture.steps?.(page);
    if (picture.steps && !picture.waiting) await settled(page);
    // Nothing is below the pointer.
    await page.mouse.move(0, 0);
    const isCovered = (await page.getByRole('dialog').count()) > 0;
    if (!isCovered && !picture.isCut) {
      await showWhole(page, look);
      // Parts that load when they are near have loaded, and may be lower or higher than their placeholders.
      if (!picture.waiting) await settled(page);
      await showWhole(page, look);
    }
    await page.screenshot({ path: join(FOLDER, look, `${picture.name}.png`) });
  } finally {
    await context.close();
  }
}

/** The window gets the page's height, so that sticky elements and inner frames are drawn as on a screen. */
async function showWhole(page: Page, look: Look): Promise<void> {
  const { width, height } = looks[look].viewport;
  await page.setViewportSize({ width, height });
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight');
  if (whole > height) await page.setViewportSize({ width, height: whole });
}

function renewReadmePictures(): void {
  for (const look of ['light', 'dark'] as const) {
    const picture = join(FOLDER, look, 'readme.png');
    const { size } = statSync(picture);
    if (size > README_PICTURE_BYTES) missed.push(`${picture} has ${size} bytes, too many for the README`);
    else copyFileSync(picture, join(README_PICTURES, `dashboard-${look}.png`));
  }
}

const [wanted = ''] = process.argv.slice(2);
await using demo = await openDemo();
const browser = await launch();
if (!wanted) rmSync(FOLDER, { recursive: true, force: true });
const missed: string[] = [];
for (const look of Object.keys(looks)) mkdirSync(join(FOLDER, look), { recursive: true });
let signedInAt = 0;
const tokens: Partial<Record<Who, Tokens>> = {};
for (const picture of PICTURES.filter(({ name }) => new RegExp(wanted).test(name))) {
  // Access tokens would expire, and several windows cannot renew one session.
  if (Date.now() - signedInAt > RENEWED_MS) {
    for (const who of ['full', 'empty', 'viewer'] as const) tokens[who] = await demo.signIn(who);
    signedInAt = Date.now();
  }
  await Promise.all(
    (Object.keys(looks) as Look[]).map((look) =>
      take(browser, demo, look, picture, picture.as && tokens[picture.as]).catch((error: unknown) => {
        missed.push(`${look}/${picture.name}: ${String(error).split('\n')[0]}`);
      }),
    ),
  );
}
await browser.close();
if (wanted === '' || wanted === 'readme') renewReadmePictures();
for (const line of missed) console.error(line);
console.log(`Pictures of every screen are in ${FOLDER}`);
process.exitCode = missed.length > 0 ? 1 : 0;
