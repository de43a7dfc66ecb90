import { DEFAULT_MESSAGE, DEFAULT_SUBJECT } from '#contract/otp.ts';
import { renderSms } from '#contract/sms-segments.ts';
import type { Breakers } from '../carriers/breaker.ts';
import {
  type Carrier,
  type Channel,
  channels,
  handTimeoutMs,
  type Message,
  type Outcome,
  type Refused,
} from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/carriers.ts';
import { apiBase } from '../config.ts';
import { isDatabaseAway } from '../db/sql.ts';
import type { Needs } from '../ground.ts';
import { renderOtpMail } from '../mail/otp-mail.ts';
import { voiceSentence } from '../mail/voice.ts';
import { type Batcher, batcher } from '../queue/batcher.ts';
import type { Job, Worker } from '../queue/job.ts';
import { strays } from '../queue/strays.ts';
import { type Change, storableId } from './change.ts';
import { openCode } from './code.ts';
import { optOut, optOutFingerprint } from './opt-out.ts';

/**
 * Hands queued messages to carriers. A claim names the carrier it goes to before the carrier hears of it; a certain
 * refusal moves on to the next one, an uncertain outcome waits for a report and then goes once more to the same one.
 * Nothing is handed over after its expiry.
 */
type App = Needs<'db' | 'clock' | 'random' | 'vault' | 'pulse' | 'config' | 'log'> & {
  carriers: Carriers;
  breakers: Breakers;
};

interface Claimed {
  id: string;
  account_id: string;
  channel: Channel;
  sealed: Buffer;
  expires_at: string;
  claim: string;
  carrier: string | null;
  refused_by: string[];
  uncertain: number;
  tries: number;
  recipient: string | null;
  status: string | null;
  cost_credits: number;
  message: string | null;
  subject: string | null;
  sender_name: string;
  reply_to_email: string;
  default_message: string;
  default_subject: string;
  seconds: number;
  now_ms: number;
}

interface Finished {
  id: string;
  claim: string;
  change: Change | undefined;
}

const isDeadlock = (error: unknown): boolean => (error as { code?: unknown }).code === '40P01';

/** Messages of one channel in the hands of carriers at the same time, in one process: a slow channel slows no other. */
const HANDS = 128;
/** How long a delivery report may still settle an uncertain outcome. */
const UNCERTAIN_SECONDS = 10;
/** Rounds over all carriers while they are in trouble, and the pauses between. */
const ROUND_PAUSES_SECONDS = [2, 8];
/** All carriers rest: look again. */
const RESTING_SECONDS = 2;

/** The row already says what happens next. */
const TELLS = 'the row tells';
/** A drain waits for what is in hand (a carrier has its own ten seconds) rather than making it uncertain. */
const NEVER_ABORTED = new AbortController().signal;
/** Only time ends a hand-over: what waits for a connection when the code expires is not sent any more. */
const untilExpiry = (remainingMs: number): AbortSignal =>
  remainingMs < handTimeoutMs ? AbortSignal.timeout(Math.ceil(remainingMs)) : NEVER_ABORTED;

