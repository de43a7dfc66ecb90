import { sendOtp } from '@sixdigit/contract/otp.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from '../../test/another-process.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';

test('two processes that exchange counts stay within ten percent of a limit', async () => {
  await using service = await testService();
  await using other = await anotherProcess(service);
  const alice = await service.customer('Alice', { credits: 1_000 });
  const { status } = await service.call(updateProtection, {
    bearer: await signedIn(service, alice),
    body: { rules: { prefix_velocity: { mode: 'enforce', limit: 40 } } },
  });
  expect(status).toBe(200);
  await other.app.protection.exchange();
  const keys = [alice.api_key];
  while (keys.length < 4) keys.push((await service.anotherKey(alice.account_id)).key);
  let accepted = 0;
  // Each round is a second of traffic: two sends on each process, then the exchange.
  for (let n = 0; n < 16; n++) {
    for (const [process, line] of [
      [service, 0],
      [other, 1],
      [service, 2],
      [other, 3],
    ] as const) {
      const recipient = `+1415555${1_000 + n * 4 + line}`;
      const answer = await process.call(sendOtp, {
        apiKey: keys[line] as string,
        body: { channel: 'sms', recipient },
      });
      if (answer.status === 201) accepted += 1;
    }
    for (const one of [service, other, service]) await one.app.protection.exchange();
  }
  expect(accepted).toBeGreaterThanOrEqual(40);
  expect(accepted).toBeLessThanOrEqual(44);
});
