import { describe, expect, test } from 'vitest';
import { createLog } from './log.ts';

/** One entry as the log writes it. */
function written(log: (to: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  log(createLog('trace', { write: (line: string) => void lines.push(line) }));
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const SECRETS = {
  'an API key': 'sd_live_0123456789abcdefghijABCDEFGHIJ01012345',
  'a test key': 'sd_test_0123456789abcdefghijABCDEFGHIJ01012345',
  'an operator key': 'sd_operator_0123456789abcdefghijABCDEFGHIJ01012345',
  'a webhook secret': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'a key of the card provider': 'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'a restricted key of the card provider': 'rk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'the client secret of a payment': 'pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH',
  'a bearer token': 'Bearer AAECAwQFBgc.c2lnbmF0dXJl',
};

describe.each(Object.entries(SECRETS))('%s', (_, secret) => {
  const hidden = secret.replace(/^Bearer /, '').slice(-12);

  test('a logged secret is redacted in every message, field, list and nested object', () => {
    for (const line of [
      written((log) => log.info(`The call came with ${secret} in it`)),
      written((log) => log.info({ note: `It was ${secret}.` }, 'a call')),
      written((log) => log.info({ a: { b: [{ c: `x ${secret}` }] } }, 'a call')),
    ])
      expect(line).not.toContain(hidden);
  });

  test('a logged secret is redacted in the message, stack and cause of an error', () => {
    const cause = new Error(`Inner: ${secret}`);
    const error = new Error(`Refused: ${secret}`, { cause });
    const line = written((log) => log.error({ err: error }, 'request failed'));
    expect(line).not.toContain(hidden);
    expect(JSON.parse(line).err).toMatchObject({
      name: 'Error',
      message: 'Refused: [redacted]: Inner: [redacted]',
    });
  });
});

test('the log removes credentials from URLs, even inside a message, and keeps the host', () => {
  const error = new Error('no route to postgres://app:hunter22@db:5432/x');
  for (const line of [
    written((log) => log.warn({ err: error }, 'database unavailable')),
    written((log) => log.warn({ err: error })),
    written((log) => log.warn(error)),
    written((log) => log.warn(error.message)),
  ]) {
    expect(line).not.toContain('hunter22');
    expect(line).toContain('@db:5432/x');
  }
});

test.each([
  'code',
  'codes',
  'password',
  'confirm_password',
  'current_password',
  'secret',
  'token',
  'tokens',
  'access',
  'refresh',
  'session_token',
  'key',
  'api_key',
  'authorization',
  'Authorization',
  'x-api-key',
  'text',
  'html',
  'message_body',
  'client_secret',
  'recipient',
  'to',
  'cookie',
])('the log never contains the value of the field %s, at any depth', (name) => {
  const value = 'plainvalue';
  for (const fields of [
    { [name]: value },
    { a: { b: { [name]: value } } },
    { list: [{ [name]: value }] },
    { [name]: { inner: value } },
  ])
    expect(written((log) => log.info(fields, 'an event'))).not.toContain(value);
});

test('the log contains no bytes and truncates deep nesting', () => {
  const bytes = Buffer.from('plainvalue');
  expect(written((log) => log.info({ bytes }, 'an event'))).toContain('[bytes]');
  const deep = { a: { b: { c: { d: { e: { f: { g: { h: 'plainvalue' } } } } } } } };
  expect(written((log) => log.info(deep, 'an event'))).not.toContain('plainvalue');
});

test('the log leaves text without secrets unchanged', () => {
  const line = JSON.parse(
    written((log) => log.info({ otp_id: 'x', n: 3, at: new Date(0) }, 'Sent to a carrier')),
  );
  expect(line).toMatchObject({ otp_id: 'x', n: 3, at: '1970-01-01T00:00:00.000Z', msg: 'Sent to a carrier' });
});