export function deliveryJob(app: App): Job & { idle(): Promise<void> } {
  const finishing: Batcher<Finished, void> = batcher({
    run: async (items) => {
      await app.db.run('select finish_deliveries($1, $2)', [
        JSON.stringify(items.map(({ id, claim }) => ({ id, claim }))),
        JSON.stringify(items.flatMap(({ change }) => (change ? [change] : []))),
      ]);
      if (items.some(({ change }) => change?.event)) app.pulse.ring('webhooks');
      return items.map(() => undefined);
    },
    most: 256,
    isOutage: isDatabaseAway,
  });
  /** with their claims */
  const inHand = new Map<Promise<void>, string>();
  const held: Record<Channel, number> = { sms: 0, voice: 0, email: 0 };
  /** Messages, with their claims, whose end could not be told: a carrier may have them. */
  const lost = new Map<string, string>();
  const unheld = strays();

  /**
   * What a carrier did is not forgotten because the database is away: the end of the claim waits for it, unless this process
   * must end. Then the claim is freed like that of a dead one.
   */
  const finish = async (finished: Finished, signal: AbortSignal): Promise<void> => {
    for (;;) {
      try {
        return await finishing.submit(finished);
      } catch (error) {
        if (signal.aborted || !(isDatabaseAway(error) || isDeadlock(error))) throw error;
        await app.clock.sleep(500, signal);
      }
    }
  };

  const handle = async (claimed: Claimed, signal: AbortSignal): Promise<void> => {
    try {
      const change = await handOver(app, claimed);
      if (change !== TELLS) await finish({ id: claimed.id, claim: claimed.claim, change }, signal);
    } catch (error) {
      app.log.error({ err: error, otp_id: claimed.id }, 'delivery interrupted');
      lost.set(claimed.id, claimed.claim);
    }
  };

  return {
    name: 'deliveries',
    topic: 'deliveries',
    everyMs: 100,
    async run(worker) {
      const open = channels.filter((channel) => held[channel] < HANDS);
      if (open.length === 0) return false;
      const most = Math.min(...open.map((channel) => HANDS - held[channel]));
      if (lost.size > 0) await freeLost(app, lost);
      await unheld.free(() => freeStrays(app, worker, [...inHand.values(), ...lost.values()]));
      const token = app.random.uuid();
      const due = await claim(app, worker, { open, most, token }).catch((error: unknown) => {
        unheld.suspect();
        throw error;
      });
      for (const one of due) {
        held[one.channel]++;
        const work = handle(one, worker.signal).finally(() => {
          const wasFull = held[one.channel]-- >= HANDS;
          inHand.delete(work);
          if (wasFull) app.pulse.ring('deliveries');
        });
        inHand.set(work, one.claim);
      }
      return due.length === most;
    },
    free: (dead) => freeClaims(app, dead),
    async idle() {
      while (inHand.size > 0) await Promise.all(inHand.keys());
    },
  };
}

const claim = (
  app: App,
  worker: Worker,
  { open, most, token }: { open: readonly Channel[]; most: number; token: string },
): Promise<Claimed[]> => {
  const at = app.clock.now();
  const healthy = Object.fromEntries(
    channels.map((channel) => [
      channel,
      app.breakers.healthyOrder(app.carriers.forChannel(channel), channel, at).map(({ name }) => name),
    ]),
  );
  return app.db.rows<Claimed>('select * from claim_deliveries($1, $2, $3, $4, $5)', [
    worker.id,
    token,
    most,
    JSON.stringify(healthy),
    open.length < channels.length ? open : null,
  ]);
};

/** What became of it: the change to make with the end of the claim, or that the claim was already dealt with. */
async function handOver(app: App, claimed: Claimed): Promise<Change | typeof TELLS | undefined> {
  if (claimed.status !== 'pending' || claimed.recipient === null) return notNeeded(claimed);
  const started = performance.now();
  const remainingMs = () => Date.parse(claimed.expires_at) - claimed.now_ms - (performance.now() - started);
  if (remainingMs() <= 0) return failed(claimed, 'Not handed to a carrier before it expired', { wipe: true });

  const all = app.carriers.forChannel(claimed.channel);
  const message = compose(app, claimed, claimed.recipient);
  const refusals: Refused[] = [];
  let carrier = all.find(({ name }) => name === claimed.carrier);
  while (carrier) {
    if (remainingMs() <= 0)
      return failed(claimed, 'Not handed to a carrier before it expired', { wipe: true });
    const leave = app.breakers.admit(carrier, claimed.channel, app.clock.now());
    if (leave) {
      const outcome = await carrier.hand(
        { ...message, status_url: statusUrl(app, claimed, carrier.name) },
        untilExpiry(remainingMs()),
      );
      leave.report(outcome, app.clock.now());
      logOutcome(app, carrier, claimed, outcome);
      if (outcome.kind === 'accepted') return accepted(claimed, carrier, outcome.provider_message_id);
      if (outcome.kind === 'uncertain') {
        await uncertain(app, claimed, outcome.detail);
        return TELLS;
      }
      refusals.push(outcome);
      claimed.refused_by.push(carrier.name);
      if (outcome.unsubscribed && claimed.channel === 'sms')
        await optOut(app.db, optOutFingerprint(app, claimed.recipient));
      if (outcome.unsubscribed) return failed(claimed, 'Recipient has opted out', { carrier: carrier.name });
      if (outcome.final) return failed(claimed, outcome.detail, { carrier: carrier.name });
    }
    carrier = nextCarrier(app, all, claimed);
    // Who may have the message must be on disk before it may.
    if (carrier && !(await nameCarrier(app, claimed, carrier.name))) return TELLS;
  }
  return afterRefusals(app, claimed, refusals);
}

