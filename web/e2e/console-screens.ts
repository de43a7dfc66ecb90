import type { Page } from 'playwright-core';
import { firstCodePage, operatorPages } from '../src/operator/operator-pages.ts';
import type { Screen, State } from './screens.ts';
import { clicks, dialog, fill, inTurn, openRow, playWorstDay, searchEverywhere, submit } from './steps.ts';

/** The screens of the operator console, and an account's views in it. */

const createKey = inTurn(
  clicks('Create Operator Key'),
  fill({ Name: 'Nightly report' }),
  (page) => dialog(page).getByLabel('accounts:read').check(),
  submit,
);

const STATES: Partial<Record<keyof typeof operatorPages, State[]>> = {
  overview: [
    { name: 'operator-diagnostics', steps: clicks('Run Diagnostics') },
    {
      name: 'operator-palette',
      title: 'Search the console',
      steps: searchEverywhere('demo', /demo@example\.com/),
    },
    { name: 'operator-navigation', title: 'Navigation', steps: clicks('Toggle sidebar'), width: 390 },
  ],
  carriers: [
    { name: 'operator-carrier-add', title: 'Add Carrier', steps: clicks('Add Carrier') },
    { name: 'operator-carrier-pause', title: /^Pause /, steps: clicks(/^Pause /) },
    {
      name: 'operator-carrier-order',
      title: /^Order and Weight of /,
      steps: clicks(/^Order and Weight of /),
    },
    { name: 'operator-lookup', title: 'Set Up Look-up', steps: clicks('Set Up Look-up') },
    { name: 'operator-route', title: 'Add SMS Route', steps: clicks('Add Route') },
    { name: 'operator-route-change', title: 'Change SMS Route', steps: clicks(/^Change the route to /) },
    { name: 'operator-route-remove', title: /^Remove the route to /, steps: clicks(/^Remove the route to /) },
  ],
  protection: [
    { name: 'operator-rule', title: /./, steps: clicks(/^Change /) },
    { name: 'operator-lookup-rules', title: 'Look-up Rules', steps: clicks('Change Look-up Rules') },
    { name: 'operator-list-add', title: 'Deny Everywhere', steps: clicks(/^Add to: Denied/) },
    { name: 'operator-list-allow', title: 'Allow Everywhere', steps: clicks(/^Add to: Allowed/) },
    { name: 'operator-list-remove', title: /^Remove /, steps: clicks(/^Remove /) },
    { name: 'operator-worst-day', steps: playWorstDay },
  ],
  prices: [
    { name: 'operator-prices-unsaved', steps: clicks('Add Price') },
    { name: 'operator-prices-import', title: 'Import Message Prices', steps: clicks(/^Import/) },
    {
      name: 'operator-prices-save',
      title: 'Save Prices',
      steps: inTurn(clicks('Remove bundle 6'), clicks('Save Prices')),
    },
  ],
  payments: [
    { name: 'operator-refund', title: 'Refund Purchase', steps: clicks(/^Refund/) },
    { name: 'operator-export', title: 'Export for Accounting', steps: clicks('Export for Accounting') },
  ],
  optOuts: [{ name: 'operator-erase-recipient', title: 'Erase Recipient', steps: eraseRecipient }],
  announcements: [
    {
      name: 'operator-announcement',
      title: 'Create Announcement',
      steps: inTurn(clicks('Create Announcement'), async (page) => {
        await page.getByLabel('Text').fill('Text messages to Canada may arrive up to ten minutes late.');
        await page.getByLabel('Tone').selectOption('warning');
      }),
    },
  ],
  keys: [
    {
      name: 'operator-key-create',
      title: 'Create Operator Key',
      steps: inTurn(clicks('Create Operator Key'), submit),
    },
    {
      name: 'operator-key-created',
      title: 'Your New Operator Key',
      steps: createKey,
      close: clicks("I've Copied the Key"),
    },
    { name: 'operator-key-delete', title: 'Delete Operator Key', steps: clicks(/^Delete /) },
  ],
  settings: [{ name: 'operator-setting', title: /./, steps: clicks(/^Change /) }],
  audit: [{ name: 'operator-audit-entry', title: /./, steps: openRow }],
};

