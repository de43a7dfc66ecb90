import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANSWERS, type LookupFake, startLookup } from '../../server/test/fakes/lookup.ts';
import type { Person } from '../../server/test/person.ts';
import { eventually, expectAccessible, follow, openStage, type Stage } from './browser.ts';

/** Olivia sets up a look-up of numbers, and a customer refuses a line type by it. */
let stage: Stage;
let company: LookupFake;
let olivia: Person;

beforeAll(async () => {
  company = await startLookup();
  company.answer = () => ({ status: 200, body: ANSWERS.twilio('nonFixedVoip', null) });
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
});
afterAll(async () => {
  await stage?.close();
  await company.close();
});

test('an operator sets a look-up up and tests it, a customer refuses a line type by it, and the operator deletes it', async () => {
  await using console = await stage.tab({ as: olivia, path: '/operator/carriers' });
  const { page } = console;
  await page.getByRole('button', { name: 'Set Up Look-up' }).click();
  const add = page.getByRole('dialog', { name: 'Set Up Look-up' });
  await add.getByLabel('Account SID or API key').fill('AC123');
  await add.getByLabel('Auth token or secret').fill('a secret of the company');
  await add.getByLabel(/^API address/).fill(company.url);
  await add.getByLabel('Reason').fill('Less fraud');
  await add.getByRole('button', { name: 'Set Up Look-up' }).click();
  await add.waitFor({ state: 'hidden' });

  await page.getByRole('button', { name: 'Test Look-up' }).click();
  const tried = page.getByRole('dialog', { name: 'Test Look-up' });
  await tried.getByLabel('Phone number').fill('+1 415 555 2671');
  await tried.getByRole('button', { name: 'Look Up' }).click();
  await tried.getByText('Line type: Non-fixed VoIP').waitFor();
  await tried.getByRole('button', { name: 'Check Credentials' }).click();
  await tried.getByText(/accepts the credentials/).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Edit Look-up' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Look-up' });
  await edit.getByText(/^Set · ends in pany\. Leave it empty to keep it\./).waitFor();
  await expectAccessible(page);
  await edit.getByLabel('Look-ups per day of an account').fill('25');
  // The default of a second is short for a busy machine.
  await edit.getByLabel('Wait for an answer').fill('5000');
  await edit.getByLabel('Reason').fill('Less money');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await page.getByText('25 for an account').waitFor();

  const alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice);
  await using tab = await stage.tab({ as: alice, path: '/protection' });
  await tab.page.getByRole('button', { name: 'Show Look-ups' }).click();
  const form = tab.page.getByRole('form', { name: 'Number look-ups' });
  await form.getByRole('radiogroup', { name: 'Mode of Refused line types' }).getByText('Enforce').click();
  await form.getByLabel('Non-fixed VoIP').check();
  await form.getByRole('radiogroup', { name: 'Mode of Recent SIM changes' }).getByText('Enforce').click();
  await expectAccessible(tab.page);
  await form.getByRole('button', { name: 'Save Look-ups' }).click();
  await tab.page.getByText('Look-ups saved').waitFor();
  const { body } = await stage.service.call(sendOtp, {
    apiKey: key,
    body: { channel: 'sms', recipient: '+14155552672' },
  });
  expect(body).toMatchObject({ blocked_by: ['line_type'] });

  await page.bringToFront();
  await follow(page, '/operator/protection');
  await page.getByRole('button', { name: 'Change Look-up Rules' }).click();
  const rules = page.getByRole('dialog', { name: 'Look-up Rules' });
  await rules.getByRole('radiogroup', { name: 'Mode of Recent SIM changes' }).getByText('Enforce').click();
  await rules.getByLabel('No codes after a SIM change for').fill('0');
  await rules.getByLabel('Purposes (empty: all sends)').fill('Log in!');
  await rules.getByRole('button', { name: 'Save Rules' }).click();
  await rules.getByText('Enter a whole number from 1 to 2,400.').waitFor();
  await rules.getByText(/^Purposes consist of/).waitFor();
  await rules.getByText('Please enter a reason').waitFor();
  await rules.getByLabel('No codes after a SIM change for').fill('48');
  await rules.getByLabel('Purposes (empty: all sends)').fill('login, payment');
  await rules.getByLabel('Reason').fill('SIM swaps');
  await rules.getByRole('button', { name: 'Save Rules' }).click();
  await rules.waitFor({ state: 'hidden' });
  await page.getByRole('listitem').filter({ hasText: 'Recent SIM changes' }).getByText('Enforce').waitFor();
  await page.getByRole('button', { name: 'Change Look-up Rules' }).click();
  expect(await rules.getByLabel('Purposes (empty: all sends)').inputValue()).toBe('login, payment');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await follow(page, '/operator/carriers');
  await page.getByRole('button', { name: 'Delete Look-up' }).click();
  const remove = page.getByRole('dialog', { name: 'Delete Look-up' });
  await remove.getByLabel('Reason').fill('Too expensive');
  await expectAccessible(page);
  await remove.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No look-up is set up.').waitFor();
  await eventually(() => expect(stage.service.app.protection.guard.hasLookup()).toBe(false));
});