const nextCarrier = (app: App, all: readonly Carrier[], claimed: Claimed): Carrier | undefined =>
  app.breakers
    .healthyOrder(all, claimed.channel, app.clock.now())
    .find(({ name }) => !claimed.refused_by.includes(name) && name !== claimed.carrier);

/** Every carrier that could be asked has refused: another round where they were in trouble, else the end. */
async function afterRefusals(
  app: App,
  claimed: Claimed,
  refusals: readonly Refused[],
): Promise<Change | typeof TELLS> {
  const last = refusals.at(-1);
  if (!last) {
    await putBack(app, claimed, RESTING_SECONDS, { round: false });
    return TELLS;
  }
  const inTrouble = refusals.some(({ rest, temporary }) => rest || temporary);
  const pause = ROUND_PAUSES_SECONDS[claimed.tries - 1];
  if (inTrouble && pause !== undefined && pause < claimed.seconds / 2) {
    await putBack(app, claimed, pause, { failure: last.detail });
    return TELLS;
  }
  return failed(claimed, last.detail, {});
}

const accepted = (claimed: Claimed, carrier: Carrier, provider_message_id: string | null): Change => ({
  account_id: claimed.account_id,
  id: claimed.id,
  allowed: ['pending'],
  to: 'sent',
  sent: true,
  event: 'sent',
  carrier: carrier.name,
  provider_message_id: storableId(provider_message_id),
  note: `Accepted by ${carrier.name}`,
});

const failed = (claimed: Claimed, failure: string, more: { carrier?: string; wipe?: true }): Change => ({
  account_id: claimed.account_id,
  id: claimed.id,
  allowed: ['pending'],
  to: 'failed',
  event: 'failed',
  failure,
  note: failure,
  refund: true,
  ...more,
});

/** Closed before anybody had it in hand: the credit goes back, unless the code was used all the same. */
function notNeeded({ account_id, id, status, uncertain, cost_credits }: Claimed): Change | undefined {
  if (uncertain > 0 || cost_credits === 0 || (status !== 'expired' && status !== 'failed')) return undefined;
  return {
    account_id,
    id,
    allowed: [status],
    refund: true,
    note: 'Credit returned: never handed to a carrier',
  };
}

function compose(app: App, claimed: Claimed, recipient: string): Message {
  const { config } = app;
  const code = openCode(app, claimed.account_id, recipient, claimed.sealed);
  const template = claimed.message ?? (claimed.default_message || DEFAULT_MESSAGE);
  const expires_at = new Date(claimed.expires_at);
  const base = { id: claimed.id, channel: claimed.channel, recipient, code, expires_at };
  if (claimed.channel === 'email') {
    const mail = renderOtpMail({
      brand: config.brandName,
      supportEmail: config.supportEmail,
      senderName: claimed.sender_name || config.brandName,
      subject: claimed.subject ?? (claimed.default_subject || DEFAULT_SUBJECT),
      messageTemplate: template,
      code,
      expiresInSeconds: claimed.seconds,
    });
    return {
      ...base,
      ...mail,
      sender_name: claimed.sender_name || config.brandName,
      ...(claimed.reply_to_email ? { reply_to: claimed.reply_to_email } : {}),
    };
  }
  const text =
    claimed.channel === 'voice' ? voiceSentence(config.brandName, code) : renderSms(template, code);
  return { ...base, text };
}

