import { updateCarrier } from '@sixdigit/contract/operator/carriers.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook, testWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesBelow, read } from '../server/test/source.ts';
import { operatorPages } from '../web/src/operator/operator-pages.ts';
import { eventually, expectInsideFrames, openStage, type Stage, sharedTab } from './browser.ts';
import { settled } from './settled.ts';

/**
 * Presses every button of the console and measures each dialog, sheet and menu that appears. Other screens' dialogs are measured
 * in their own tests. The last test fails if a dialog in the source code is never measured.
 */
let stage: Stage;
let olivia: Awaited<ReturnType<Stage['signUp']>>;
let bob: Awaited<ReturnType<Stage['signUp']>>;
beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  bob = await stage.signUp('Bob');
  const { key } = await stage.apiKey(bob);
  const body = { channel: 'email', recipient: 'somebody@example.com' } as const;
  expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
  const hook = { name: 'Shop', url: 'http://127.0.0.1:9/' };
  const { body: made } = await stage.service.call(createWebhook, { bearer: bob.access, body: hook });
  // Without a weight or a second carrier, a carrier's order cannot be changed.
  const weighted = { channel: 'sms', weight: 1, reason: 'To be measured' } as const;
  await stage.service.call(updateCarrier, {
    bearer: olivia.access,
    params: { name: 'sandbox' },
    body: weighted,
  });
  await stage.service.call(testWebhook, { bearer: bob.access, params: { id: made.id } });
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: olivia, path: '/operator/audit' }));

const found = new Set<string>();
const FRAME = '[role="dialog"], [role="menu"]';
const APPEARS_MS = 1_500;

/** True if a dialog, a sheet or a menu is open. Measures it. */
async function measured(page: Page): Promise<boolean> {
  const frame = page.locator(FRAME).last();
  const isOpen = await frame.waitFor({ timeout: APPEARS_MS }).then(
    () => true,
    () => false,
  );
  if (!isOpen) return false;
  const title = await page.evaluate<string>(`(() => {
    const frame = [...document.querySelectorAll('${FRAME}')].at(-1);
    const label = document.getElementById(frame.getAttribute('aria-labelledby') ?? '');
    return frame.getAttribute('aria-label') ?? label?.textContent ?? '';
  })()`);
  found.add(title.trim());
  await expectInsideFrames(page, title);
  return true;
}

/** Rows share their buttons. A button's name ends with its row's subject. */
const kindOf = (name: string): string => name.split(' ').slice(0, 2).join(' ');

