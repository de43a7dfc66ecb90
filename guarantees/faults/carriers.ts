import type { Behaviour } from '../../server/test/fakes/behaviour.ts';
import type { HttpCarrierMessage } from '../../server/test/fakes/http-carrier.ts';
import { TwilioFake } from '../../server/test/fakes/twilio.ts';
import { type Check, none, print, type Scenario, some, wait } from '../harness/run.ts';
import { checkGuarantees, noRestart } from './assertions.ts';
import { type Fixture, startFixture } from './fixture.ts';

/** The carrier's response to the first dispatch, in percent of the messages. */
const TREATMENTS: readonly [Behaviour, number][] = [
  ['error', 10],
  ['limit', 10],
  ['hang', 3],
  ['reset', 3],
  ['slow', 3],
  ['accept', 71],
];

const DEALT = TREATMENTS.flatMap(([treatment, percent]) => Array<Behaviour>(percent).fill(treatment));

const REPORTS = ['delivered', 'twice', 'late', 'disordered', 'forged', 'undelivered', 'none'] as const;
type Reported = (typeof REPORTS)[number];
const LATE_MS = 8_000;

const share = (id: string, at: number): number => Number.parseInt(id.slice(at).slice(0, 4), 16);

const treatmentOf = (id: string): Behaviour => DEALT[share(id, -4) % DEALT.length] ?? 'accept';

export const carriers: Scenario = {
  name: 'carriers',
  about:
    'a carrier that returns 500 or 429, accepts and then hangs or disconnects, is slow 3 times in 100, reports late, twice, out of order and forged; then it is down; then both are down',
  async *run(cleanup) {
    const twilio = await new TwilioFake({}).start();
    cleanup.defer(() => twilio.close());
    const fixture = await startFixture(
      {
        perSecond: 40,
        env: {
          SMS_CARRIERS: 'http,twilio',
          TWILIO_API_URL: twilio.url,
          TWILIO_ACCOUNT_SID: twilio.accountSid,
          TWILIO_AUTH_TOKEN: twilio.authToken,
          TWILIO_FROM: '+12025550199',
        },
      },
      cleanup,
    );
    const { carrier } = fixture;
    const treated = new Map<string, Behaviour>();
    const reports = startReports(fixture, treated);
    carrier.everyone = ({ id }) => {
      const treatment = treated.has(id) ? 'accept' : treatmentOf(id);
      if (!treated.has(id)) treated.set(id, treatment);
      return treatment;
    };
    print('  the first carrier treats messages differently');
    await wait(20_000);
    print('  the first carrier down');
    carrier.everyone = 'error';
    await wait(10_000);
    print('  both down');
    twilio.everyone = 'error';
    await wait(8_000);
    carrier.everyone = undefined;
    twilio.everyone = undefined;
    await wait(5_000);
    await fixture.stopLoad();
    await reports.done();
    const again = (id: string) => Number(['hang', 'reset'].includes(treated.get(id) ?? ''));
    const elsewhere = () =>
      twilio.messages.map(({ statusCallback, code }) => ({
        id: new URL(statusCallback ?? '').searchParams.get('otp') ?? '',
        code,
      }));
    const checks = await checkGuarantees(fixture, { again, elsewhere });
    const met = (name: Behaviour) => [...treated.values()].filter((one) => one === name).length;
    yield* [
      ...TREATMENTS.map(([name]) => some(`messages that met: ${name}`, met(name))),
      some('accepted by the second carrier', twilio.messages.length),
      ...(await reports.checks()),
      noRestart(fixture),
      ...checks,
    ];
  },
};

/** Sends delivery reports of every kind for the messages that the carrier accepted at once. */
function startReports({ carrier, db }: Fixture, treated: Map<string, Behaviour>) {
  const ids = new Map<Reported, string[]>(REPORTS.map((kind) => [kind, []]));
  const answers = new Map<string, number>();
  const open: Promise<void>[] = [];
  const report = async (
    message: HttpCarrierMessage,
    status: 'delivered' | 'undelivered',
    options: { forged?: boolean } = {},
  ) => {
    const answer = await carrier.report(message, status, options).catch(() => 0);
    const name = `${options.forged ? 'forged' : 'signed'} ${answer}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
  };
  const ways: Record<Reported, (message: HttpCarrierMessage) => Promise<unknown>> = {
    delivered: (message) => report(message, 'delivered'),
    twice: (message) => Promise.all([report(message, 'delivered'), report(message, 'delivered')]),
    late: async (message) => {
      await wait(LATE_MS);
      await report(message, 'delivered');
    },
    disordered: async (message) => {
      await report(message, 'delivered');
      await report(message, 'undelivered');
    },
    forged: (message) => report(message, 'undelivered', { forged: true }),
    undelivered: (message) => Promise.all([report(message, 'undelivered'), report(message, 'undelivered')]),
    none: async () => undefined,
  };
  let looked = 0;
  const timer = setInterval(() => {
    for (; looked < carrier.messages.length; looked++) {
      const message = carrier.messages[looked] as HttpCarrierMessage;
      if (treated.get(message.id) !== 'accept') continue;
      const kind = REPORTS[share(message.id, -8) % REPORTS.length] as Reported;
      ids.get(kind)?.push(message.id);
      open.push(ways[kind](message).then(() => undefined));
    }
  }, 20);
  const count = async (kinds: readonly Reported[], where: string): Promise<number> =>
    (
      await db.one<{ n: number }>(
        `select count(*) as n from verifications v where v.id = any ($1) and ${where}`,
        [kinds.flatMap((kind) => ids.get(kind) ?? [])],
      )
    ).n;
  const reported = ['delivered', 'twice', 'late', 'disordered'] as const;
  return {
    async done() {
      clearInterval(timer);
      await Promise.all(open);
    },
    async checks(): Promise<Check[]> {
      print(`  reports: ${[...answers].map(([what, n]) => `${n} × ${what}`).join(', ')}`);
      const believed = [...answers].reduce(
        (sum, [what, n]) => sum + (what.startsWith('forged') && what !== 'forged 404' ? n : 0),
        0,
      );
      const refused = [...answers].reduce(
        (sum, [what, n]) => sum + (what.startsWith('signed') && !/ 20\d$/.test(what) ? n : 0),
        0,
      );
      return [
        none('forged reports that did not get 404', believed, answers.get('forged 404') ?? 0),
        none('failed by a forged report', await count(['forged'], `v.status = 'failed'`)),
        none('signed reports that were refused', refused),
        none(
          'reported as delivered but not shown as delivered',
          await count(reported, 'v.delivered_at is null'),
        ),
        none('reported as delivered but failed', await count(reported, `v.status = 'failed'`)),
        none(
          'reported as undelivered but neither refunded nor verified',
          await count(
            ['undelivered'],
            // The code of a plan goes on with the next channel.
            `v.status <> 'verified' and (v.status <> 'failed' and v.plan is null or not exists
               (select from ledger l where l.reference = 'refund:' || v.id))`,
          ),
        ),
      ];
    },
  };
}