/** Where the carrier reports to. It names the verification, so that a report is understood even when the answer was lost. */
const statusUrl = ({ config }: Needs<'config'>, { id, account_id }: Claimed, carrier: string): string =>
  `${apiBase(config)}/carriers/${carrier}/status/?otp=${id}&account=${account_id}`;

function logOutcome(app: App, carrier: Carrier, claimed: Claimed, outcome: Outcome): void {
  if (outcome.kind === 'accepted') return;
  const { kind, reason, detail } = outcome;
  app.log.warn(
    { otp_id: claimed.id, carrier: carrier.name, channel: claimed.channel, kind, reason, detail },
    'carrier',
  );
}

// ── statements, each fenced by the claim ──

const nameCarrier = async (app: App, { id, claim, refused_by }: Claimed, carrier: string): Promise<boolean> =>
  (await app.db.run('update deliveries set carrier = $3, refused_by = $4 where id = $1 and claim = $2', [
    id,
    claim,
    carrier,
    refused_by,
  ])) === 1;

/** Back into the queue for another round over all carriers. */
const putBack = (
  app: App,
  { id, claim }: Claimed,
  seconds: number,
  { failure, round = true }: { failure?: string; round?: boolean } = {},
): Promise<number> =>
  app.db.run(
    `update deliveries set worker_id = null, claim = null, claimed_at = null, carrier = null, refused_by = '{}',
       run_at = clock_now() + make_interval(secs => $3), last_failure = coalesce($4, last_failure),
       tries = tries - case when $5 then 0 else 1 end
     where id = $1 and claim = $2`,
    [id, claim, seconds, failure ?? null, round],
  );

/** Waits for a report, then goes once more to the same carrier; the second time only a report or its expiry can end it. */
const uncertain = (app: App, { id, claim, uncertain: before }: Claimed, detail: string): Promise<number> =>
  before > 0
    ? app.db.run('delete from deliveries where id = $1 and claim = $2', [id, claim])
    : app.db.run(
        `update deliveries set worker_id = null, claim = null, claimed_at = null, last_failure = $3,
           run_at = clock_now() + make_interval(secs => $4), uncertain = uncertain + 1
         where id = $1 and claim = $2`,
        [id, claim, detail, UNCERTAIN_SECONDS],
      );

/** What was in lost hands may have reached the carrier named: it waits for a report like any uncertain outcome. */
const FREE = `update deliveries set worker_id = null, claim = null, claimed_at = null,
  run_at = clock_now() + case when carrier is null then interval '0' else make_interval(secs => $2) end,
  uncertain = uncertain + case when carrier is null then 0 else 1 end`;

const freeClaims = async (app: App, dead: readonly string[]): Promise<void> => {
  await app.db.run(`${FREE} where worker_id = any ($1)`, [dead, UNCERTAIN_SECONDS]);
};

/** One by one: the others of a claim may still be in good hands. */
const freeLost = async (app: App, lost: Map<string, string>): Promise<void> => {
  for (const [id, token] of [...lost]) {
    await app.db.run(`${FREE} where claim = $1 and id = $3`, [token, UNCERTAIN_SECONDS, id]);
    lost.delete(id);
  }
};

/** As if the claims had never been made. */
const freeStrays = (app: App, worker: Worker, held: readonly string[]): Promise<number> =>
  app.db.run(
    `update deliveries set worker_id = null, claim = null, claimed_at = null, tries = tries - 1,
       carrier = case when uncertain > 0 then carrier end
     where worker_id = $1 and claim <> all ($2)`,
    [worker.id, [...new Set(held)]],
  );
