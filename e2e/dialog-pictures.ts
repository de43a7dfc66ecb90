import type { Page } from 'playwright-core';
import type { Demo } from './demo.ts';
import { openAccount, type Picture } from './picture.ts';
import { settled } from './settled.ts';

/** Clicks the first visible button, link, tab or item of a menu with this name. */
async function click(page: Page, name: string | RegExp): Promise<void> {
  const exact = typeof name === 'string';
  const [first, ...others] = (['button', 'link', 'tab', 'menuitem', 'option'] as const).map((role) =>
    page.getByRole(role, { name, exact }),
  );
  await others
    .reduce((either, one) => either.or(one), first!)
    .filter({ visible: true })
    .first()
    .click();
}

/** Clicks one name after another. */
const clicks =
  (...names: (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await click(page, name);
    await settled(page);
  };

const submit = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').locator('button[type="submit"]').last().click();
};

const accountThen =
  (...names: (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    await openAccount(page);
    await clicks(...names)(page);
  };

/** Menus, dialogs and notices in further states. */
export const dialogPictures = ({ full, empty, account_id, invitation }: Demo): Picture[] => [
  { name: 'user-menu', path: '/', as: full, act: openUserMenu },
  { name: 'shortcuts', path: '/', as: full, act: (page) => page.keyboard.press('?') },
  {
    name: 'palette-recipient',
    path: '/',
    as: full,
    act: searchEverywhere('+1 415 555 0', /\+1 415 555 0\d{3}/),
  },
  { name: 'recipient-history', path: '/?search=%2B14155550', as: full, act: openHistory },
  { name: 'filters', path: '/', as: full, act: openFilters },
  { name: 'docs-search', path: '/docs', as: full, act: clicks(/Search the docs/) },
  { name: 'send-test-code-sent', path: '/?dialog=test-send', as: full, act: sendTestCode },
  { name: 'api-key-create-advanced', path: '/api-keys?dialog=create', as: full, act: openAdvanced },
  { name: 'api-key-create-refused', path: '/api-keys?dialog=create', as: full, act: submit },
  {
    name: 'api-key-no-match',
    path: '/api-keys?search=nothing',
    as: full,
  },
  { name: 'logs-no-match', path: '/logs?search=nothing', as: full },
  { name: 'connection-created', path: '/connections?dialog=create', as: empty, act: createConnection },
  { name: 'connection-edit', path: '/connections', as: full, act: clicks(/^Actions for/, /^Edit/) },
  { name: 'connection-test', path: '/connections', as: full, act: testConnection },
  { name: 'connection-rotate', path: '/connections', as: full, act: clicks(/^Actions for/, /^Rotate/) },
  { name: 'webhook-secret', path: '/webhooks?dialog=create', as: empty, act: addWebhook },
  { name: 'credits-review', path: '/credits', as: full, act: clicks('Purchase Bundle', /Visa/) },
  { name: 'auto-purchase', path: '/credits', as: full, act: clicks(/Auto-purchase/) },
  { name: 'low-balance', path: '/credits', as: full, act: clicks('Change warnings') },
  { name: 'receipt', path: '/credits', as: full, act: clicks(/^Receipt/) },
  { name: 'settings-change-password', path: '/settings', as: full, act: clicks('Change Password') },
  { name: 'settings-invite', path: '/settings', as: full, act: invite },
  { name: 'settings-sso', path: '/settings', as: full, act: setUpSso },
  {
    name: 'settings-authenticator',
    path: '/settings',
    as: full,
    act: clicks('Set Up Authenticator App'),
  },
  { name: 'settings-unsaved', path: '/settings', as: full, act: changeName },
  { name: 'settings-leave', path: '/settings', as: full, act: leaveUnsaved },
  { name: 'protection-unsaved', path: '/protection', as: full, act: changeRule },
  { name: 'sso', path: '/sign-in', act: clicks(/SSO/) },
  { name: 'invitation', path: invitation },
  { name: 'invitation-used', path: '/invitations#none' },
  {
    name: 'operator-palette',
    path: '/operator',
    as: full,
    act: searchEverywhere('demo', /demo@example\.com/),
  },
  { name: 'operator-carrier-add', path: '/operator/carriers', as: full, act: clicks('Add Carrier') },
  { name: 'operator-carrier-pause', path: '/operator/carriers', as: full, act: pauseCarrier },
  { name: 'operator-route', path: '/operator/carriers', as: full, act: clicks('Add Route') },
  { name: 'operator-rule', path: '/operator/protection', as: full, act: clicks(/^Change /) },
  { name: 'operator-list-add', path: '/operator/protection', as: full, act: clicks(/^Add /) },
  { name: 'operator-setting', path: '/operator/settings', as: full, act: clicks(/^(Edit|Change) /) },
  {
    name: 'operator-key-create',
    path: '/operator/keys?dialog=create',
    as: full,
    act: async (page) => {
      await page.getByRole('dialog').getByLabel('Name').fill('Nightly report');
      await submit(page);
    },
  },
  { name: 'operator-prices-unsaved', path: '/operator/prices', as: full, act: clicks('Add Price') },
  { name: 'operator-prices-import', path: '/operator/prices', as: full, act: clicks(/^Import/) },
  { name: 'operator-refund', path: '/operator/payments', as: full, act: clicks(/^Refund/) },
  { name: 'operator-export', path: '/operator/payments', as: full, act: clicks('Export for Accounting') },
  {
    name: 'operator-account-limits',
    path: '/operator/accounts',
    as: full,
    act: accountThen('Change Limits'),
  },
  {
    name: 'operator-account-credits',
    path: '/operator/accounts',
    as: full,
    act: accountThen('Adjust Credits'),
  },
  { name: 'operator-account-suspend', path: '/operator/accounts', as: full, act: accountThen('Suspend') },
  {
    name: 'operator-account-email',
    path: '/operator/accounts',
    as: full,
    act: accountThen(/^More actions/, /^Change Email/),
  },
  ...['verifications', 'insights', 'payments', 'settings'].flatMap((view) => {
    const state = { path: `/operator/accounts/${account_id}/${view}`, as: full };
    const reads = '/operator/accounts/*/*/**';
    return [
      { ...state, name: `operator-account-${view}-failing`, failing: reads },
      { ...state, name: `operator-account-${view}-loading`, waiting: reads },
    ];
  }),
];

function searchEverywhere(text: string, match: RegExp) {
  return async (page: Page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(text);
    // Matches arrive after the commands.
    await page.getByRole('option', { name: match }).first().waitFor();
  };
}

async function openHistory(page: Page): Promise<void> {
  const recipient = await page.locator('tbody tr:not([aria-hidden])').first().innerText();
  const number = /\+[\d\s()-]+\d/.exec(recipient)?.[0] ?? '';
  await page.getByRole('searchbox').first().fill(number);
  await click(page, 'Recipient History');
  await page.getByRole('dialog').waitFor();
  await settled(page);
}

async function openUserMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: /demo@example\.com$/ });
  // On phones and tablets, it is in the drawer.
  if (!(await menu.isVisible())) await click(page, 'Toggle sidebar');
  await menu.click();
}

