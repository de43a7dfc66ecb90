import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ServiceWithCarriers, serviceWithCarriers } from '../../../test/carriers.ts';
import { noticeJobs } from './jobs.ts';
import { postNotice } from './notices.ts';

/** Notices are posted during a two-minute outage in which the mail server's port is closed. */
const OUTAGE_SECONDS = 120;

let service: ServiceWithCarriers;
beforeEach(async () => {
  service = await serviceWithCarriers(['smtp']);
});
afterEach(() => service[Symbol.asyncDispose]());

/** Advances the clock in the steps of a polling worker. */
async function pass(seconds: number, until = () => false): Promise<number> {
  const [job] = noticeJobs(service.app);
  for (let passed = 0; passed <= seconds; passed += 2) {
    while (await job?.run(service.worker));
    await job?.idle?.();
    if (until()) return passed;
    await service.clock.advance(2_000);
  }
  return Number.POSITIVE_INFINITY;
}

const post = (recipient: string, lifeSeconds: number) => {
  const { app } = service;
  return app.db.transaction((tx) =>
    postNotice(tx, app, {
      channel: 'email',
      recipient,
      code: '314159',
      contents: { kind: 'signInCode', expiresInSeconds: lifeSeconds },
      expires_at: new Date(app.clock.now().getTime() + lifeSeconds * 1_000).toISOString(),
    }),
  );
};

test.each([
  ['a notice with a five-minute code', 300, 30],
  ['a notice with a half-hour link', 1_800, 115],
])('%s arrives once, soon after a two-minute outage of the mail server', async (_, life, within) => {
  const port = Number(new URL(service.smtp.url).port);
  await service.smtp.close();
  const recipients = Array.from({ length: 8 }, (_, n) => `reader+${n}@people.test`);
  for (const recipient of recipients) await post(recipient, life);
  await pass(OUTAGE_SECONDS);
  await service.smtp.start(port);
  const isThere = () => recipients.every((recipient) => service.smtp.mailsTo(recipient).length > 0);
  expect(await pass(life - OUTAGE_SECONDS, isThere)).toBeLessThanOrEqual(within);
  for (const recipient of recipients) expect(service.smtp.mailsTo(recipient)).toHaveLength(1);
});
