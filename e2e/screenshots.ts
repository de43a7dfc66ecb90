import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { operatorPages } from '../web/src/operator/operator-pages.ts';
import { launch, settled } from './chromium.ts';
import { type Demo, openDemo, storageOf, type Tokens } from './demo.ts';
import { SIGNED_IN } from './screens.ts';

/**
 * Every screen, empty, full, loading and failing, and every dialog, in five looks, as pictures in ./screenshots. The pictures of the README
 * are replaced too. `npm run screenshots -- readme` takes only those, `-- '^operator|-loading$'` those whose names match.
 */
const FOLDER = join(import.meta.dirname, '../screenshots');
const README_PICTURES = join(import.meta.dirname, '../docs/pictures');
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

interface Picture {
  name: string;
  path: string;
  /** default: a visitor */
  as?: Tokens;
  /** an API call that fails */
  failing?: string;
  /** an API call that never gets a response */
  waiting?: string;
  /** only the window instead of the whole page */
  isCut?: boolean;
  /** the steps before the picture is taken */
  act?: (page: Page) => Promise<void>;
}

const press = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name, exact: true }).first().click();
};
/** The button opens a dialog. */
const pressFor = (name: string) => async (page: Page) => {
  await press(name)(page);
  await page.getByRole('dialog').waitFor();
};
const openRow = async (page: Page) => {
  await page.locator('tbody tr:not([aria-hidden])').first().click();
  await page.getByRole('dialog').waitFor();
};
const choose = (menu: RegExp, item: string) => async (page: Page) => {
  await page.getByRole('button', { name: menu }).first().click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('dialog').waitFor();
};
const submitEmpty = async (page: Page) => {
  await page.locator('form button[type="submit"]').first().click();
};

const ACCOUNT_VIEWS = [
  'Verifications',
  'Requests',
  'Insights',
  'Webhooks',
  'Payments',
  'Blocks',
  'Activity',
  'Settings',
] as const;

/** Each screen with the call that it reads. */
const READS: readonly [name: string, path: string, reads: string][] = [
  ['verifications', '/', '/verifications/?*'],
  ['test-inbox', '/?mode=test&view=inbox', '/test-inbox/**'],
  ['logs', '/logs', '/logs/?*'],
  ['insights', '/insights', '/insights/**'],
  ['api-keys', '/api-keys', '/api-keys/?*'],
  ['connections', '/connections', '/connections/'],
  ['webhooks', '/webhooks', '/webhooks/?*'],
  ['protection', '/protection', '/protection/**'],
  ['credits', '/credits', '/payments/*/**'],
  ['settings', '/settings', '/profile/**'],
  ...Object.entries(operatorPages).map(
    ([name, { path }]) => [`operator-${name}`, path, '/operator/**'] as [string, string, string],
  ),
];

