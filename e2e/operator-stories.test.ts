import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createIntent } from '@sixdigit/contract/payments.ts';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnotherProcess, anotherProcess } from '../server/test/another-process.ts';
import { type HttpCarrierFake, startHttpCarrier } from '../server/test/fakes/http-carrier.ts';
import { startTwilio, type TwilioFake } from '../server/test/fakes/twilio.ts';
import { auditedBalance, intentIdOf, priced } from '../server/test/payments.ts';
import type { Person } from '../server/test/person.ts';
import { type Sender, sender } from '../server/test/sender.ts';
import type { TestService } from '../server/test/service.ts';
import { signedIn } from '../server/test/signed-in.ts';
import { eventually, follow } from './browser.ts';
import { GOOD, openStripeTill } from './till.ts';

/** Olivia runs the service, with two carriers for SMS and with Stripe, while customers send without a pause. */
let till: Awaited<ReturnType<typeof openStripeTill>>;
let service: TestService;
let other: AnotherProcess;
let twilio: TwilioFake;
let http: HttpCarrierFake;
let olivia: Person;

beforeAll(async () => {
  [twilio, http] = await Promise.all([startTwilio(), startHttpCarrier()]);
  till = await openStripeTill({
    SMS_CARRIERS: 'twilio,http',
    EMAIL_CARRIERS: 'sandbox',
    TWILIO_ACCOUNT_SID: twilio.accountSid,
    TWILIO_AUTH_TOKEN: twilio.authToken,
    TWILIO_FROM: '+12025550199',
    TWILIO_API_URL: twilio.url,
    HTTP_CARRIER_URL: http.url,
    HTTP_CARRIER_SECRET: http.secret,
  });
  ({ service } = till.stage);
  other = await anotherProcess(service);
  olivia = await till.stage.signUp('Olivia');
});
afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await till?.close();
  await Promise.all([twilio.close(), http.close()]);
});

interface Answered {
  recipient: string;
  asked_at: number;
  status: number;
  body: { otp_id: string; cost_credits: number };
}
let count = 0;

/** Sends one SMS after another, each to a new number, until stopped. */
function load(by: Sender, on: Pick<TestService, 'call'> = service) {
  const answers: Answered[] = [];
  let isStopped = false;
  const running = (async () => {
    for (; !isStopped; await pause(20)) {
      const recipient = `+1415555${2000 + ++count}`;
      const asked_at = Date.now();
      const { status, body } = await on.call(sendOtp, {
        apiKey: by.key(),
        body: { channel: 'sms', recipient },
      });
      answers.push({ recipient, asked_at, status, body });
    }
  })();
  const stop = async (): Promise<Answered[]> => {
    isStopped = true;
    await running;
    return answers;
  };
  return { answers, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

const accepted = (answers: readonly Answered[]): Answered[] => answers.filter(({ status }) => status === 201);
const deliveriesTo = (recipient: string): number =>
  twilio.messagesTo(recipient).length + http.messagesTo(recipient).length;

/** The ledger's entries of sends, by their ids. */
const ledgerOf = async (kind: 'usage' | 'refund', { account_id }: Sender): Promise<Map<string, number>> =>
  new Map(
    (
      await service.app.db.rows<{ otp_id: string; credits: number }>(
        `select coalesce(substr(reference, length(kind) + 2), id::text) as otp_id, credits from ledger
         where account_id = $1 and kind = $2`,
        [account_id, kind],
      )
    ).map(({ otp_id, credits }) => [otp_id, credits]),
  );

/** Fills in the reason and confirms. */
async function confirm(dialog: Locator, action: string, reason: string): Promise<void> {
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action }).click();
}

