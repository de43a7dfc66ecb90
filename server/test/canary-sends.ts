import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import {
  createConnection,
  rotateConnection,
  testConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import {
  createWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '@sixdigit/contract/webhooks.ts';
import { expect } from 'vitest';
import type { CanaryStage, Somebody } from './canary-service.ts';
import { numberOf } from './fakes/behaviour.ts';

const MINUTE = 60_000;

/** Keys, endpoints that fail and echo their requests, secrets generated, chosen and rotated. */
export async function useEndpoints(stage: CanaryStage, somebody: Somebody): Promise<void> {
  const { receiver, watch, call, must } = stage;
  const bearer = somebody.access;
  const key = await must(createApiKey, { bearer, body: { name: 'Key of Ana' } });
  somebody.apiKey = key.key;
  const own = watch('webhook secret', 'canary-of-a-secret-of-her-own');
  const token = watch('webhook address', 'canary-in-an-address');
  const hook = { name: 'Hook', url: receiver.at(`/echo?token=${token}`) };
  const echo = await must(createWebhook, { bearer, body: { ...hook, secret: own } });
  const made = await must(createWebhook, { bearer, body: { ...hook, url: receiver.at('/ok') } });
  await must(rotateWebhookSecret, { bearer, params: { id: made.id } });
  await must(updateWebhook, {
    bearer,
    params: { id: echo.id },
    body: { ...hook, secret: watch('webhook secret', 'canary-of-her-second-secret') },
  });
  await call(createWebhook, {
    bearer,
    body: { ...hook, secret: `whsec_${watch('webhook secret', 'canary!of!no!base64')}` },
  });
  await call(createWebhook, { bearer, body: { ...hook, url: `ftp://u:${token}@127.0.0.1/` } });
  await must(createWebhook, { bearer, body: { ...hook, url: `http://127.0.0.1:1/${token}` } });
  await must(testWebhook, { bearer, params: { id: echo.id } });
  await must(testWebhook, { bearer, params: { id: made.id } });
}

/** Codes on every channel, through carriers that refuse, disconnect, echo and report. */
export async function sendCodes(stage: CanaryStage, somebody: Somebody): Promise<void> {
  const { service, twilio, gateway, canaries, call, must, arrived, learnCodes } = stage;
  const { apiKey } = somebody;
  const sent = new Map<string, string>();
  const send = async (channel: 'sms' | 'voice' | 'email', recipient: string) => {
    const { otp_id } = await must(sendOtp, { apiKey, body: { channel, recipient } });
    sent.set(recipient, otp_id);
    return otp_id;
  };
  for (const recipient of [
    ...['echo', 'refuse', 'defer', 'reject', 'busy', 'drop', 'reset', 'fine'].map((one) => `${one}@m.test`),
  ])
    await send('email', recipient);
  const { hang: _slow, slow: _late, ...numbers } = numberOf;
  for (const number of Object.values(numbers)) await send('sms', number);
  await send('voice', '+14155550103');
  await service.drain();
  learnCodes();
  for (const after of [11_000, MINUTE]) {
    await service.clock.advance(after);
    await service.drain();
    learnCodes();
  }
  for (const message of twilio.messages.filter(({ statusCallback }) => statusCallback).slice(0, 3))
    await twilio.report(message, message.kind === 'call' ? 'busy' : 'undelivered', { errorCode: 30003 });
  for (const message of gateway.messages)
    await gateway.report(message, 'failed', { reason: `code_${message.code}` });
  const spoken = await arrived('+14155550103');
  expect(spoken).toMatch(/^\d{8}$/);
  await twilio.text(`${service.app.config.publicUrl}${API_BASE}/carriers/twilio/inbound/`, {
    from: '+14155550104',
    body: `I got ${spoken}, what is it?`,
  });
  expect(canaries.filter(({ kind }) => kind === 'code').length).toBeGreaterThan(12);

  const code = await arrived('fine@m.test');
  const otp_id = sent.get('fine@m.test') ?? '';
  const headers = { 'idempotency-key': 'verify-1' };
  await call(verifyOtp, { apiKey, body: { otp_id, code: `${code} or so` } });
  await call(verifyOtp, { apiKey, body: { otp_id: code, code } });
  await call(verifyOtp, { apiKey, body: { otp_id, code: code === '00000000' ? '1' : '00000000' } });
  await must(verifyOtp, { apiKey, body: { otp_id, code }, headers });
  await must(verifyOtp, { apiKey, body: { otp_id, code }, headers });
  await call(verifyOtp, { apiKey, body: { otp_id, code } });
  // A code typed into the wrong field.
  await call(sendOtp, { apiKey, body: { channel: code, recipient: 'fine@m.test' } as never });
  await call(verifyOtp, { apiKey: somebody.access, body: { otp_id, code } });
}

/** Connections with generated, chosen and rotated secrets, and with codes of their systems, right and wrong. */
export async function useConnections(stage: CanaryStage, somebody: Somebody): Promise<void> {
  const { service, watch, must } = stage;
  const { access: bearer } = somebody;
  const made = await must(createConnection, { bearer, body: { system: 'authentik', name: 'Sign-in' } });
  const first = watch('connection secret', made.secret);
  const params = { id: made.id };
  const rotated = await must(rotateConnection, { bearer, params, body: {} });
  watch('connection secret', rotated.secret);
  const own = watch('connection secret', 'canary-of-a-signing-key');
  await must(updateConnection, { bearer, params, body: { secret: own } });
  const ask = (secret: string, body: object) =>
    service.inject({
      method: 'POST',
      url: `${API_BASE}/in/${made.id}/sms`,
      headers: { authorization: `Bearer ${secret}` },
      payload: body,
    });
  const code = watch('code', '8642097531');
  for (const secret of [own, rotated.secret, first, 'wrong'])
    await ask(secret, { From: 'x', To: '+14155550105', Body: code, Message: `Use ${code}` });
  await ask(own, { From: 'x', To: code, Body: code });
  await ask(own, { From: 'x', To: '+14155550105', Body: `${code}${code}` });
  await must(testConnection, { bearer, params, body: { recipient: '+14155550106' } });
  await service.drain();
}