const pictures = ({ full, empty }: Demo): Picture[] => [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'sign-in-refused', path: '/sign-in', act: submitEmpty },
  { name: 'sign-up', path: '/sign-up' },
  { name: 'sign-up-refused', path: '/sign-up', act: submitEmpty },
  { name: 'verification-code', path: '/sign-up', act: askForCode },
  { name: 'forgot-password', path: '/forgot-password' },
  { name: 'reset-password', path: '/reset-password' },
  { name: 'terms', path: '/terms' },
  { name: 'privacy', path: '/privacy' },
  { name: 'not-found', path: '/no/such/page' },
  { name: 'sandbox-inbox', path: '/sandbox?recipient=new@' },
  ...SIGNED_IN.flatMap(({ path, heading }) => {
    const name = heading.toLowerCase().replaceAll(' ', '-');
    return [
      { name: `${name}-full`, path, as: full },
      { name: `${name}-empty`, path, as: empty },
    ];
  }),
  ...READS.flatMap(([name, path, reads]) => [
    { name: `${name}-failing`, path, as: full, failing: reads },
    // Most services have no erasures, so that screen shows none while they load.
    ...(path === operatorPages.optOuts.path
      ? []
      : [{ name: `${name}-loading`, path, as: full, waiting: reads }]),
  ]),
  { name: 'connection-create', path: '/connections?dialog=create', as: full },
  ...Object.entries(operatorPages).map(([name, { path }]) => ({ name: `operator-${name}`, path, as: full })),
  { name: 'operator-account', path: '/operator/accounts', as: full, act: openAccount },
  ...ACCOUNT_VIEWS.map((view) => ({
    name: `operator-account-${view.toLowerCase()}`,
    path: '/operator/accounts',
    as: full,
    act: openAccountView(view),
  })),
  { name: 'operator-account-inbox', path: '/operator/accounts', as: full, act: openAccountInbox },
  {
    name: 'operator-account-empty',
    path: '/operator/accounts',
    as: full,
    act: openAccountView('Insights', 'new@'),
  },
  {
    name: 'operator-verification',
    path: '/operator/accounts',
    as: full,
    act: openAccountRow('Verifications'),
  },
  { name: 'operator-request', path: '/operator/accounts', as: full, act: openAccountRow('Requests') },
  { name: 'operator-attempt', path: '/operator/accounts', as: full, act: openAccountRow('Webhooks') },
  { name: 'operator-audit-entry', path: '/operator/audit', as: full, act: openRow },
  {
    name: 'operator-announcement',
    path: '/operator/announcements?dialog=create',
    as: full,
    act: async (page) => {
      await page.getByLabel('Text').fill('Text messages to Canada may arrive up to ten minutes late.');
      await page.getByLabel('Tone').selectOption('warning');
    },
  },
  {
    name: 'operator-account-declined',
    path: '/operator/accounts',
    as: full,
    act: openDeclined,
  },
  { name: 'operator-erase', path: '/operator/accounts', as: full, act: openErasure },
  { name: 'activity', path: '/settings/activity', as: full },
  { name: 'send-test-code', path: '/?dialog=test-send', as: full },
  { name: 'command-palette', path: '/', as: full, act: (page) => page.keyboard.press('Control+k') },
  { name: 'verifications-filtered', path: '/?search=nobody', as: full },
  { name: 'verification-details', path: '/', as: full, act: openRow },
  { name: 'log-details', path: '/logs', as: full, act: openRow },
  { name: 'api-key-create', path: '/api-keys?dialog=create', as: full },
  { name: 'api-key-revealed', path: '/api-keys?dialog=create', as: empty, act: createKey },
  { name: 'api-key-delete', path: '/api-keys', as: full, act: ofFirstKey('Delete') },
  { name: 'api-key-edit', path: '/api-keys', as: full, act: ofFirstKey('Edit') },
  { name: 'api-key-rotate', path: '/api-keys', as: full, act: ofFirstKey('Rotate') },
  { name: 'verifications-test', path: '/?mode=test', as: full },
  { name: 'test-inbox', path: '/?mode=test&view=inbox', as: full },
  { name: 'webhook-create', path: '/webhooks?dialog=create', as: full },
  { name: 'webhook-attempts', path: '/webhooks', as: full, act: openRow },
  { name: 'webhook-statistics', path: '/webhooks', as: full, act: pressMatching(/^Statistics/) },
  { name: 'webhook-edit', path: '/webhooks', as: full, act: choose(/^Actions|^More/, 'Edit Settings') },
  { name: 'webhook-delete', path: '/webhooks', as: full, act: choose(/^Actions|^More/, 'Delete Webhook') },
  { name: 'credits-custom', path: '/credits', as: full, act: customAmount },
  { name: 'credits-choose-card', path: '/credits', as: full, act: press('Purchase Bundle') },
  { name: 'credits-new-card', path: '/credits', as: empty, act: press('Purchase Bundle') },
  { name: 'settings-delete-account', path: '/settings', as: full, act: pressFor('Delete Account') },
  { name: 'sidebar-toggled', path: '/', as: full, act: press('Toggle sidebar') },
  { name: 'readme', path: '/', as: full, isCut: true },
];

async function openAccount(page: Page, email = 'demo@example.com'): Promise<void> {
  await page.locator('tbody').getByText(email).first().click();
  await page.getByRole('heading', { name: email, level: 1 }).waitFor();
  await settled(page);
}

