import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { numberOf } from '../../test/fakes/behaviour.ts';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender, wrongCode } from '../../test/sender.ts';
import { timeOfUuid } from '../platform/security/random.ts';
import { minuteOf } from '../protection/counters.ts';
import { createGuard } from '../protection/guard.ts';
import { type Count, inDay, inMinutes } from '../protection/series.ts';
import { countEnds } from './change.ts';

/** Every way in which a send can end, and its effect on the counters of the destination rules. */
let people = 0;

const service = fixture(() => serviceWithCarriers(['http']));

const MINUTE = 60_000;
const now = () => minuteOf(service.app.clock.now().getTime());
const COUNTS: Count[] = ['sent', 'over', 'verified'];
const counted = ({ account_id }: Sender) => {
  const series = service.app.protection.guard.counters.find(account_id, 'account', '');
  return COUNTS.map((count) => inDay(series, count, now()));
};

interface Sent {
  alice: Sender;
  otp_id: string;
  number: string;
  code(): Promise<string>;
}
interface End {
  how: string;
  /** sent, over, verified */
  learns: [number, number, number];
  number?: string;
  /** does not wait for the dispatch */
  isQueued?: true;
  /** a plan of a text and a call */
  isPlan?: true;
  ends(sent: Sent): Promise<unknown>;
}

const report = async ({ number }: Sent, status: 'delivered' | 'undelivered') =>
  service.http.report(await service.http.waitForMessageTo(number), status);
const verified = async (sent: Sent) =>
  expect((await sent.alice.verify(sent.otp_id, await sent.code())).status).toBe(200);
const expired = async () => {
  await service.clock.advance(6 * MINUTE);
  await service.drain();
};

const ENDS: End[] = [
  { how: 'is still open', learns: [1, 0, 0], ends: async () => {} },
  { how: 'is verified', learns: [1, 1, 1], ends: verified },
  { how: 'expires', learns: [1, 1, 0], ends: expired },
  {
    how: 'is canceled after its dispatch',
    learns: [1, 1, 0],
    ends: ({ alice, otp_id }) => alice.cancel(otp_id),
  },
  {
    how: 'is canceled before its dispatch',
    learns: [0, 0, 0],
    isQueued: true,
    ends: ({ alice, otp_id }) => alice.cancel(otp_id),
  },
  { how: 'is never dispatched', learns: [0, 0, 0], isQueued: true, ends: expired },
  { how: 'is refused by its carrier', learns: [0, 0, 0], number: numberOf.invalid, ends: async () => {} },
  {
    how: 'is refused by its carrier because the recipient opted out',
    learns: [0, 0, 0],
    number: numberOf.unsubscribed,
    ends: async () => {},
  },
  { how: 'is refused until it expires', learns: [0, 0, 0], number: numberOf.error, ends: expired },
  {
    how: 'has no certain dispatch when it expires',
    learns: [0, 0, 0],
    number: numberOf.reset,
    ends: expired,
  },
  { how: 'is delivered', learns: [1, 0, 0], ends: (sent) => report(sent, 'delivered') },
  { how: 'is undelivered', learns: [1, 1, 0], ends: (sent) => report(sent, 'undelivered') },
  {
    how: 'is undelivered twice',
    learns: [1, 1, 0],
    async ends(sent) {
      await report(sent, 'undelivered');
      await report(sent, 'undelivered');
    },
  },
  {
    how: 'is verified after a report that it was undelivered',
    learns: [1, 1, 1],
    async ends(sent) {
      await report(sent, 'undelivered');
      await verified(sent);
    },
  },
  {
    how: 'is reported undelivered after its verification',
    learns: [1, 1, 1],
    async ends(sent) {
      await verified(sent);
      await report(sent, 'undelivered');
    },
  },
  {
    how: 'is reported undelivered after its expiry',
    learns: [1, 1, 0],
    async ends(sent) {
      await expired();
      await report(sent, 'undelivered');
    },
  },
  {
    how: 'is canceled and then reported undelivered',
    learns: [1, 1, 0],
    async ends(sent) {
      await sent.alice.cancel(sent.otp_id);
      await report(sent, 'undelivered');
    },
  },
  {
    how: 'is superseded by the verification of a later send',
    learns: [2, 2, 2],
    async ends({ alice, number, code }) {
      const otp_id = await alice.sent(number);
      await service.drain();
      expect((await alice.verify(otp_id, await code())).status).toBe(200);
    },
  },
  {
    how: 'is followed by another that is canceled',
    learns: [2, 1, 0],
    async ends({ alice, number }) {
      const otp_id = await alice.sent(number);
      await service.drain();
      await alice.cancel(otp_id);
    },
  },
  {
    how: 'expires before a later send is verified',
    learns: [2, 2, 1],
    async ends({ alice, number, code }) {
      await service.clock.advance(4 * MINUTE);
      const otp_id = await alice.sent(number);
      await service.clock.advance(2 * MINUTE);
      await service.drain();
      expect((await alice.verify(otp_id, await code())).status).toBe(200);
    },
  },
  {
    how: 'was undelivered, and a later send is verified',
    learns: [2, 2, 2],
    async ends(sent) {
      const { alice, number, code } = sent;
      await report(sent, 'undelivered');
      const otp_id = await alice.sent(number);
      await service.drain();
      expect((await alice.verify(otp_id, await code())).status).toBe(200);
    },
  },
  {
    how: 'is a plan whose messages are all undelivered',
    learns: [2, 2, 0],
    isPlan: true,
    async ends({ number }) {
      const text = await service.http.waitForMessageTo(number);
      await service.http.report(text, 'undelivered');
      await service.drain();
      const [, call] = service.http.messagesTo(number);
      if (!call) throw new Error('No call');
      await service.http.report(call, 'undelivered');
      await service.drain();
    },
  },
  {
    how: 'is a plan whose messages are all refused',
    learns: [0, 0, 0],
    isPlan: true,
    number: numberOf.invalid,
    ends: () => service.drain(),
  },
  {
    how: 'has used up its attempts',
    learns: [1, 1, 0],
    async ends({ alice, otp_id, code }) {
      const wrong = wrongCode(await code());
      for (let n = 0; n < 5; n++) await alice.verify(otp_id, wrong);
    },
  },
];

