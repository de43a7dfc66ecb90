import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab, texts } from './browser.ts';
import { sendCode } from './codes.ts';
import { rows } from './lists.ts';

/** The frame of every screen: the sidebar and its menu, toasts and tooltips; and the sandbox inbox. */
let stage: Stage;
let alice: Person;
/** Alice has two sends by e-mail and one by SMS. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice);
  for (const recipient of ['+14155558877', 'ann@example.com', 'ben@example.com'])
    await sendCode(stage, key, recipient, recipient.startsWith('+') ? 'sms' : 'email');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/' }));
/** A visitor's. */
const visitors = sharedTab(() => stage.tab({ path: '/sandbox?recipient=%2B14155558899' }));

/** Holds responses until the gate opens. */
function door() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

test('on a phone the sidebar is a drawer of 18rem that returns the focus, and the search shows whole recipients', async () => {
  const { page } = tab();
  await page.setViewportSize({ width: 390, height: 800 });
  const toggle = page.getByRole('button', { name: 'Toggle sidebar' });
  await toggle.waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Logs', exact: true }).count()).toBe(0);
  for (let time = 0; time < 2; time++) {
    await toggle.click();
    const drawer = page.getByRole('dialog', { name: 'Navigation' });
    await drawer.waitFor();
    await eventually(async () => expect((await drawer.boundingBox())?.width).toBe(288));
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Toggle sidebar');
  }
  await page.keyboard.press('Control+b');
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
  await page.getByRole('dialog', { name: 'Navigation' }).waitFor({ state: 'hidden' });

  // A recipient in the search results is fully readable.
  await page.getByRole('button', { name: /^Search or jump to/ }).click();
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('8877');
  const label = page.getByRole('option').getByText('+1 415 555 8877', { exact: true });
  const cut = () => label.evaluate((element) => element.scrollWidth - element.clientWidth);
  await expect.poll(cut).toBeLessThanOrEqual(0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

test('the user menu shows that the user is loading and that signing out is in progress, which reopens no live stream', async () => {
  const bob = await stage.signUp('Bob');
  await using tab = await stage.tab({ as: bob, path: '/terms' });
  tab.expectError(/401/);
  const { page, calls } = tab;
  // The service ends each stream at once, as it does with the session.
  const stream = { contentType: 'text/event-stream', body: 'retry: 50\n\n' };
  await page.route('**/api/v1/live/', (route) => route.fulfill(stream));
  const lives = () => calls.filter((call) => call === 'GET /live/').length;
  const user = door();
  await page.route('**/api/v1/users/me', async (route) => {
    await user.opened;
    await route.continue();
  });
  await page.goto('/docs');
  await page.getByRole('button', { name: /Loading\.\.\..*Please wait/ }).waitFor();
  user.open();
  const leaving = door();
  await page.route('**/api/v1/auth/logout', async (route) => {
    await leaving.opened;
    await route.continue();
  });
  const opener = page.getByRole('button', { name: new RegExp(bob.email) });
  await opener.click();
  await page.getByRole('menuitem', { name: 'Log Out' }).waitFor();
  await page.keyboard.press('Escape');
  await opener.and(page.locator(':focus')).waitFor();
  await eventually(() => expect(lives()).toBeGreaterThan(2));
  await opener.click();
  await page.getByRole('menuitem', { name: 'Log Out' }).click();
  const busy = page.getByRole('menuitem', { name: 'Logging out...' });
  await busy.waitFor();
  await expect.poll(() => busy.isDisabled()).toBe(true);
  // Another stream that ends at once. When its requests have arrived, so have those that began before it.
  let others = 0;
  await page.route('**/another-stream', (route) => {
    others += 1;
    return route.fulfill(stream);
  });
  await page.evaluate("window.anotherStream = new EventSource('/another-stream')");
  const seen = (count: number) => eventually(() => expect(others).toBeGreaterThanOrEqual(count));
  // One connection may already have been in progress.
  await seen(1);
  const before = lives();
  await seen(7);
  expect(lives()).toBe(before);
  leaving.open();
  await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor();
});

test('a tooltip names a button until Escape, and at most three toasts show for four seconds each', async () => {
  await using clocked = await stage.tab({ as: alice, path: '/docs', clock: true });
  const { page } = clocked;
  const copy = page.getByRole('button', { name: 'Copy code' });
  await page.getByRole('button', { name: 'Copy base URL' }).hover();
  await page.getByText('Copy base URL', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Copy base URL', { exact: true }).waitFor({ state: 'hidden' });
  const toasts = page.getByText('Copied to clipboard!', { exact: true });
  /** Advances the clock until the assertion holds: a toast disappears in several steps, each with a timer. */
  const countIs = (count: number) =>
    eventually(async () => {
      await clocked.advance(100);
      expect(await toasts.count()).toBe(count);
    });
  await clocked.pauseClock();
  await copy.first().click();
  await countIs(1);
  await clocked.advance(3_500);
  await expect.poll(() => toasts.count()).toBe(1);
  await countIs(0);

  await page.evaluate(`{
    window.most = 0;
    const count = () => {
      window.most = Math.max(window.most, document.querySelectorAll('.mantine-Notification-root').length);
    };
    new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
    for (const button of [...document.querySelectorAll('button[aria-label^="Copy code"]')].slice(0, 5)) button.click();
  }`);
  await countIs(3);
  await clocked.advance(2_000);
  await expect.poll(() => page.evaluate('window.most')).toBe(3);
  // The two waiting toasts follow, and all disappear.
  await clocked.advance(1_500);
  await countIs(2);
  await clocked.advance(3_500);
  await countIs(0);
});

test('the keyboard alone finds a verification, moves through the rows, goes to any page and collapses the sidebar', async () => {
  const { page, context } = tab();
  await follow(page, '/logs');
  await rows(page, 'Requests').first().waitFor();
  const search = page.getByRole('searchbox');
  await page.keyboard.press('/');
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
  // In a text field, the keys are typed as text.
  await page.keyboard.type('jk?');
  await expect.poll(() => search.inputValue()).toBe('jk?');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await palette.getByRole('option', { name: 'Credits', exact: true }).waitFor();
  // The sidebar shows the pages, so the actions come first, and the current page is left out.
  await expect
    .poll(() => palette.getByRole('group').evaluateAll((all) => all.map((one) => one.ariaLabel)))
    .toEqual(['Actions', 'Pages', 'Accounts', 'Dashboard']);
  // A new account is listed with the accounts, because the actions are for this one.
  const actions = palette.getByRole('group', { name: 'Actions' }).getByRole('option');
  await expect
    .poll(() => texts(actions))
    .toEqual(['Send a Test Code', 'Create API Key', 'Create Connection', 'Add Webhook', 'Buy Credits']);
  await expect.poll(() => palette.getByRole('option', { name: 'Logs' }).count()).toBe(0);
  await palette.getByRole('combobox').fill('ann@');
  await palette.getByRole('option', { name: 'ann@example.com', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const detail = page.getByRole('dialog', { name: 'Verification Details' });
  await detail.getByText('ann@example.com').first().waitFor();
  await page.keyboard.press('Escape');
  await detail.waitFor({ state: 'hidden' });

  await rows(page, 'Verifications').nth(1).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await detail.getByText('ann@example.com').first().waitFor();
  await page.keyboard.press('Escape');
  await detail.waitFor({ state: 'hidden' });
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard Shortcuts' });
  await help.getByText('Search in the list').waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+k');
  await palette.getByRole('combobox').fill('create api');
  await palette.getByRole('option', { name: 'Create API Key', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create API Key' }).waitFor();
  await page.keyboard.press('Escape');

  // Ctrl+B collapses the sidebar, and a cookie stores that for seven days
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+b');
  const cookie = await eventually(async () => {
    const found = (await context.cookies()).find(({ name }) => /sidebar/i.test(name));
    expect(found).toBeDefined();
    return found;
  });
  const days = ((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
});

test('text typed before the command palette has loaded goes into its field and never to the list below', async () => {
  const { page } = tab();
  await page.goto('/');
  await page.getByRole('heading', { name: 'Verifications', level: 1 }).waitFor();
  const { open, opened } = door();
  await page.route('**/assets/CommandPalette*.js', async (route) => {
    await opened;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('/?jann@');
  await page.keyboard.press('Backspace');
  open();
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await expect.poll(() => palette.getByRole('combobox').inputValue({ timeout: 1_000 })).toBe('/?jann');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  // From then on, keys go to the field.
  await page.keyboard.type('a');
  await expect.poll(() => palette.getByRole('combobox').inputValue()).toBe('/?janna');
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'hidden' });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard Shortcuts' }).waitFor();
});

test('the sandbox inbox shows messages as they arrive, and one click copies their code', async () => {
  const { page } = visitors();
  await page.getByText('No messages for this recipient').waitFor();
  const { key } = await stage.apiKey(alice);
  await sendCode(stage, key, '+14155558899');
  const message = page.getByRole('article', { name: 'SMS to +14155558899' });
  await message.getByRole('button', { name: 'Copy code' }).click();
  await message.getByRole('button', { name: 'Copied' }).waitFor();
  const [sent] = await stage.service.inbox('+14155558899');
  await expect.poll(() => visitors().clipboard()).toBe(sent?.code);
});
