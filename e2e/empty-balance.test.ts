import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { eventually, follow, openStage, type Stage, sharedTab, WIDTHS } from './browser.ts';
import { rows } from './lists.ts';
import { bundle } from './till.ts';

let stage: Stage;
let alice: Person;
let key: string;

const send = async (recipient: string) =>
  (await stage.service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } })).status;

/** One accepted send, then no credits, then two refused ones. */
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  ({ key } = await stage.apiKey(alice, 'Shop'));
  expect(await send('reader@customers.test')).toBe(201);
  const { id } = (await stage.service.call(getMe, { bearer: alice.access })).body;
  const { db, random, requestLog } = stage.service.app;
  await db.transaction(async (tx) => {
    await tx.run(
      `insert into ledger (account_id, id, kind, credits, description, created_at)
       select account_id, $2, 'usage', -credits, 'SMS verification', clock_now() from balances where account_id = $1`,
      [id, random.uuid()],
    );
    await tx.run('update balances set credits = 0 where account_id = $1', [id]);
  });
  for (const recipient of ['first@customers.test', 'second@customers.test'])
    expect(await send(recipient)).toBe(402);
  await requestLog.flush();
  await stage.service.drain();
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/settings' }));

test('at a balance of 0 every screen warns, and the figures show and link the refused sends', async () => {
  const { page } = tab();
  const notice = page.getByRole('complementary', { name: 'Balance' });
  const text = 'Your balance is 0 credits. Every live send is refused until you buy credits.';
  await notice.getByText(text).waitFor();
  const { id } = (await stage.service.call(getMe, { bearer: alice.access })).body;
  await page.evaluate(`localStorage.setItem('first_steps_dismissed', '${id}')`);
  await page.goto(new URL('/', page.url()).href);
  await notice.getByText(text).waitFor();
  const figures = page.getByRole('region', { name: 'Overview' });
  await figures.getByText('2 sends were refused for lack of credits.').waitFor();
  await figures.getByText('Last 15 days', { exact: true }).waitFor();
  // The caption's second line does not narrow the filters.
  for (const width of WIDTHS)
    for (const search of ['', '?search=nobody']) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(new URL(`/${search}`, page.url()).href);
      const refused = figures.getByRole('link', { name: 'View in Logs' });
      // A search narrows the figures, but not the refused sends, which it cannot count.
      await (search ? figures.getByText('Last 15 days · “nobody”').waitFor() : refused.waitFor());
      await eventually(async () => {
        const above = await figures.boundingBox();
        const filters = await page.locator('main [data-toolbar]').boundingBox();
        const gap = (filters?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
        expect(gap, `${width} px ${search}`).toBeGreaterThanOrEqual(15);
        expect(await refused.count()).toBe(search ? 0 : 1);
      });
    }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(new URL('/', page.url()).href);
  await figures.getByRole('link', { name: 'View in Logs' }).click();
  await page.getByText('first@customers.test').waitFor();
  await page.getByText('second@customers.test').waitFor();
  await page.getByText('Showing 1-2 of 2 requests (filtered)').waitFor();
  await notice.getByText(text).waitFor();
});

test('a test send without credits leads to buying them', async () => {
  tab().expectError('402');
  const { page } = tab();
  await follow(page, '/');
  await page.getByRole('button', { name: 'Send a Test Code' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Send a Test Code' });
  await dialog.getByLabel('Recipient').fill('reader@customers.test');
  await dialog.getByRole('button', { name: 'Send Code' }).click();
  await dialog.getByRole('alert').getByText('Insufficient credits').waitFor();
  await dialog.getByRole('link', { name: 'Buy credits' }).click();
  await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
});

test('the list of API keys shows what each key without a limit spent today', async () => {
  const { page } = tab();
  await follow(page, '/api-keys');
  const row = page.getByRole('row', { name: /Shop/ });
  await row.getByText('No limit', { exact: true }).waitFor();
  await row.getByText('1', { exact: true }).waitFor();
});

test('the low-balance threshold changes on Credits, where an invalid one keeps its text', async () => {
  tab().expectError(/ApiError|status of 400|low-balance/);
  const { page } = tab();
  await follow(page, '/credits');
  await page.getByText('Below 5 credits, every screen warns and you get an email.').waitFor();
  await page.getByRole('button', { name: 'Change warnings' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Low-balance Warnings' });
  const field = dialog.getByLabel('Low-balance Threshold');
  await field.fill('2000000');
  await field.press('Enter');
  await dialog.getByText('Low-balance threshold must be at most 1,000,000 credits').waitFor();
  await expect.poll(() => field.inputValue()).toBe('2000000');
  await field.fill('40');
  await field.press('Enter');
  await page.getByText('Below 40 credits, every screen warns and you get an email.').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Change warnings');
  await follow(page, '/settings');
  await expect.poll(() => page.getByLabel('Low-balance Threshold').inputValue()).toBe('40');
});

test('Credits asks for the saved cards only when a purchase is likely', async () => {
  const { page } = tab();
  await follow(page, '/credits');
  const { calls } = tab();
  calls.length = 0;
  await page.goto('/credits');
  const asked = () => calls.filter((made) => made === 'GET /payments/methods/').length;
  const purchase = bundle(page, '500');
  await purchase.waitFor();
  await page.getByText('Auto-purchase', { exact: true }).waitFor();
  expect(asked()).toBe(0);
  await purchase.focus();
  await eventually(() => expect(asked()).toBe(1));
});

/** In the page: the details of the first row that have room on its line. */
const SHOWN_DETAILS = `[...document.querySelector('main tbody tr').querySelectorAll('bdi')]
  .filter((one) => one.getBoundingClientRect().bottom <= one.parentElement.parentElement.getBoundingClientRect().bottom + 1)
  .map((one) => one.textContent)`;

test("on a phone, a refused request's row shows its date, its action and its reason", async () => {
  const { page } = tab();
  await follow(page, '/logs');
  await rows(page, 'Requests').first().waitFor();
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const reason = rows(page, 'Requests').first().getByText('insufficient_credits', { exact: true });
    await eventually(async () => {
      const [date, action] = await page.evaluate<string[]>(SHOWN_DETAILS);
      expect(date, `${width} px`).toMatch(/^\w{3} \d+, \d\d:\d\d [AP]M$/);
      expect(action, `${width} px`).toBe('Send OTP via Email');
      const box = await reason.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? width), `${width} px`).toBeLessThan(width);
      expect(box?.width, `${width} px`).toBeGreaterThan(40);
    });
  }
});
