import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { report } from '../reports/reports.ts';

/** Reports, times, verifies, cancels and resends in any order, against a model. */
const service = fixture(() => testService({ env: { SMS_CARRIERS: 'sandbox', VOICE_CARRIERS: 'sandbox' } }));
const alice = fixture(() => sender(service, 'Alice', { credits: 100_000, keys: 40 }));

const CHANNELS = ['sms', 'voice'] as const;
/** Far from every sum of the waits below, because real time also passes during a run. */
const WAIT = 150;
const LIFE = 1_050;

type Event =
  | { kind: 'report'; place: number; state: 'delivered' | 'undelivered'; is_quick: boolean }
  | { kind: 'wait'; seconds: number }
  | { kind: 'verify' | 'cancel' | 'resend' };
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      place: fc.nat(CHANNELS.length - 1),
      state: fc.constantFrom('delivered' as const, 'undelivered' as const),
      is_quick: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(100, 200, 500) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('verify' as const, 'cancel' as const, 'resend' as const) }),
  },
);

/** What a plan does. */
class Model {
  messages: string[] = ['sent'];
  now = 0;
  due = WAIT;
  isHeld = false;
  isOpen = true;
  hasFailed = false;
  after(one: Event): void {
    if (one.kind === 'wait') this.now += one.seconds;
    if (this.now >= LIFE || (this.isOpen && (one.kind === 'verify' || one.kind === 'cancel')))
      this.isOpen = false;
    const changes = one.kind === 'report' && (one.state === 'delivered' ? ['sent', 'undelivered'] : ['sent']);
    const reported =
      changes && one.kind === 'report' && changes.includes(this.messages[one.place] ?? '') ? one : undefined;
    if (reported) this.messages[reported.place] = reported.state;
    if (reported?.state === 'delivered' && reported.is_quick) this.isHeld = true;
    const hasFailed = reported?.state === 'undelivered' && reported.place === this.messages.length - 1;
    const isLast = this.messages.length === CHANNELS.length;
    if (isLast && this.messages.every((state) => state === 'undelivered')) this.hasFailed = true;
    const isTime = !this.isHeld && (hasFailed || this.now >= this.due);
    if (!this.isOpen || isLast || !(isTime || one.kind === 'resend')) return;
    this.messages.push('sent');
    this.isHeld = false;
    this.due = this.now + WAIT;
  }
}

let count = 0;

test('in any order of events, a plan sends what its model sends and charges each message once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 8 }), async (events) => {
      const recipient = `+1415555${2000 + ++count}`;
      const model = new Model();
      const { body } = await service.call(sendOtp, {
        apiKey: alice.key(),
        body: { recipient, channels: [...CHANNELS], wait_seconds: WAIT, expires_in: LIFE },
      });
      const { otp_id } = body;
      await service.drain();
      const code = await alice.code(recipient);
      for (const one of events) {
        const messages = await sentFor(otp_id);
        if (one.kind === 'wait') await service.clock.advance(one.seconds * 1000);
        if (one.kind === 'verify') await alice.verify(otp_id, code);
        if (one.kind === 'cancel') await alice.cancel(otp_id);
        // Without a step that waits, it would be a message outside the plan.
        if (one.kind === 'resend' && messages.length < CHANNELS.length)
          await service.call(resendOtp, { apiKey: alice.key(), params: { otp_id }, body: {} });
        const reported = one.kind === 'report' ? messages[one.place] : undefined;
        if (one.kind === 'report' && reported)
          await report(service.app, {
            ...{ carrier: reported.carrier, account_id: alice.account_id, otp_id: reported.id },
            ...{ state: one.state, is_quick: one.is_quick, provider_message_id: null, reason: null },
          });
        await service.drain();
        model.after(one);
      }
      const messages = await sentFor(otp_id);
      expect(messages.map(({ channel }) => channel)).toEqual(CHANNELS.slice(0, model.messages.length));
      const { status, steps } = await alice.state(otp_id);
      if (model.isOpen) {
        expect(status).toBe(model.hasFailed ? 'failed' : 'sent');
        expect(steps?.map((step) => step.status.replace('failed', 'undelivered'))).toEqual(
          CHANNELS.map((_, place) => model.messages[place] ?? 'waiting'),
        );
      } else expect(steps?.some((step) => step.status === 'waiting')).toBe(false);
      expect(await balanceOf(messages.map(({ id }) => id))).toEqual(
        messages.map(({ cost_credits }) => cost_credits),
      );
    }),
    { numRuns: 25 },
  );
}, 60_000);

const sentFor = (otp_id: string) =>
  service.app.db.rows<{ id: string; channel: string; carrier: string; cost_credits: number }>(
    'select id, channel, carrier, cost_credits from verifications where id = $1 or resend_of = $1 order by id',
    [otp_id],
  );
/** What each message has cost by the ledger. */
const balanceOf = async (ids: readonly string[]) =>
  (
    await service.app.db.rows<{ cost: number }>(
      `select -sum(l.credits)::integer as cost from unnest($1::uuid[]) with ordinality as m (id, place)
       join ledger l on l.id = m.id or l.reference = 'refund:' || m.id group by m.place order by m.place`,
      [ids],
    )
  ).map(({ cost }) => cost);
