import type { Page } from 'playwright-core';
import { operatorPages } from '../web/src/operator/operator-pages.ts';
import type { Demo } from './demo.ts';
import { dialogPictures } from './dialog-pictures.ts';
import { openAccount, openRow, type Picture, press, pressFor } from './picture.ts';
import { SIGNED_IN } from './screens.ts';
import { settled } from './settled.ts';

const choose = (menu: RegExp, item: string) => async (page: Page) => {
  await page.getByRole('button', { name: menu }).first().click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('dialog').waitFor();
};
const submitEmpty = async (page: Page) => {
  await page.locator('form button[type="submit"]').first().click();
};

/** The lower sections of the settings are drawn after the first frame. */
const drawn = (page: Page) => page.locator('#delete-account').waitFor();

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

export const pictures = (demo: Demo): Picture[] => [...screenPictures(demo), ...dialogPictures(demo)];

const screenPictures = ({ full, empty }: Demo): Picture[] => [
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
      : [
          {
            name: `${name}-loading`,
            path,
            as: full,
            waiting: reads,
            ...(name === 'settings' && { act: drawn }),
          },
        ]),
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