async function openAdvanced(page: Page): Promise<void> {
  await page.getByRole('dialog').locator('summary').first().click();
}

/** Wide windows have the filters above the list; there, it opens the menu of columns. */
async function openFilters(page: Page): Promise<void> {
  const sheet = page.getByRole('button', { name: 'Filters', exact: true });
  if (await sheet.isVisible()) await sheet.click();
  else await page.getByRole('button', { name: /^Columns/ }).click();
}

async function sendTestCode(page: Page): Promise<void> {
  await page.getByRole('dialog').locator('button[type="submit"]').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Verify Code' }).waitFor();
}

async function createConnection(page: Page): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill('Sign-in');
  await submit(page);
  await page.getByRole('dialog', { name: 'Your New Connection' }).waitFor();
}

async function testConnection(page: Page): Promise<void> {
  await clicks(/^Actions for/, /^Test/)(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Send Test Request' }).click();
  await settled(page);
}

async function addWebhook(page: Page): Promise<void> {
  await page.getByRole('dialog').getByLabel('Name').fill('Production');
  await page.getByRole('dialog').getByLabel('URL').fill('https://app.example.com/webhooks/sixdigit');
  await submit(page);
  await page.getByRole('dialog', { name: 'Your Signing Secret' }).waitFor();
}

async function invite(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Invitations' }).scrollIntoViewIfNeeded();
  await clicks('Invite People')(page);
  await page.getByRole('dialog').getByLabel('Email Addresses').fill('nora@example.com, omar@example.com');
}

async function changeName(page: Page): Promise<void> {
  await page.getByLabel('First Name').fill('Daniela');
}

async function changeRule(page: Page): Promise<void> {
  await page
    .getByRole('group', { name: 'Many sends to one prefix' })
    .getByLabel('Sends per 10 min')
    .fill('40');
  await page.getByText('with the saved thresholds').first().waitFor();
}

async function setUpSso(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Single sign-on' }).scrollIntoViewIfNeeded();
  await click(page, 'Set Up SSO');
}

async function leaveUnsaved(page: Page): Promise<void> {
  await changeName(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('Logs');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
}

async function pauseCarrier(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Pause / })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
}
