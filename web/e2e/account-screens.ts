import type { Page } from 'playwright-core';
import { pages } from '../src/pages.ts';
import { type Screen, SIGNED_IN, type State } from './screens.ts';
import {
  chooseChannels,
  clicks,
  dialog,
  fill,
  inTurn,
  near,
  openFilters,
  openOptions,
  openRow,
  openUserMenu,
  playWorstDay,
  press,
  rowAction,
  searchEverywhere,
  sendChosen,
  sendTestCode,
  submit,
} from './steps.ts';

/** The screens of an account: full, in further views, and new. */

const createKey = inTurn(clicks('Create API Key'), fill({ Name: 'Production' }), submit);
const createConnection = inTurn(clicks('Create Connection'), fill({ Name: 'Sign-in' }), submit);
/** The panel is drawn when it comes near. */
const toSso = (page: Page) => page.locator('#sso').scrollIntoViewIfNeeded();
const createTemplate = inTurn(
  clicks('Create Template'),
  fill({ Name: 'order', Message: 'Order {order} at {brand}: {code}' }),
);
const endpoint = { Name: 'Production', URL: 'https://app.example.com/webhooks/sixdigit' };
const addWebhook = inTurn(clicks('Add Webhook'), fill(endpoint), submit);

const STATES: Partial<Record<keyof typeof pages, State[]>> = {
  verifications: [
    { name: 'user-menu', title: /demo@example\.com/, steps: openUserMenu, width: 1280 },
    {
      name: 'account-create',
      title: 'Create Account',
      steps: inTurn(openUserMenu, clicks('Create Another Account…')),
    },
    { name: 'shortcuts', title: 'Keyboard Shortcuts', steps: press('?') },
    { name: 'command-palette', title: 'Search and commands', steps: press('Control+k') },
    {
      name: 'palette-recipient',
      title: 'Search and commands',
      steps: searchEverywhere('+1 415 555 0', /\+1 415 555 0\d{3}/),
    },
    { name: 'filters', title: /Filters|Columns/, steps: openFilters, width: 1280 },
    { name: 'filter-sheet', title: 'Filters', steps: openFilters, width: 390 },
    { name: 'more-filters', title: 'Filters', steps: clicks('More filters'), width: 1280 },
    { name: 'navigation', title: 'Navigation', steps: clicks('Toggle sidebar'), width: 390 },
    { name: 'send-test-code', title: 'Send a Test Code', steps: clicks('Send a Test Code') },
    { name: 'send-test-code-options', title: 'Send a Test Code', steps: openOptions },
    { name: 'send-test-code-sent', title: 'Send a Test Code', steps: sendTestCode },
    { name: 'send-test-code-plan', title: 'Send a Test Code', steps: chooseChannels },
    {
      name: 'send-test-code-steps',
      title: 'Send a Test Code',
      steps: inTurn(chooseChannels, sendChosen),
    },
    { name: 'verification-details', title: 'Verification Details', steps: openRow },
    { name: 'recipient-history', title: 'Recipient History', steps: openHistory },
  ],
  logs: [{ name: 'log-details', title: 'Request Details', steps: openRow }],
  apiKeys: [
    { name: 'api-key-create', title: 'Create API Key', steps: clicks('Create API Key') },
    {
      name: 'api-key-create-advanced',
      title: 'Create API Key',
      steps: inTurn(clicks('Create API Key'), (page) => dialog(page).locator('summary').first().click()),
    },
    {
      name: 'api-key-create-refused',
      title: 'Create API Key',
      steps: inTurn(clicks('Create API Key'), submit),
    },
    { name: 'api-key-edit', title: 'Edit API Key', steps: rowAction('Edit') },
    { name: 'api-key-rotate', title: 'Rotate API Key', steps: rowAction('Rotate') },
    { name: 'api-key-delete', title: 'Delete API Key', steps: rowAction('Delete') },
  ],
  connections: [
    { name: 'connection-create', title: 'Create Connection', steps: clicks('Create Connection') },
    { name: 'connection-edit', title: 'Edit Connection', steps: clicks(/^Actions for/, /^Edit/) },
    {
      name: 'connection-test',
      title: 'Test Connection',
      steps: inTurn(clicks(/^Actions for/, /^Test/), clicks('Send Test Request')),
    },
    {
      name: 'connection-rotate',
      title: 'Rotate Connection Secret',
      steps: clicks(/^Actions for/, /^Rotate/),
    },
    {
      name: 'connection-rotated',
      title: 'Your New Secret',
      steps: inTurn(clicks(/^Actions for/, /^Rotate/), submit),
      close: clicks(/^I've Copied/),
    },
    { name: 'connection-delete', title: 'Delete Connection', steps: clicks(/^Actions for/, /^Delete/) },
  ],
  webhooks: [
    { name: 'webhook-create', title: 'Add Webhook', steps: clicks('Add Webhook') },
    { name: 'webhook-attempts', title: /^Deliveries/, steps: openRow },
    { name: 'webhook-statistics', title: /^Statistics/, steps: clicks(/^Statistics/) },
    { name: 'webhook-edit', title: 'Edit Webhook', steps: clicks(/^Actions for/, 'Edit Settings') },
    { name: 'webhook-rotate', title: 'Rotate Secret', steps: clicks(/^Actions for/, 'Rotate Secret') },
    {
      name: 'webhook-rotated',
      title: 'Your New Signing Secret',
      steps: inTurn(clicks(/^Actions for/, 'Rotate Secret'), clicks('Rotate Secret')),
      close: clicks("I've Copied the Secret"),
    },
    { name: 'webhook-delete', title: 'Delete Webhook', steps: clicks(/^Actions for/, 'Delete Webhook') },
  ],
  protection: [
    { name: 'protection-unsaved', steps: changeRule },
    { name: 'limit-add', steps: clicks('Show Limits', 'Add Limit') },
    { name: 'limit-edit', steps: clicks('Show Limits', 'Edit signup-ip') },
    { name: 'limit-delete', title: 'Delete Limit', steps: clicks('Show Limits', 'Delete signup-ip') },
    { name: 'proof-setting', steps: clicks('Show Setting') },
    {
      name: 'known-import',
      title: 'Import Known Recipients',
      steps: inTurn(showKnown, clicks('Import')),
    },
    {
      name: 'known-delete',
      title: 'Delete Known Recipients',
      steps: inTurn(showKnown, clicks('Delete All')),
    },
    { name: 'worst-day', steps: playWorstDay },
  ],
  credits: [
    { name: 'credits-custom', steps: customAmount },
    { name: 'credits-choose-card', steps: clicks('Purchase Bundle') },
    {
      name: 'credits-review',
      title: 'Confirm Purchase',
      steps: inTurn(clicks('Purchase Bundle'), clicks(/Visa/)),
      changesScreen: true,
    },
    { name: 'auto-purchase', title: 'Auto-purchase', steps: clicks('Set Up Auto-purchase') },
    { name: 'low-balance', title: /warning/i, steps: clicks('Change warnings') },
    { name: 'receipt', steps: clicks(/^Receipt/) },
  ],
  team: [
    { name: 'team-rename', title: 'Rename Account', steps: near('Members', /^Rename/) },
    { name: 'team-role', title: 'Change Role', steps: near('Members', /^Change role/i) },
    { name: 'team-remove-member', title: 'Remove Member', steps: near('Members', /^Remove/) },
    {
      name: 'team-invite',
      title: 'Invite People',
      steps: inTurn(
        clicks('Invite People'),
        fill({ 'Email addresses': 'nora@example.com, omar@example.com' }),
      ),
    },
    { name: 'team-revoke', title: 'Revoke Invitation', steps: near('Invitations', /^Revoke/) },
    { name: 'team-sso', steps: inTurn(toSso, near('Single sign-on', 'Set Up SSO')) },
  ],
  insights: [
    { name: 'insights-more', steps: (page) => page.getByText('More charts').click() },
    { name: 'insights-fallback', steps: (page) => page.getByText('Fallback').click() },
  ],
  docs: [{ name: 'docs-search', title: 'Search the docs', steps: clicks(/Search the docs/) }],
  settings: [
    { name: 'settings-change-password', steps: clicks('Change Password') },
    {
      name: 'settings-authenticator',
      title: 'Set Up Authenticator App',
      steps: clicks('Set Up Authenticator App'),
    },
    { name: 'settings-sign-out', title: 'Sign Out Everywhere', steps: clicks('Sign Out Everywhere') },
    { name: 'settings-plans', steps: openPlans },
    { name: 'settings-plan-add', title: 'Add Country', steps: inTurn(openPlans, clicks('Add Country')) },
    { name: 'settings-plan-edit', title: 'Edit Plan', steps: inTurn(openPlans, clicks(/^Edit the plan/)) },
    { name: 'settings-delete-account', title: 'Delete Account', steps: clicks('Delete Account') },
    { name: 'settings-unsaved', steps: changeName },
    {
      name: 'settings-leave',
      title: 'Leave without saving?',
      steps: leaveUnsaved,
      isWithoutOpener: true,
    },
  ],
};

const READS: Partial<Record<keyof typeof pages, string>> = {
  verifications: '/verifications/?*',
  logs: '/logs/?*',
  insights: '/insights/**',
  apiKeys: '/api-keys/?*',
  connections: '/connections/',
  webhooks: '/webhooks/?*',
  protection: '/protection/**',
  credits: '/payments/*/**',
  team: '/members/',
  settings: '/profile/**',
};

const NEW_STATES: Partial<Record<string, State[]>> = {
  '/api-keys': [
    {
      name: 'api-key-revealed',
      title: 'Your New API Key',
      steps: createKey,
      close: clicks("I've Copied the Key"),
    },
  ],
  '/connections': [
    {
      name: 'connection-created',
      title: 'Your New Connection',
      steps: createConnection,
      close: clicks(/^I've Copied/),
    },
  ],
  '/webhooks': [
    {
      name: 'webhook-secret',
      title: 'Your Signing Secret',
      steps: addWebhook,
      close: clicks(/^I've Copied/),
    },
  ],
  '/credits': [{ name: 'credits-new-card', steps: clicks('Purchase Bundle') }],
};

const LEAVE: State[] = [
  { name: 'team-leave-account', title: 'Leave Account', steps: near('Members', 'Leave') },
];

/** A filter by key or member may take a second row. Whether there are several is known late. */
const FILTERS_SHIFT = 0.2;
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
/** Within the forty days before today for which the demonstration account has data. */
const RANGE = `from=${daysAgo(28)}&to=${daysAgo(9)}`;

export const ACCOUNT_SCREENS: Screen[] = [
  ...Object.entries(pages).map(([key, { path, title }]) => ({
    name: `${title.toLowerCase().replaceAll(' ', '-')}-full`,
    path,
    as: 'full' as const,
    loadsAt: [390, 1280] as const,
    ...optional('reads', READS[key as keyof typeof pages]),
    ...(key === 'webhooks' && { rowsVary: true as const }),
    ...optional('states', STATES[key as keyof typeof pages]),
  })),
  {
    name: 'activity',
    path: '/settings/activity',
    as: 'full',
    mostShift: FILTERS_SHIFT,
    states: [{ name: 'activity-entry', title: /./, steps: openRow }],
  },
  {
    name: 'decisions',
    path: '/protection/decisions',
    as: 'full',
    mostShift: FILTERS_SHIFT,
    states: [{ name: 'decision', title: 'Decision', steps: openRow }],
  },
  {
    name: 'templates',
    path: '/settings/templates',
    as: 'full',
    states: [
      { name: 'template-create', title: 'Create Template', steps: createTemplate },
      { name: 'template-edit', title: 'Edit Template', steps: rowAction('Edit') },
      { name: 'template-delete', title: 'Delete Template', steps: rowAction('Delete') },
      {
        name: 'template-email',
        title: 'Create Template',
        steps: inTurn(createTemplate, async (page) => {
          await dialog(page).getByLabel('Channel').selectOption('Email');
          await dialog(page).getByLabel('Language').selectOption('Arabic');
        }),
      },
    ],
  },
  {
    name: 'suppressions',
    path: '/protection/suppressed',
    as: 'full',
    reads: '/recipients/suppressed/**',
    states: [{ name: 'suppression-add', title: 'Add Address', steps: clicks('Add Address') }],
  },
  {
    name: 'suppressions-empty',
    path: '/protection/suppressed',
    as: 'empty',
    reads: '/recipients/suppressed/**',
  },
  {
    ...{ name: 'verifications-planned', path: '/?channel=whatsapp', as: 'full', mostShift: FILTERS_SHIFT },
    states: [{ name: 'plan-details', title: 'Verification Details', steps: openRow }],
  },
  // The screen before is the same one with live traffic, whose overview is a line higher.
  { name: 'verifications-test', path: '/?mode=test', as: 'full', mostShift: 0.05 },
  { name: 'test-inbox', path: '/?mode=test&view=inbox', as: 'full', reads: '/test-inbox/**' },
  { name: 'verifications-filtered', path: '/?search=nobody', as: 'full', mostShift: FILTERS_SHIFT },
  { name: 'verifications-range', path: `/?days=custom&${RANGE}`, as: 'full', mostShift: FILTERS_SHIFT },
  { name: 'insights-range', path: `/insights?range=custom&${RANGE}`, as: 'full' },
  {
    ...{ name: 'api-key-no-match', path: '/api-keys?search=nothing', as: 'full', mostShift: 0.03 },
    states: [{ name: 'sort-sheet', title: 'Sort', steps: clicks('Sort'), width: 390 }],
  },
  ...SIGNED_IN.map(({ path, heading }) => ({
    name: `${heading.toLowerCase().replaceAll(' ', '-')}-empty`,
    path,
    as: 'empty' as const,
    ...(path === '/credits' && { loadsAt: [820, 390] as const }),
    ...optional('states', NEW_STATES[path]),
  })),
  ...[pages.verifications, pages.apiKeys, pages.protection, pages.credits, pages.team, pages.settings].map(
    ({ path, title }) => ({
      name: `${title.toLowerCase().replaceAll(' ', '-')}-viewer`,
      path,
      as: 'viewer' as const,
      ...(path === '/team' && { states: LEAVE }),
    }),
  ),
  { name: 'activity-viewer', path: '/settings/activity', as: 'viewer' },
  { name: 'settings-at-messages', path: '/settings#messages', as: 'empty', loadsAt: [1280] },
];

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}

/** The panel stays open after a dialog. */
async function showKnown(page: Page): Promise<void> {
  const importing = page.getByRole('button', { name: 'Import', exact: true });
  const show = page.getByRole('button', { name: 'Show Known Recipients' });
  await importing.or(show).waitFor();
  if (await show.isVisible()) await show.click();
}

async function openPlans(page: Page): Promise<void> {
  const plans = page.getByRole('heading', { name: 'Plans', exact: true });
  const list = page.getByRole('list', { name: 'Plans' });
  await plans.scrollIntoViewIfNeeded();
  if (!(await list.isVisible())) await plans.click();
  await list.waitFor();
}

async function openHistory(page: Page): Promise<void> {
  await page.getByRole('searchbox').first().fill('+1 415 555 0177');
  await clicks('Recipient History')(page);
  await dialog(page).waitFor();
}

async function changeRule(page: Page): Promise<void> {
  await page
    .getByRole('group', { name: 'Many sends to one prefix' })
    .getByLabel('Sends per 10 min')
    .fill('40');
  await page.getByText('with the saved thresholds').first().waitFor();
}

async function customAmount(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Custom Amount' }).click();
  await page
    .getByRole('textbox', { name: /credits/i })
    .first()
    .fill('1250');
  await page.getByText('Purchase 1,250 Credits').waitFor();
}

async function changeName(page: Page): Promise<void> {
  await page.getByLabel('First name').fill('Daniela');
}

async function leaveUnsaved(page: Page): Promise<void> {
  await changeName(page);
  await page.keyboard.press('Control+k');
  await dialog(page).getByRole('combobox').fill('Logs');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
}
