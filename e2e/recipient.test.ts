import { sendOtp } from '@sixdigit/contract/otp.ts';
import { denyDestination } from '@sixdigit/contract/protection/protection.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../server/test/person.ts';
import { openStage, type Stage, settled, sharedTab } from './browser.ts';
import { sendCode } from './codes.ts';

let stage: Stage;
let alice: Person;
const NUMBER = '+14155552001';

beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
  const { key } = await stage.apiKey(alice, 'Shop');
  await sendCode(stage, key, NUMBER);
  const body = { kind: 'number', value: NUMBER } as const;
  expect((await stage.service.call(denyDestination, { bearer: alice.access, body })).status).toBe(200);
  await stage.service.clock.advance(1_000);
  const refused = await stage.service.call(sendOtp, {
    apiKey: key,
    body: { channel: 'sms', recipient: NUMBER },
  });
  expect(refused.status).toBe(400);
  await stage.service.app.requestLog.flush();
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/' }));
const sheet = () => tab().page.getByRole('dialog', { name: 'Recipient History' });

test('a search for a number in any spelling leads to one answer, its timeline and a sentence for support', async () => {
  const { page } = tab();
  const toolbarHeight = async () => (await page.locator('[data-toolbar]').boundingBox())?.height;
  await settled(page);
  const height = await toolbarHeight();
  await page.getByRole('searchbox').fill('001 415 555-2001');
  const history = page.getByRole('button', { name: 'Recipient History' });
  await history.waitFor();
  await expect.poll(toolbarHeight).toBe(height);
  await history.press('Enter');
  await sheet()
    .getByText(
      'Sending to this destination is blocked. To send to it again, remove the entry from the deny list in Protection.',
    )
    .waitFor();
  await expect
    .poll(() => sheet().getByRole('list').getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/Sending to this destination is blocked\. Blocked by: Deny list\./),
      expect.stringContaining('SMS code'),
    ]);
  await sheet().getByRole('button', { name: 'Copy Answer for Support' }).click();
  await page.getByText('Copied to clipboard!').waitFor();
  await page.keyboard.press('Escape');
  await sheet().waitFor({ state: 'detached' });
});

test('the palette opens the history of a complete number', async () => {
  const { page } = tab();
  const history = page.getByRole('option', { name: /Recipient history of/ });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('1 415 555 200');
  await page.getByRole('option', { name: '+1 415 555 2001', selected: true }).waitFor();
  await expect.poll(() => history.count()).toBe(0);
  await page.keyboard.type('1');
  await history.and(page.locator('[aria-selected="true"]')).click();
  await sheet().getByRole('heading', { name: 'Timeline' }).waitFor();
});

test('the log shows the reason of a refusal and the response that the caller got', async () => {
  const { page } = tab();
  await sheet()
    .getByRole('link', { name: /^View Request/ })
    .click();
  const details = page.getByRole('dialog', { name: 'Request Details' });
  await details.getByRole('heading', { name: 'Response', exact: true }).waitFor();
  await details.getByText('"reason": "destination_blocked"').waitFor();
  const response = await details.getByRole('region', { name: 'The response' }).innerText();
  expect(JSON.parse(response)).toMatchObject({ reason: 'destination_blocked' });
});
