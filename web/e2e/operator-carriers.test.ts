import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPANIES } from '../../server/test/fakes/companies/companies.ts';
import { startCompany } from '../../server/test/fakes/companies/company.ts';
import { type HttpCarrierFake, startHttpCarrier } from '../../server/test/fakes/http-carrier.ts';
import type { Person } from '../../server/test/person.ts';
import { sender } from '../../server/test/sender.ts';
import { eventually, expectAccessible, openStage, type Stage } from './browser.ts';

/** Olivia sets up a carrier in the console while the service runs. */
let stage: Stage;
let gateway: HttpCarrierFake;
let olivia: Person;

beforeAll(async () => {
  gateway = await startHttpCarrier({ secret: 'the first secret of the gateway' });
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
});
afterAll(async () => {
  await stage?.close();
  await gateway.close();
});

const expectFocus = (page: Page, name: string) =>
  eventually(async () => expect(await page.evaluate('document.activeElement?.textContent')).toBe(name));

test('an operator adds a carrier, tests it, sends a code through it, replaces its secret and deletes it', async () => {
  const alice = await sender(stage.service, 'Alice', { credits: 100 });
  await using tab = await stage.tab({ as: olivia, path: '/operator/carriers' });
  const { page } = tab;
  // Two changes are refused on purpose.
  tab.expectError(/carrier-setups|The secret must have|Turn the carrier off first/);
  await page.getByRole('heading', { name: 'No real carrier yet' }).waitFor();

  await page.getByRole('button', { name: 'Add Carrier' }).focus();
  await page.keyboard.press('Enter');
  const add = page.getByRole('dialog', { name: 'Add Carrier' });
  await add.getByLabel('Mail server').waitFor();
  await add.getByLabel('Kind').selectOption('http');
  await expect.poll(() => add.getByLabel('Name').inputValue()).toBe('gateway');
  await add.getByLabel('URL').fill(gateway.url);
  await add.getByLabel('Signing secret').fill('short');
  await add.getByLabel('Reason').fill('First carrier');
  await add.getByRole('button', { name: 'Add Carrier' }).click();
  await add.getByText('The secret must have at least 16 bytes.').waitFor();
  await expect.poll(() => add.getByLabel('URL').inputValue()).toBe(gateway.url);
  await expectAccessible(page);
  await add.getByLabel('Signing secret').fill('not the secret of the gateway');
  await add.getByRole('button', { name: 'Add Carrier' }).click();

  const tried = page.getByRole('dialog', { name: 'Test gateway' });
  await tried.getByLabel('Phone number').fill('+1 415 555 2671');
  await tried.getByRole('button', { name: 'Send Test Message' }).click();
  await tried.getByText(/^Refused after/).waitFor();
  await tried.getByText('The carrier replied: “{"reason":"bad_signature"}”').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await tried.waitFor({ state: 'hidden' });
  await expectFocus(page, 'Add Carrier');

  await page.getByRole('button', { name: 'Edit gateway' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit gateway' });
  const secret = edit.getByLabel('Signing secret');
  await expect.poll(() => secret.inputValue()).toBe('');
  await edit.getByText(/^Set · ends in eway\. Leave it empty to keep it\./).waitFor();
  await expectAccessible(page);
  await secret.fill(gateway.secret);
  await edit.getByLabel('Reason').fill('Wrong secret');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await page.getByText('Carrier changed', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Test gateway' }).click();
  await tried.getByLabel('Phone number').fill('+1 415 555 2671');
  await tried.getByRole('button', { name: 'Send Test Message' }).click();
  await tried.getByText(/^Accepted after/).waitFor();
  expect(gateway.messagesTo('+14155552671')).toHaveLength(1);
  await tried.getByRole('button', { name: 'Close', exact: true }).last().click();

  await alice.sent('+14155552672');
  await expect.poll(() => gateway.messagesTo('+14155552672')[0]?.code).toMatch(/^\d{6}$/);

  await page.getByRole('button', { name: 'Delete gateway' }).click();
  const remove = page.getByRole('dialog', { name: 'Delete gateway' });
  await remove.getByLabel('Reason').fill('No longer used');
  await remove.getByRole('button', { name: 'Delete' }).click();
  await remove.getByText('Turn the carrier off first, so that it gets no more messages.').waitFor();
  await expectAccessible(page);
  await remove.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Turn Off gateway' }).click();
  const off = page.getByRole('dialog', { name: 'Turn Off gateway' });
  await off.getByLabel('Reason').fill('No longer used');
  await expectAccessible(page);
  await off.getByRole('button', { name: 'Turn Off' }).click();
  await page.getByText('Off', { exact: true }).waitFor();
  await eventually(() =>
    expect(stage.service.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['sandbox']),
  );
  await stage.service.clock.advance(16_000);
  await page.getByRole('button', { name: 'Delete gateway' }).click();
  await remove.getByLabel('Reason').fill('No longer used');
  await remove.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No real carrier yet' }).waitFor();
});

test('an operator describes a company as a record, and sees its request and the meaning of a report', async () => {
  await using tab = await stage.tab({ as: olivia, path: '/operator/carriers' });
  const { page } = tab;
  await page.getByRole('button', { name: 'Add Carrier' }).click();
  const add = page.getByRole('dialog', { name: 'Add Carrier' });
  await add.getByLabel('Kind').selectOption('custom');
  await add.getByText('The record cannot be used yet').waitFor();
  await expectAccessible(page);
  await add.getByLabel('Begin with the record of').selectOption('46elks');
  const request = add.getByRole('region', { name: 'Example request' });
  await request.getByText('to=+14155552671').waitFor();
  await request.getByText('authorization: Basic base64({username}:{password})').waitFor();
  await add.getByLabel('Address', { exact: true }).fill('{api_url}/v2/texts');
  await request.getByText('/v2/texts').waitFor();
  await add.getByLabel('Sample report').fill('id=s1&status=delivered');
  await add.getByText('Delivered', { exact: true }).waitFor();
  await add.getByLabel('Sample report').fill('id=s1&status=new');
  await add.getByText('Unknown: changes nothing').waitFor();
  await expectAccessible(page);
  await add.getByText('JSON', { exact: true }).click();
  await add.getByRole('textbox', { name: 'Record' }).fill('{');
  await add.getByText('The record is not valid JSON.').waitFor();
  await expectAccessible(page);
  await add.getByRole('button', { name: 'Cancel' }).click();
});

test('an operator goes from the sandbox to the first real code, step by step', async () => {
  await using tab = await stage.tab({ as: olivia, path: '/operator/carriers' });
  const { page } = tab;
  const step = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  await page.getByRole('link', { name: 'Send the first real code step by step' }).click();
  await page.getByText('0 of 4 done').waitFor();
  await page.getByRole('combobox', { name: 'Country of your first recipients' }).fill('India');
  await page.getByRole('option', { name: /^India/ }).click();
  await page.getByText(/DLT portal/).waitFor();
  await page.getByLabel('Company', { exact: true }).fill('sweden');
  await page.getByRole('button', { name: 'Set up Sinch' }).waitFor();
  await page.getByLabel('Company', { exact: true }).fill('gateway');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set up HTTP gateway' }).click();
  const add = page.getByRole('dialog', { name: 'Add Carrier' });
  await add.getByLabel('URL').fill(gateway.url);
  await add.getByLabel('Signing secret').fill(gateway.secret);
  await add.getByLabel('Reason').fill('First carrier');
  await add.getByRole('button', { name: 'Add Carrier' }).click();
  const tried = page.getByRole('dialog', { name: 'Test gateway' });
  await tried.getByLabel('Phone number').fill('+1 415 555 2673');
  await tried.getByRole('button', { name: 'Send Test Message' }).click();
  await tried.getByText(/^Accepted after/).waitFor();
  await tried.getByRole('button', { name: 'Close', exact: true }).last().click();
  await step('See the delivery report arrive')
    .getByText(/Waiting for the delivery report/)
    .waitFor();
  await page.getByText('2 of 4 done').waitFor();
  await expectAccessible(page);
  await stage.service.clock.advance(61_000);
  await page.getByText('No report within a minute').waitFor();
  await expectAccessible(page);
  const [message] = gateway.messagesTo('+14155552673');
  if (!message) throw new Error('The gateway got no message');
  const { pathname, search } = new URL(message.status_url ?? '');
  await gateway.report(message, 'delivered', { url: `${stage.url}${pathname}${search}` });
  await page.getByText('3 of 4 done').waitFor();
  await page.reload();
  await page.getByText('3 of 4 done').waitFor();
  await page.getByRole('button', { name: 'Turn On gateway' }).click();
  const on = page.getByRole('dialog', { name: 'Turn On gateway' });
  await on.getByLabel('Reason').fill('It works');
  await on.getByRole('button', { name: 'Turn On' }).click();
  await page.getByText('4 of 4 done').waitFor();
  await page.getByRole('link', { name: 'Send the First Code' }).waitFor();
  await expectAccessible(page);
});

test('an operator sets up WhatsApp, and its template at Meta', async () => {
  const whatsapp = COMPANIES.find(({ kind }) => kind === 'whatsapp');
  if (!whatsapp) throw new Error('WhatsApp has a fake');
  await using meta = await startCompany(whatsapp, () => stage.service.app.clock.now());
  await using tab = await stage.tab({ as: olivia, path: '/operator/carriers' });
  const { page } = tab;
  await page.getByRole('button', { name: 'Add Carrier' }).click();
  const add = page.getByRole('dialog', { name: 'Add Carrier' });
  await add.getByLabel('Kind').selectOption('whatsapp');
  await add.getByLabel('Phone number ID').fill('101');
  await add.getByLabel('Account ID').fill('201');
  await add.getByLabel('Access token').fill('meta-token');
  await add.getByLabel('App secret').fill('meta-app-secret');
  await add.getByLabel('API address').fill(meta.url);
  await add.getByLabel('Reason').fill('Cheaper than SMS');
  await add.getByRole('button', { name: 'Add Carrier' }).click();

  const tried = page.getByRole('dialog', { name: 'Test whatsapp' });
  await tried.getByRole('button', { name: 'Set Up at Meta' }).click();
  await tried.getByText('approved in 40 of 40 languages, and the app is subscribed.').waitFor();
  await expectAccessible(page);
  await tried.getByLabel('Phone number').fill('+1 415 555 2673');
  await tried.getByRole('button', { name: 'Send Test Message' }).click();
  await tried.getByText(/^Accepted after/).waitFor();
  expect(meta.messageTo('+14155552673').text).toBe('000000');
  await tried.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByText('Verify token').waitFor();
});