function openAccountView(view: (typeof ACCOUNT_VIEWS)[number], email?: string) {
  return async (page: Page) => {
    await openAccount(page, email);
    // On a phone, the links to the views are in a drawer.
    await page.goto(`${page.url()}/${view.toLowerCase()}`);
    await settled(page);
  };
}

async function openDeclined(page: Page): Promise<void> {
  await openAccount(page);
  await page.goto(`${page.url()}/payments?search=declined`);
  await page.getByText('Failed').first().waitFor();
}

async function openAccountInbox(page: Page): Promise<void> {
  await openAccount(page);
  // On phones and tablets, the switch to test mode is in a sheet.
  await page.goto(`${page.url()}/verifications?mode=test&view=inbox`);
  await page.getByRole('tab', { name: 'Test inbox', selected: true }).waitFor();
  await settled(page);
}

function openAccountRow(view: (typeof ACCOUNT_VIEWS)[number]) {
  return async (page: Page) => {
    await openAccountView(view)(page);
    await openRow(page);
    await settled(page);
  };
}

async function openErasure(page: Page): Promise<void> {
  await openAccount(page);
  await choose(/^More actions/, 'Erase Account')(page);
}

async function askForCode(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
  await page.getByLabel('Phone').first().pressSequentially('4155552673');
  await page.getByLabel('Password', { exact: true }).fill('a password for looking');
  await page.getByLabel(/Confirm/).fill('a password for looking');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await page.getByRole('button', { name: 'Verify Code' }).waitFor();
}

async function createKey(page: Page): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill('Production');
  await page.getByRole('dialog').getByRole('button', { name: 'Create API Key' }).click();
  await page.getByText('Your New API Key').waitFor();
}

async function customAmount(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Custom Amount' }).click();
  await page
    .getByRole('textbox', { name: /credits/i })
    .first()
    .fill('1250');
  await page.getByText('Purchase 1,250 Credits').waitFor();
}

function pressMatching(name: RegExp) {
  return async (page: Page) => {
    await page.getByRole('button', { name }).first().click();
  };
}

/** Wide rows have buttons, narrow ones a menu. */
function ofFirstKey(action: 'Edit' | 'Rotate' | 'Delete') {
  return async (page: Page) => {
    const button = page.locator('tbody').getByRole('button', { name: new RegExp(`^${action}`) });
    if ((await button.count()) > 0) {
      await button.first().click();
      await page.getByRole('dialog').waitFor();
    } else await choose(/^Actions for/, `${action} API Key`)(page);
  };
}

async function take(browser: Browser, demo: Demo, look: Look, picture: Picture): Promise<void> {
  const context = await browser.newContext({
    ...looks[look],
    baseURL: demo.url,
    reducedMotion: 'reduce',
    ...(picture.as && { storageState: storageOf(demo.url, picture.as) }),
  });
  context.setDefaultTimeout(10_000);
  try {
    const page = await context.newPage();
    if (picture.failing) {
      await page.route(`**/api/v1${picture.failing}`, (route) =>
        route.fulfill({ status: 500, json: { error: 'The service could not answer.' } }),
      );
    }
    if (picture.waiting) await page.route(`**/api/v1${picture.waiting}`, () => {});
    await page.goto(picture.path);
    if (picture.waiting) await page.locator('[aria-busy="true"]').first().waitFor();
    else await settled(page);
    await picture.act?.(page);
    // Nothing is below the pointer.
    await page.mouse.move(0, 0);
    const isCovered = (await page.getByRole('dialog').count()) > 0;
    if (!isCovered && !picture.isCut) {
      await showWhole(page, look);
      // Parts that load when they are near have loaded, and may be lower or higher than their placeholders.
      if (!picture.waiting) await settled(page);
      await showWhole(page, look);
    }
    await page.waitForTimeout(300);
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
let renewedAt = Date.now();
for (const picture of pictures(demo).filter(({ name }) => new RegExp(wanted).test(name))) {
  // Access tokens would expire, and several windows cannot renew one session.
  if (Date.now() - renewedAt > RENEWED_MS) {
    await demo.renew();
    renewedAt = Date.now();
  }
  await Promise.all(
    (Object.keys(looks) as Look[]).map((look) =>
      take(browser, demo, look, picture).catch((error: unknown) => {
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