test.each(ENDS)(
  'the counts of a send that $how are [sent, ended, verified] = $learns',
  async ({ learns, number, isQueued, isPlan, ends }) => {
    const alice = await sender(service, `Alice ${++people}`, { credits: 50 });
    const to = number ?? `+1415555${1_000 + people}`;
    const otp_id = await alice.sent(to, isPlan && { channel: undefined, channels: ['sms', 'voice'] });
    if (!isQueued) await service.drain();
    const code = async () => (await service.http.waitForMessageTo(to)).code;
    await ends({ alice, otp_id, number: to, code });
    expect(counted(alice)).toEqual(learns);
  },
);

test.each([
  ['without credits', 0, 402],
  ['to somebody who opted out', 50, 400],
  ['that repeats another by its idempotency key', 50, 201],
] as const)('a send %s does not count', async (_, credits, status) => {
  const alice = await sender(service, `Refused ${status}`, { credits, keys: 1 });
  const number = status === 400 ? numberOf.unsubscribed : '+14155550192';
  const send = () => alice.send(number, {}, status === 201 ? { 'idempotency-key': 'again' } : {});
  if (credits > 0) await send();
  await service.drain();
  const before = counted(alice);
  expect((await send()).status).toBe(status);
  await service.drain();
  expect(counted(alice)).toEqual(before);
});

test('voiding a send removes it from the minute in which it was counted, and only from that minute', async () => {
  const alice = await sender(service, 'Void', { credits: 50 });
  const { guard } = service.app.protection;
  const otp_id = await alice.sent('+14155550171');
  const of = {
    account_id: alice.account_id,
    recipient: '+14155550171',
    client_ip: null,
    is_test: false,
    own_code: false,
    known: null,
  };
  const later = timeOfUuid(otp_id) + 8 * MINUTE;
  countEnds(guard, later, [{ ...of, id: otp_id, channel: 'sms', event: 'void' }]);
  const series = guard.counters.find(alice.account_id, 'prefix', '+1415555017'.slice(0, 8));
  for (const at of [later, later + 5 * MINUTE]) expect(inMinutes(series, 'sent', 10, minuteOf(at))).toBe(0);
});

test('the ends of test sends and e-mail sends do not count', async () => {
  const alice = await sender(service, 'Tests', { credits: 50 });
  const of = {
    account_id: alice.account_id,
    recipient: '+14155550181',
    client_ip: null,
    id: alice.account_id,
    known: null,
  };
  countEnds(service.app.protection.guard, service.app.clock.now().getTime(), [
    { ...of, channel: 'sms', is_test: true, own_code: false, event: 'verified' },
    { ...of, channel: 'email', is_test: false, own_code: false, event: 'verified' },
  ]);
  expect(counted(alice)).toEqual([0, 0, 0]);
});

test('neither the sends of a trusted account nor their ends count', () => {
  const guard = createGuard({ sandbox: false, isTrusted: (account_id) => account_id === 'trusted' });
  const at = service.app.clock.now().getTime();
  for (const account_id of ['trusted', 'other'])
    for (const event of ['sent', 'verified'] as const)
      guard.record({ account_id, prefix: '+1415555', country: 'US', client: null }, event, at);
  const counts = (scope: string) =>
    COUNTS.map((count) => inDay(guard.counters.find(scope, 'account', ''), count, minuteOf(at)));
  expect([counts('trusted'), counts('other')]).toEqual([
    [0, 0, 0],
    [1, 1, 1],
  ]);
});