test('an operator finds and pauses a carrier that fails under load, and no message is lost', async () => {
  const alice = await sender(service, 'Alice', { credits: 5_000 });
  await using sending = load(alice);
  await eventually(() => expect(twilio.messages.length).toBeGreaterThan(5));
  twilio.everyone = 'error';

  await using tab = await till.stage.tab({ as: olivia, path: '/operator/carriers' });
  const { page } = tab;
  const errors = page.getByRole('region', { name: 'Recent carrier errors' });
  await errors.getByText('Twilio', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Pause Twilio for SMS' }).click();
  await confirm(page.getByRole('dialog', { name: 'Pause Twilio' }), 'Pause', 'Answers with errors');
  await page.getByText('Carrier paused', { exact: true }).waitFor();
  await page.getByText('Paused', { exact: true }).waitFor();

  const before = [...sending.answers];
  const deliveredOf = (some: readonly Answered[]) =>
    some.filter(({ recipient }) => deliveriesTo(recipient) > 0).length;
  await eventually(() => expect(deliveredOf(before)).toBe(before.length));
  const asked = twilio.requests;
  await eventually(() => expect(sending.answers.length).toBeGreaterThan(before.length + 20));
  const sent = await sending.stop();
  expect(accepted(sent)).toHaveLength(sent.length);
  const refunded = async () => await ledgerOf('refund', alice);
  await eventually(async () => {
    const { size } = await refunded();
    expect(deliveredOf(sent) + size).toBe(sent.length);
  });
  expect(sent.filter(({ recipient }) => deliveriesTo(recipient) > 1)).toEqual([]);
  expect(twilio.requests).toBe(asked);
  expect(await auditedBalance(service, alice)).toEqual({ credits: 5_000 - deliveredOf(sent), debt: 0 });
});

test('an abuser is suspended while sending: every process refuses the next send, and credits can be adjusted', async () => {
  const mallory = await sender(service, 'Mallory', { credits: 5_000 });
  expect((await mallory.send('victim@example.com')).status).toBe(201);
  await using here = load(mallory);
  await using there = load(mallory, other);

  await using tab = await till.stage.tab({ as: olivia });
  const { page } = tab;
  await page.getByRole('link', { name: 'Operator Console' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await follow(page, '/operator/accounts');
  await page.getByPlaceholder('Search accounts...').fill(mallory.email);
  await page.getByRole('link', { name: mallory.email }).click();
  await page.getByRole('heading', { name: mallory.email }).waitFor();

  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog', { name: 'Suspend Account' });
  await dialog.getByRole('button', { name: 'Suspend Account' }).click();
  await dialog.getByText('Please enter a reason').waitFor();
  const answer = page.waitForResponse(/\/suspend\/$/);
  await confirm(dialog, 'Suspend Account', 'Pumps SMS');
  await answer;
  const suspended_at = Date.now();
  await page.getByText('Account suspended', { exact: true }).waitFor();
  for (const { answers } of [here, there]) await eventually(() => expect(answers.at(-1)?.status).toBe(400));
  const all = [...(await here.stop()), ...(await there.stop())];
  for (const { status, body } of all.filter(({ asked_at }) => asked_at > suspended_at + 1_000))
    expect([status, body]).toEqual([400, { error: 'Account suspended', reason: 'account_suspended' }]);
  expect(Math.max(...accepted(all).map(({ asked_at }) => asked_at))).toBeLessThan(suspended_at + 1_000);
  expect((await ledgerOf('usage', mallory)).size).toBe(accepted(all).length + 1);

  await page.getByRole('button', { name: 'Resume' }).click();
  await confirm(page.getByRole('dialog', { name: 'Resume Account' }), 'Resume Account', 'Resolved');
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  expect((await mallory.send('victim@example.com')).status).toBe(201);
  const views = page.getByRole('navigation', { name: 'Account', exact: true });
  await views.getByRole('link', { name: 'Verifications' }).click();
  await page.getByPlaceholder(/full recipient/).fill('victim@example.com');
  await page.waitForURL(/search=victim/);
  await page.getByText('v••@example.com').first().waitFor();
  await views.getByRole('link', { name: 'Overview' }).click();

  const { credits } = await auditedBalance(service, mallory);
  await page.getByRole('button', { name: 'Adjust Credits' }).click();
  const adjust = page.getByRole('dialog', { name: 'Adjust Credits' });
  await adjust.getByRole('textbox', { name: 'Credits' }).fill('40');
  await confirm(adjust, 'Adjust Credits', 'Goodwill');
  await page.getByText('Adjustment: Goodwill').waitFor();
  expect(await auditedBalance(service, mallory)).toEqual({ credits: credits + 40, debt: 0 });

  await page.getByRole('link', { name: 'All Accounts' }).click();
  await follow(page, '/operator/audit');
  const action = page.getByRole('row').filter({ hasText: 'Adjusted credits' }).first();
  await action.getByText('Goodwill').waitFor();
  await action.getByRole('link', { name: mallory.email }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await action.getByText('Reason: Goodwill').waitFor();
  await action.getByText('+40 credits', { exact: true }).waitFor();
  await action.getByText(`Account: ${mallory.email}`).waitFor();
  await page.setViewportSize({ width: 1280, height: 900 });
  await action.getByText('Adjusted credits').click();
  const entry = page.getByRole('dialog', { name: 'Adjusted credits' });
  await entry.getByText('Goodwill').waitFor();
});

test('a purchase is refunded in part, then disputed, and the accounting export has both', async () => {
  const paula = await sender(service, 'Paula', { credits: 0 });
  const { body } = await service.call(createIntent, {
    bearer: await signedIn(service, paula),
    body: priced(1_000),
  });
  await till.stripe.browser.confirmPayment(body.client_secret ?? '', GOOD);
  await eventually(async () => expect(await paula.balance()).toBe(1_000));

  await using tab = await till.stage.tab({ as: olivia, path: '/operator' });
  const { page } = tab;
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(`refund ${paula.email}`);
  await page.getByRole('option', { name: `Refund $18.00 · ${paula.email}` }).waitFor();
  await page.keyboard.press('Enter');
  const row = page.getByRole('row').filter({ hasText: paula.email });
  const dialog = page.getByRole('dialog', { name: 'Refund Purchase' });
  await dialog.getByLabel('Reason').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await row.getByRole('button', { name: 'Refund' }).click();
  await dialog.getByText('$18.00 can be refunded').waitFor();
  await dialog.getByLabel('Amount').fill('6.00');
  await confirm(dialog, 'Refund Purchase', 'Bought too many');
  await page.getByText('Purchase refunded', { exact: true }).waitFor();
  await row.getByText('Refunded in part').waitFor();
  await row.getByText('$6.00').waitFor();

  expect([...till.stripe.account.refunds.values()]).toMatchObject([{ amount: 600, status: 'succeeded' }]);
  await till.stripe.webhooks.drain();
  expect(await auditedBalance(service, paula)).toEqual({ credits: 667, debt: 0 });

  const intent = intentIdOf(body.client_secret ?? '');
  till.stripe.disputes.open(intent, { amount: 1_200, reason: 'product_not_received' });
  await eventually(async () => expect(await paula.balance()).toBe(0));
  await follow(page, '/operator');
  await page
    .getByRole('region', { name: 'Deployment' })
    .getByRole('link', { name: '1', exact: true })
    .click();
  const disputes = page.getByRole('region', { name: 'Disputes' });
  await disputes.getByText('Product not received').waitFor();
  await disputes.getByText('Needs response').waitFor();
  await disputes.getByText(/^Evidence is due by/).waitFor();
  const atStripe = disputes.getByRole('link', { name: 'Open in Stripe' });
  expect(await atStripe.getAttribute('href')).toMatch(
    new RegExp(`^https://dashboard\\.stripe\\.com/.*/${intent}$`),
  );
  await row.getByText('Disputed').waitFor();
  await page.getByRole('link', { name: '1 Open Dispute' }).waitFor();

  await page.getByRole('button', { name: 'Export for Accounting' }).click();
  const accounting = page.getByRole('dialog', { name: 'Export for Accounting' });
  await accounting.getByLabel('Period').selectOption('Other period');
  await accounting.getByLabel('From').fill('2020-01-01');
  await accounting.getByLabel('To').fill('2100-01-01');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    accounting.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const csv = await readFile(await download.path(), 'utf8');
  const own = csv.split('\r\n').filter((line) => line.includes(paula.email));
  expect(own.map((line) => line.split(',')[1])).toEqual(['"purchase"', '"refund"', '"dispute"']);
});

test('when a price changes during sends, each send costs the price in its response', async () => {
  const carol = await sender(service, 'Carol', { credits: 20_000 });
  await using here = load(carol);
  await using there = load(carol, other);

  await using tab = await till.stage.tab({ as: olivia, path: '/operator/prices' });
  const { page } = tab;
  await page.getByRole('button', { name: 'Add Price' }).click();
  await page.getByLabel('Channel of price 1').selectOption('sms');
  await page.getByLabel('Credits of price 1').fill('3');
  await page.getByRole('button', { name: 'Save Prices' }).click();
  await page.getByRole('dialog', { name: 'Save Prices' }).waitFor();
  await confirm(page.getByRole('dialog', { name: 'Save Prices' }), 'Save Prices', 'New contract');
  await page.getByText('Prices saved', { exact: true }).waitFor();
  for (const { answers } of [here, there])
    await eventually(() => expect(answers.at(-1)?.body.cost_credits).toBe(3));

  const all = [...(await here.stop()), ...(await there.stop())];
  expect(accepted(all)).toHaveLength(all.length);
  expect(new Set(all.map(({ body }) => body.cost_credits))).toEqual(new Set([1, 3]));
  const charged = await ledgerOf('usage', carol);
  for (const { body } of all) expect(charged.get(body.otp_id)).toBe(-body.cost_credits);
  expect(charged.size).toBe(all.length);
  await auditedBalance(service, carol);
});
