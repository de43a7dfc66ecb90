import { expect, test } from 'vitest';
import { doctorRuns, NOWHERE } from '../../../../test/doctor.ts';

const { printed } = doctorRuns();

test('the doctor reports every problem while the database is unavailable, and runs the other checks', async () => {
  const { code, text } = await printed({
    RETENTION_DAYS: '0',
    LOG_LEVEL: 'loud',
    DATABASE_URL: NOWHERE,
    TWILIO_FROM: '+15551234567',
  });
  expect(code).toBe(1);
  expect(text).toContain('problem  settings: RETENTION_DAYS must be at least 1');
  expect(text).toContain('problem  settings: LOG_LEVEL must be a level');
  expect(text).toContain('problem  settings: TWILIO_ACCOUNT_SID is missing');
  expect(text).toContain('problem  database: It cannot be used: the connection was refused.');
  expect(text).toContain('ok       stripe:');
});

test('the doctor reports no problem for a stopped sandbox', async () => {
  const { code, text } = await printed({});
  expect(text).toMatch(/warning {2}database: The embedded PostgreSQL of .* does not run/);
  expect(code).toBe(0);
});

test('the doctor prints no secrets', async () => {
  const secrets = {
    SECRET_KEY: 'server-key-canary',
    TWILIO_AUTH_TOKEN: 'carrier-token-canary',
    HTTP_CARRIER_SECRET: 'whsec_bad base64 canary',
    STRIPE_SECRET_KEY: 'stripe-key-canary',
    STRIPE_WEBHOOK_SECRET: 'stripe-webhook-canary',
  };
  const { text } = await printed({
    ...secrets,
    DATABASE_URL: NOWHERE,
    MIGRATE_DATABASE_URL: 'postgres://me:other%2Dpassword@127.0.0.1:8/nothing',
    SMTP_URL: 'smtp://user:mail%2Dpassword@127.0.0.1:8',
    EMAIL_FROM: 'a@acme.test',
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_FROM: '+12025550199',
    TWILIO_API_URL: 'http://127.0.0.1:8',
    HTTP_CARRIER_URL: 'http://127.0.0.1:8/send?token=in-the-address',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
    STRIPE_API_URL: 'http://127.0.0.1:8',
  });
  for (const secret of [
    ...Object.values(secrets),
    ...['a-password-of-mine', 'mail-password', 'mail%2Dpassword', 'other-password', 'in-the-address'],
  ])
    expect(text).not.toContain(secret);
  expect(text).toContain('problem  mail: 127.0.0.1:8 cannot be used: the connection was refused.');
  expect(text).toContain('problem  twilio: 127.0.0.1:8 cannot be reached: the connection was refused.');
  expect(text).toContain('problem  http carrier: 127.0.0.1:8 cannot be reached: the connection was refused.');
  expect(text).toContain('problem  stripe: Stripe cannot be reached: the connection was refused.');
});
