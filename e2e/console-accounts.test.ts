import { afterAll, beforeAll, expect, test } from 'vitest';
import { getMe } from '#contract/accounts.ts';
import { sendOtp } from '#contract/otp.ts';
import { codeFor, type Person } from '../server/test/person.ts';
import { expectAccessible, openStage, type Stage } from './browser.ts';

/** Olivia, the first account of the sandbox, is its operator. Bob is a customer. */
let stage: Stage;
let olivia: Person;
let bob: Person;

beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  bob = await stage.signUp('Bob');
});
afterAll(() => stage?.close());

test('an operator looks into an account, changes its lost address, and erases it and a recipient', async () => {
  const recipient = 'pat.doe@example.com';
  const { key } = await stage.apiKey(bob);
  await stage.service.call(sendOtp, { apiKey: key, body: { channel: 'email', recipient } });
  await stage.service.app.requestLog.flush();
  const { id } = (await stage.service.call(getMe, { bearer: bob.access })).body;

  await using tab = await stage.tab({ as: olivia });
  const { page } = tab;
  const more = async (name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name }).click();
  };

  // what Bob sees, masked
  await page.goto(`/operator/accounts/${id}`);
  const views = page.getByRole('navigation', { name: 'Account', exact: true });
  await views.getByRole('link', { name: 'Requests' }).click();
  await page.getByText('p••@example.com').waitFor();
  await page.getByRole('button', { name: 'Reveal' }).click();
  const reveal = page.getByRole('dialog', { name: 'Reveal Recipient' });
  await reveal.getByLabel('Reason').fill('Ticket 4711');
  await reveal.getByRole('button', { name: 'Reveal' }).click();
  await page.getByText(recipient).waitFor();
  await views.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('This account has no webhook endpoints.').waitFor();
  await views.getByRole('link', { name: 'Payments' }).click();
  await page.getByText('Email verification').waitFor();
  await views.getByRole('link', { name: 'Blocks' }).click();
  await page.getByText('No send of this account looked suspicious.').waitFor();
  await views.getByRole('link', { name: 'Activity' }).click();
  await page.getByText('Viewed protected data').waitFor();
  await expectAccessible(page);

  // a new address, with the code that Bob reads out
  await more('Change Email');
  const change = page.getByRole('dialog', { name: 'Change Email' });
  await change.getByLabel('New email address').fill('bob.new@people.test');
  await change.getByLabel('Reason').fill('Lost the mailbox');
  await change.getByRole('button', { name: 'Send Code' }).click();
  await change.getByText(/A code was sent to b/).waitFor();
  await expectAccessible(page);
  await change.getByLabel('Code', { exact: true }).fill(await codeFor(stage.service, 'bob.new@people.test'));
  await change.getByRole('button', { name: 'Change Email' }).click();
  await page.getByRole('heading', { name: 'bob.new@people.test' }).waitFor();
  expect((await stage.service.call(getMe, { bearer: bob.access })).status).toBe(401);

  // the end of the account
  await more('Erase Account');
  const erase = page.getByRole('dialog', { name: 'Erase Account' });
  await erase.getByLabel('Email address of the account').fill(bob.email);
  await erase.getByLabel('Reason').fill('Asked for it');
  await erase.getByRole('button', { name: 'Erase Account' }).click();
  await erase.getByText('This is not the email address of the account.').waitFor();
  await erase.getByLabel('Email address of the account').fill('bob.new@people.test');
  await erase.getByRole('button', { name: 'Erase Account' }).click();
  await page.getByRole('heading', { name: 'Deleted account' }).waitFor();

  // a recipient, in all accounts
  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Opt-outs' }).click();
  await page.getByLabel('Phone number or email address').fill(recipient);
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  const confirm = page.getByRole('dialog', { name: 'Erase Recipient' });
  await confirm.getByLabel('Reason').fill('Privacy request');
  await confirm.getByRole('button', { name: 'Erase Recipient' }).click();
  const erasures = page.getByRole('list', { name: 'Latest erasures' });
  await erasures.getByText('p••@example.com').waitFor();
  await stage.service.drain();
  await erasures.getByText(/Erased, \d+ rows/).waitFor();
  await expectAccessible(page);
});
