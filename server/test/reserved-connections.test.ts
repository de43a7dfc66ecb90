import { sendOtp } from '@sixdigit/contract/otp.ts';
import { listWebhooks } from '@sixdigit/contract/webhooks.ts';
import { expect, test } from 'vitest';
import { fixture } from './fixture.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));

test('a send is accepted and dispatched while statements of others hold every connection that they may use', async () => {
  const { db } = service.app;
  const release = Promise.withResolvers<void>();
  const held = Array.from({ length: 40 }, () => db.transaction(() => release.promise));
  await expect.poll(() => db.connections().waiting).toBeGreaterThan(0);
  try {
    const { status } = await service.call(sendOtp, {
      apiKey: alice.api_key,
      body: { channel: 'sms', recipient: '+14155552671' },
    });
    expect(status).toBe(201);
    expect(db.connections().waiting).toBeGreaterThan(0);
  } finally {
    release.resolve();
    await Promise.all(held);
  }
  const { status } = await service.call(listWebhooks, { bearer: await signedIn(service, alice) });
  expect(status).toBe(200);
});