/** Opens every dialog of a screen's buttons and first row. */
async function openAll(page: Page, path: string, pressed = new Set<string>()): Promise<void> {
  const frames = page.locator(FRAME);
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await eventually(async () => expect(await frames.count()).toBe(0));
  };
  const show = async (): Promise<void> => {
    await page.goto(path);
    await settled(page);
  };
  await show();
  const row = page.locator('main tbody tr[tabindex]').first();
  if ((await row.count()) > 0) {
    await row.press('Enter');
    // A row always opens something, even if its code loads slowly.
    const sheet = frames.last().waitFor();
    await Promise.race([sheet, page.waitForURL((url) => url.pathname !== path)]);
    if (await measured(page)) await close();
    else await show();
  }
  for (;;) {
    const names = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('main button:not(:disabled, [aria-disabled="true"])')]
      .filter((one) => one.checkVisibility())
      .map((one) => one.getAttribute('aria-label') ?? one.textContent.trim())`);
    const name = names.find((one) => one !== '' && !pressed.has(kindOf(one)));
    if (name === undefined) return;
    pressed.add(kindOf(name));
    const button = page.getByRole('main').getByRole('button', { name, exact: true }).first();
    // The list has changed meanwhile.
    if (!(await button.isVisible())) continue;
    await button.click();
    if (!(await measured(page))) {
      if (new URL(page.url()).pathname !== path) await show();
      continue;
    }
    const items = await page.getByRole('menuitem').allInnerTexts();
    for (const item of items) {
      await close();
      await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      await measured(page);
    }
    await close();
  }
}

test.each(Object.values(operatorPages).map(({ path }) => path))(
  'no dialog on %s is narrower than its content',
  async (path) => {
    tab().expectError(/Failed to load resource|Query failed/);
    await openAll(tab().page, path);
  },
);

/** An account's heading has the same buttons on each view. */
const pressedOnAccount = new Set<string>();
test.each(['', 'verifications', 'requests', 'webhooks', 'payments', 'blocks', 'activity', 'settings'])(
  "no dialog on an account's page %s is narrower than its content",
  async (view) => {
    tab().expectError(/Failed to load resource|Query failed/);
    const { account_id } = await stage.service.app.db.one<{ account_id: string }>(
      'select id as account_id from accounts where email = $1',
      [bob.email],
    );
    await openAll(
      tab().page,
      `/operator/accounts/${account_id}${view === '' ? '' : `/${view}`}`,
      pressedOnAccount,
    );
  },
);

/** Dialogs that appear after several steps, with the test that measures each. */
const ELSEWHERE: Record<string, string> = {
  'Turn Off SSO': 'single-sign-on.test.ts',
  'Recipient History': 'recipient.test.ts',
  'Confirm it is you': 'security.test.ts',
  'Your Recovery Codes': 'security.test.ts',
  'Remove Authenticator App': 'security.test.ts',
  'Create New Recovery Codes': 'security.test.ts',
  'Remove Passkey': 'security.test.ts',
  'Rename Passkey': 'security.test.ts',
  'Remove Domain': 'security.test.ts',
  'Delete Account': 'dialogs.test.ts',
  'Sign Out Everywhere': 'dialogs.test.ts',
  'Delete API Key': 'dialogs.test.ts',
  'Create API Key': 'dialogs.test.ts',
  'Edit API Key': 'dialogs.test.ts',
  'Your New API Key': 'dialogs.test.ts',
  'Rotate API Key': 'api-keys.test.ts',
  'Create Connection': 'connections.test.ts',
  'Your New Connection': 'connections.test.ts',
  'Your New Secret': 'connections.test.ts',
  'Edit Connection': 'connections.test.ts',
  'Test Connection': 'connections.test.ts',
  'Rotate Connection Secret': 'connections.test.ts',
  'Delete Connection': 'connections.test.ts',
  'Leave without saving?': 'unsaved.test.ts',
  'Erase Recipient': 'operator.test.ts',
  'Your New Operator Key': 'operator.test.ts',
  'Delete Operator Key': 'operator.test.ts',
  'Resend Code': 'operator.test.ts',
  'Resend Message': 'operator.test.ts',
  'Refund Purchase': 'operator-stories.test.ts',
  'Save Prices': 'operator-stories.test.ts',
  'Send a Test Code': 'verification-story.test.ts',
  'Verification Details': 'dialogs.test.ts',
  'Keyboard Shortcuts': 'dialogs.test.ts',
  'Confirm Purchase': 'purchases.test.ts',
  'Remove Payment Method': 'purchases.test.ts',
  Deliveries: 'dialogs.test.ts',
  'Auto-purchase': 'money.test.ts',
  'Add Webhook': 'dialogs.test.ts',
  'Edit Webhook': 'webhooks.test.ts',
  'Rotate Secret': 'dialogs.test.ts',
  'Delete Webhook': 'dialogs.test.ts',
  'Create Account': 'accounts.test.ts',
  'Rename Account': 'accounts.test.ts',
  'Move Credits': 'accounts.test.ts',
  'Invite People': 'members.test.ts',
  'Revoke Invitation': 'members.test.ts',
  'Change Role': 'members.test.ts',
  'Remove Member': 'members.test.ts',
  'Leave Account': 'members.test.ts',
};

/** A one-sentence question in the same component as a measured one. */
const ALIKE = ['Remove from the Opt-out List', 'Your bank asks you to confirm this payment'];

const TITLED =
  /<(?:Dialog|FormDialog|SideSheet|ConfirmDialog|LazyConfirmDialog|ReasonDialog|Resend)\b(?:(?!<[A-Z])[\s\S])*?\btitle="([^"]+)"/g;

test('every dialog in the source code is measured', () => {
  const declared = filesBelow('web/src', /\.tsx$/).flatMap((file) =>
    [...read(file).matchAll(TITLED)].map(([, title = '']) => title),
  );
  expect(declared.length).toBeGreaterThan(40);
  const missing = declared.filter((title) => {
    if (ALIKE.includes(title)) return false;
    const file = ELSEWHERE[title];
    if (!file) return !found.has(title);
    const text = read(`e2e/${file}`);
    return !text.includes(title) || !/expect(Accessible|EveryLookAccessible|InsideFrames)\(/.test(text);
  });
  expect(missing).toEqual([]);
});
