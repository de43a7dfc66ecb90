import { sendOtp } from '@sixdigit/contract/otp.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { follow, openStage, type Stage } from './browser.ts';
import { sendCode, verifyCode } from './codes.ts';
import { rows } from './lists.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const stepsOf = (page: Page) => page.getByRole('region', { name: 'First steps' });

test('a visitor gets from the sign-up to a verified code in one tab with seven clicks, besides the copy of the key', async () => {
  await using tab = await stage.tab({ path: '/sign-up' });
  const { page } = tab;
  const steps = stepsOf(page);
  let clicks = 0;
  const click = async (name: string): Promise<void> => {
    await page
      .getByRole('button', { name, exact: true })
      .or(page.getByRole('link', { name, exact: true }))
      .click();
    clicks += 1;
  };
  await page.getByLabel('Email').fill('fast@people.test');
  await page.getByLabel('Phone number').fill('4155552672');
  await page.getByLabel('Password', { exact: true }).fill('a good long password');
  await page.getByLabel('Confirm password').fill('a good long password');
  await click('Sign Up');
  await page.getByText('Caught by the sandbox.').waitFor();
  await click('Use This Code');

  await steps.getByText('0 of 4 done').waitFor();
  await click('Create API Key');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Shop');
  await dialog.getByRole('button', { name: 'Create API Key' }).click();
  clicks += 1;
  await page.getByRole('heading', { name: 'Your New API Key' }).waitFor();
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => tab.clipboard()).toMatch(/^sd_live_[0-9A-Za-z]{38}$/);
  await click("I've Copied the Key");

  // The dialogs lead back to the steps.
  await steps.getByText('1 of 4 done').waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  await steps.getByText('Sends a code to fast@people.test with the key Shop.').waitFor();
  await click('Send Code');
  await steps.getByText('Email to fast@people.test').waitFor();
  await click('Verify Code');
  await steps.getByText('3 of 4 done').waitFor();
  expect(clicks).toBe(7);
  expect(page.context().pages()).toHaveLength(1);
});

test('the steps turn green when the pasted commands arrive, and show their responses', async () => {
  const newcomer = await stage.signUp('Newcomer');
  await using tab = await stage.tab({ as: newcomer, path: '/' });
  const { page } = tab;
  const steps = stepsOf(page);
  await steps.getByText('0 of 4 done').waitFor();
  await page.getByRole('heading', { name: 'No verifications yet' }).waitFor();
  await page.getByText('No OTPs have been sent yet.').waitFor();

  // The logs of an account without requests show a sample call.
  await follow(page, '/logs');
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Create API Key' }).waitFor();
  await page
    .getByRole('region', { name: 'Send a code' })
    .getByText(`${stage.url}/api/v1/otp/send/`)
    .waitFor();
  await follow(page, '/');

  const { key } = await stage.apiKey(newcomer, 'Shop');
  await steps.getByText('1 of 4 done').waitFor();
  await steps.getByText('Listening for your request.').waitFor();
  // The sample contains this deployment's address and the reader's e-mail address.
  await steps.getByText(`"recipient":"${newcomer.email}"`).waitFor();

  // A refused request is shown with its reason.
  const refused = await stage.service.call(sendOtp, {
    apiKey: key,
    body: { channel: 'sms', recipient: '+442079460000' },
  });
  expect(refused.status).toBe(400);
  await steps.getByText('400', { exact: true }).waitFor();
  await steps.getByText('The response names the field and says what is accepted.').waitFor();

  const otp_id = await sendCode(stage, key, newcomer.email, 'email');
  await steps.getByText('2 of 4 done').waitFor();
  const sent = steps.getByRole('region', { name: 'The response to your send request' });
  await sent.getByText(`"otp_id": "${otp_id}"`).waitFor();
  await sent.getByText('"status": "pending"').waitFor();
  await rows(page, 'Verifications')
    .filter({ hasText: newcomer.email.slice(0, 20) })
    .waitFor();

  await verifyCode(stage, key, otp_id, true);
  await steps.getByText('"reason": "invalid_code"').waitFor();
  await verifyCode(stage, key, otp_id);
  await steps.getByText('3 of 4 done').waitFor();
  // The newest response is open, and the one before can be opened again.
  await sent.waitFor({ state: 'hidden' });
  const verified = steps.getByRole('region', { name: 'The response to your verify request' });
  await verified.getByText('"status": "verified"').waitFor();
  await steps.getByText('Show response').click();
  await sent.getByText('"status": "pending"').waitFor();
  await stage.service.call(createWebhook, {
    bearer: newcomer.access,
    body: { name: 'Mine', url: 'http://127.0.0.1:9/nowhere' },
  });
  await steps.waitFor({ state: 'detached' });
});
