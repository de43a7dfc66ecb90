import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccessible, follow, openStage, type Stage } from './browser.ts';
import { sendCode, verifyCode } from './codes.ts';
import { rows } from './lists.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test('the first steps lead a new account to a verified code and mark each completed step', async () => {
  const newcomer = await stage.signUp('Newcomer');
  await using tab = await stage.tab({ as: newcomer, path: '/' });
  const { page } = tab;
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByText('0 of 4 done').waitFor();
  await page.getByRole('heading', { name: 'No verifications yet' }).waitFor();
  await page.getByText('No OTPs have been sent yet.').waitFor();

  // The logs of an account without requests show a sample call.
  await follow(page, '/logs');
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await page
    .getByRole('region', { name: 'Send a code' })
    .getByText(`${stage.url}/api/v1/otp/send/`)
    .waitFor();
  await follow(page, '/');

  await steps.getByRole('link', { name: 'Create API Key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Shop');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your New API Key' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
  const key = await tab.clipboard();
  expect(key).toMatch(/^sd_live_[0-9A-Za-z]{38}$/);
  await page.getByRole('button', { name: "I've Copied the Key" }).click();
  await follow(page, '/');
  await steps.getByText('1 of 4 done').waitFor();
  // The sample contains this deployment's address and the reader's e-mail address.
  await steps.getByText(`"recipient":"${newcomer.email}"`).waitFor();

  const otp_id = await sendCode(stage, key, newcomer.email, 'email');
  await steps.getByText('2 of 4 done').waitFor();
  await rows(page, 'Verifications')
    .filter({ hasText: newcomer.email.slice(0, 20) })
    .waitFor();
  await steps.getByText(otp_id).waitFor();
  await expectAccessible(page);

  await verifyCode(stage, key, otp_id, newcomer.email);
  await steps.getByText('3 of 4 done').waitFor();
  await stage.service.call(createWebhook, {
    bearer: newcomer.access,
    body: { name: 'Mine', url: 'http://127.0.0.1:9/nowhere' },
  });
  await steps.waitFor({ state: 'detached' });
});