const more = (item: string | RegExp) => clicks(/^More actions/, item);
const ofRow = (action: string) => inTurn(openRow, clicks(action));

/** Each view with its states; all have the heading's. */
const VIEWS: Record<string, State[]> = {
  '': [
    { name: 'operator-account-limits', title: 'Change Limits', steps: clicks('Change Limits') },
    { name: 'operator-account-credits', title: 'Adjust Credits', steps: clicks('Adjust Credits') },
    { name: 'operator-account-suspend', title: 'Suspend Account', steps: clicks('Suspend') },
    { name: 'operator-account-actions', title: /More actions/, steps: clicks(/^More actions/) },
    { name: 'operator-account-email', title: 'Change Email', steps: more(/^Change Email/) },
    { name: 'operator-erase', title: 'Erase Account', steps: more('Erase Account') },
    { name: 'operator-account-sessions', title: /Sessions/, steps: more(/Sessions/) },
    { name: 'operator-member-owner', title: 'Make Owner', steps: clicks(/^Make owner/) },
    { name: 'operator-member-sessions', title: 'End Sessions', steps: clicks(/^End sessions: sam/) },
  ],
  verifications: [
    { name: 'operator-verification', title: 'Verification Details', steps: openRow },
    { name: 'operator-resend-code', title: 'Resend Code', steps: ofRow('Resend Code') },
    { name: 'operator-reveal', title: /Reveal/, steps: clicks(/^Reveal /) },
  ],
  requests: [{ name: 'operator-request', title: 'Request Details', steps: openRow }],
  insights: [],
  webhooks: [
    { name: 'operator-attempt', title: 'Message Details', steps: openRow },
    { name: 'operator-resend-message', title: 'Resend Message', steps: ofRow('Resend') },
  ],
  payments: [],
  blocks: [],
  activity: [{ name: 'operator-account-entry', title: /./, steps: openRow }],
  settings: [],
};

export const CONSOLE_SCREENS: Screen[] = [
  ...Object.entries(operatorPages).map(([key, { path }]) => ({
    name: `operator-${key}`,
    path,
    as: 'full' as const,
    // Most services have no erasures, so that screen shows none while they load.
    ...(path !== operatorPages.optOuts.path && { reads: '/operator/**' }),
    rowsVary: true as const,
    states: STATES[key as keyof typeof operatorPages] ?? [],
  })),
  ...Object.entries(VIEWS).map(([view, states]) => ({
    name: `operator-account${view && `-${view}`}`,
    path: `/operator/accounts/$account${view && `/${view}`}`,
    as: 'full' as const,
    ...(view && { reads: '/operator/accounts/*/*/**' }),
    rowsVary: true as const,
    // The number of members is known late.
    ...(view === '' && { mostShift: 0.03 }),
    states,
  })),
  {
    name: 'operator-first-code',
    path: `${firstCodePage.path}?country=US`,
    as: 'full',
    reads: '/operator/**',
    rowsVary: true,
  },
  {
    name: 'operator-account-inbox',
    path: '/operator/accounts/$account/verifications?mode=test&view=inbox',
    as: 'full',
  },
  {
    name: 'operator-account-declined',
    path: '/operator/accounts/$account/payments?search=declined',
    as: 'full',
    rowsVary: true,
  },
  { name: 'operator-account-empty', path: '/operator/accounts/$new/insights', as: 'full' },
  {
    name: 'operator-account-none',
    path: '/operator/accounts/01a00000-0000-7000-8000-000000000000',
    as: 'full',
    fails: true,
  },
];

async function eraseRecipient(page: Page): Promise<void> {
  await page.getByLabel('Phone number or email address').fill('pat.doe@example.com');
  await clicks('Erase')(page);
}
