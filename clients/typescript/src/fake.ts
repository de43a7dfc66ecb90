import type { ApiReason, Facts, SixdigitError } from './error.ts';
import {
  channelsOf,
  failure,
  hasOwnText,
  isFixed,
  LENGTH,
  refuseFields,
  refuseInvalid,
  textProblems,
  triesFor,
} from './fake-refusals.ts';
import type { CallOptions } from './request.ts';
import {
  type Challenge,
  type ChallengeInput,
  type Channel,
  type OtpState,
  type OtpStatus,
  type ResendInput,
  type ResendReply,
  repeated,
  type SendInput,
  type SendReply,
  type Step,
  type VerifyInput,
  type VerifyReply,
  type WebhookEvent,
} from './shapes.ts';
import type { SixdigitClient } from './sixdigit.ts';
import { type ReceivedWebhook, verifyWebhook } from './webhooks.ts';

/** A message that the fake did not send. */
export interface FakeMessage {
  otp_id: string;
  channel: Channel;
  recipient: string;
  code: string;
  text: string;
}

interface Verification {
  state: OtpState;
  code: string;
  tries: number;
  message: string | undefined;
  closedBy?: 'otp_closed' | 'max_attempts_reached';
}

/** Sends to a recipient for one purpose share a code, and its wrong tries, while one of them is open. */
interface Shared {
  code: string;
  firstSentMs: number;
  tries: number;
}

const SECOND = 1000;
const TEN_MINUTES = 600 * SECOND;
const DAY = 86_400 * SECOND;
/** A service's default limits of sends to one recipient. */
const SENDS = [
  { most: 5, spanMs: TEN_MINUTES },
  { most: 20, spanMs: DAY },
] as const;
const PROOF_COST = 5_000;

/**
 * An in-memory Sixdigit for the tests of your application. It sends nothing; its codes, tries, expiry and limits per recipient
 * behave as the service's do by default. A test compares both. It accepts every proof, and `failNext('proof_required', …)` demands one.
 */
export class FakeSixdigit implements SixdigitClient {
  /** Oldest first. */
  readonly messages: FakeMessage[] = [];
  readonly #verifications = new Map<string, Verification>();
  readonly #shared = new Map<string, Shared>();
  readonly #sends = new Map<string, number[]>();
  readonly #replies = new Map<string, { request: string; reply: unknown }>();
  readonly #failures: SixdigitError[] = [];
  #shiftMs = 0;

  /** The code of the newest message to a recipient. */
  codeFor(recipient: string): string {
    const wanted = normalized(recipient);
    const message = this.messages.filter((one) => one.recipient === wanted).at(-1);
    if (!message) throw new Error(`No message was sent to ${recipient}`);
    return message.code;
  }

  /** Lets time pass. */
  advance(seconds: number): void {
    this.#shiftMs += seconds * SECOND;
  }

  /** Makes the next call fail. Several calls of this make as many calls fail. */
  failNext(reason: ApiReason | 'timeout' | 'connection_failed', facts: Facts = {}): void {
    this.#failures.push(failure(reason, facts));
  }

  /** Reports the newest message as undelivered. The next channel of a plan then starts. */
  failDelivery(otp_id: string, why = 'Not delivered'): void {
    const verification = this.#find(otp_id);
    const failed = verification.state.steps?.filter(({ status }) => status === 'delivered').at(-1);
    if (failed) Object.assign(failed, { status: 'failed', reason: why });
    const next = nextStep(verification);
    if (next) this.#sendAgain(verification, next.channel, this.#nowMs());
    else Object.assign(verification.state, { status: 'failed', failure: why, delivered_at: null });
  }

  async send(input: SendInput, options: CallOptions = {}): Promise<SendReply> {
    return this.#once('send', { ...input, proof: undefined }, options, () => {
      const { expires_in = 300, message, code: ownCode, purpose } = input;
      const channels = channelsOf(input);
      const isSkipped = (one: Channel) => input.channels !== undefined && isFixed(one) && hasOwnText(input);
      const channel = channels.find((one) => !isSkipped(one)) ?? 'sms';
      const recipient = normalized(input.recipient);
      refuseInvalid(input, { channel, recipient, lifetime: expires_in });
      const to = { recipient, purpose: purpose ?? null };
      const sent = ownCode && this.#openTo(to, true).find((one) => isRepeated(one, input));
      if (sent) return replyOf(sent.state, sent.state.status);
      const nowMs = this.#nowMs();
      this.#countSend(recipient, nowMs);
      const code = ownCode ?? this.#codeOf(to, nowMs, input.code_length ?? LENGTH);
      const at = time(nowMs);
      const state: OtpState = {
        ...repeated(input),
        channel,
        otp_id: crypto.randomUUID(),
        status: 'sent',
        recipient,
        cost_credits: 1,
        segments: channel === 'sms' ? 1 : null,
        language: message === undefined ? 'en' : null,
        template_version: input.template === undefined ? null : 1,
        created_at: at,
        expires_at: time(nowMs + expires_in * SECOND),
        sent_at: at,
        delivered_at: at,
        verified_at: null,
        failure: null,
        ...(ownCode === undefined ? {} : { own_code: true, outcome: null, outcome_at: null }),
        ...(input.channels === undefined ? {} : { steps: stepsOf(channels, { channel, isSkipped, at }) }),
      };
      const tries = input.max_attempts ?? triesFor(code.length);
      const verification: Verification = { state, code, tries, message };
      this.#verifications.set(state.otp_id, verification);
      this.#deliver(verification, channel);
      const reply = { ...replyOf(state, 'pending'), ...(input.channels === undefined ? {} : { channels }) };
      return input.code_length === undefined ? reply : { ...reply, code_length: code.length };
    });
  }

  async challenge({ recipient }: ChallengeInput): Promise<Challenge> {
    this.#failIfAsked();
    refuseFields({ recipient: recipient.trim() === '' ? ['This field is required.'] : [] });
    const expires = Math.floor(this.#nowMs() / SECOND) + 600;
    const salt = `${crypto.randomUUID().replaceAll('-', '')}?expires=${expires}&`;
    const number = Math.floor(Math.random() * (PROOF_COST + 1));
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${salt}${number}`));
    const challenge = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
    return { algorithm: 'SHA-256', challenge, maxnumber: PROOF_COST, salt, signature: '0'.repeat(64) };
  }

  async resend(otp_id: string, input: ResendInput = {}, options: CallOptions = {}): Promise<ResendReply> {
    return this.#once('resend', { otp_id, ...input }, options, () => {
      const verification = this.#find(otp_id);
      const { state, code } = verification;
      if (state.own_code) throw failure('own_code', {});
      this.#refuseClosed(verification);
      const channel = input.channel ?? nextStep(verification)?.channel ?? state.channel;
      const isEmail = channel === 'email';
      refuseFields({
        channel: isEmail === state.recipient.includes('@') ? [] : ['Another channel.'],
        ...textProblems(channel, { message: verification.message }),
      });
      const nowMs = this.#nowMs();
      const shared = this.#shared.get(placeOf(state));
      const isPlanned = nextStep(verification, channel) !== undefined;
      if (!isPlanned && (shared?.code !== code || nowMs - shared.firstSentMs >= TEN_MINUTES))
        throw failure('resend_too_late', {});
      this.#countSend(state.recipient, nowMs);
      const resend_id = this.#sendAgain(verification, channel, nowMs);
      const segments = channel === 'sms' ? 1 : null;
      return { ...replyOf({ ...state, cost_credits: 1 }, 'pending'), channel, segments, resend_id };
    });
  }

  async verify(input: VerifyInput, options: CallOptions = {}): Promise<VerifyReply> {
    return this.#once('verify', input, options, () => {
      const { otp_id, recipient: to, purpose = null } = input;
      refuseFields({
        otp_id: otp_id === undefined && to === undefined ? ['This field is required.'] : [],
        recipient: otp_id !== undefined && to !== undefined ? ['Give either otp_id or recipient.'] : [],
      });
      const newest =
        to === undefined ? undefined : this.#openTo({ recipient: normalized(to), purpose }).at(-1);
      const verification = newest ?? this.#find(otp_id ?? '');
      if (verification.state.own_code) throw failure('own_code', {});
      this.#refuseClosed(verification);
      const digits = input.code.replace(/[^\p{L}\p{N}]/gu, '');
      refuseFields({ code: digits.length === verification.code.length ? [] : ['Code must have 6 digits.'] });
      const shared = this.#shared.get(placeOf(verification.state));
      const open = this.#openTo(verification.state);
      if (shared && digits !== verification.code) {
        shared.tries += 1;
        const attempts_remaining = Math.max(0, Math.min(...open.map(({ tries }) => tries)) - shared.tries);
        if (attempts_remaining === 0)
          for (const one of open) {
            one.closedBy = 'max_attempts_reached';
            Object.assign(one.state, { status: 'failed', failure: 'Too many wrong codes' });
          }
        throw failure('invalid_code', { attempts_remaining });
      }
      for (const one of open) if (one !== verification) close(one);
      const verified_at = time(this.#nowMs());
      Object.assign(verification.state, { status: 'verified', verified_at });
      return { status: 'verified', verified_at, otp_id: verification.state.otp_id };
    });
  }

  async get(otp_id: string): Promise<OtpState> {
    this.#failIfAsked();
    const { state } = this.#find(otp_id);
    const isOver = Date.parse(state.expires_at) <= this.#nowMs();
    const status: OtpStatus = isOver && state.status === 'sent' ? 'expired' : state.status;
    const isOpen = this.#closedReason(this.#find(otp_id)) === undefined;
    const steps = state.steps?.map((step) =>
      step.status === 'waiting' && !isOpen ? { ...step, status: 'canceled' as const } : step,
    );
    return { ...state, status, ...(steps ? { steps } : {}) };
  }

  async cancel(otp_id: string): Promise<OtpState> {
    this.#failIfAsked();
    const verification = this.#find(otp_id);
    this.#refuseClosed(verification);
    close(verification);
    return { ...verification.state };
  }

  async outcome(otp_id: string, { verified }: { verified: boolean }): Promise<OtpState> {
    this.#failIfAsked();
    const { state } = this.#find(otp_id);
    if (!state.own_code) throw failure('not_own_code', {});
    const outcome = verified ? 'verified' : 'unverified';
    if ((state.outcome ?? outcome) !== outcome) throw failure('outcome_already_reported', {});
    Object.assign(state, { outcome, outcome_at: state.outcome_at ?? time(this.#nowMs()) });
    return { ...state };
  }

  verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
    return verifyWebhook(received);
  }

  #nowMs = (): number => Date.now() + this.#shiftMs;

  #failIfAsked(): void {
    const asked = this.#failures.shift();
    if (asked) throw asked;
  }

  /** Repetitions with the same idempotency key get the first reply. */
  #once<T>(name: string, input: object, { idempotencyKey }: CallOptions, work: () => T): T {
    this.#failIfAsked();
    if (!idempotencyKey) return work();
    const key = `${name} ${idempotencyKey}`;
    const request = JSON.stringify(input);
    const earlier = this.#replies.get(key);
    if (earlier && earlier.request !== request) throw failure('idempotency_key_reused', {});
    const reply = earlier ? (earlier.reply as T) : work();
    this.#replies.set(key, { request, reply });
    return reply;
  }

  #find(otp_id: string): Verification {
    const found = this.#verifications.get(otp_id);
    if (!found) throw failure('otp_not_found', {});
    return found;
  }

  /** Throws if the recipient has got too many messages. */
  #countSend(recipient: string, nowMs: number): void {
    const sends = this.#sends.get(recipient) ?? [];
    const retry_after = Math.max(...SENDS.map((limit) => secondsToWait(sends, limit, nowMs)));
    if (retry_after > 0) throw failure('recipient_rate_limited', { retry_after });
    this.#sends.set(recipient, [...sends, nowMs]);
  }

  #deliver({ state: { otp_id, recipient }, code, message }: Verification, channel: Channel): void {
    const text = (message ?? 'Your verification code is: {code}').replaceAll('{code}', code);
    this.messages.push({ otp_id, channel, recipient, code, text });
  }

  #sendAgain(verification: Verification, channel: Channel, nowMs: number): string {
    const { state } = verification;
    const created_at = time(nowMs);
    const step = nextStep(verification, channel);
    if (step) Object.assign(step, { status: 'delivered', at: created_at });
    this.#deliver(verification, channel);
    const resend_id = crypto.randomUUID();
    const resend = {
      resend_id,
      channel,
      status: 'sent' as const,
      created_at,
      cost_credits: 1,
      failure: null,
    };
    state.resends = [...(state.resends ?? []), resend];
    return resend_id;
  }

  #codeOf(to: To, nowMs: number, length: number): string {
    const known = this.#shared.get(placeOf(to));
    if (known && this.#openTo(to).length > 0 && nowMs - known.firstSentMs < TEN_MINUTES) return known.code;
    const code = freshCode(length);
    this.#shared.set(placeOf(to), { code, firstSentMs: nowMs, tries: 0 });
    return code;
  }

  #openTo(to: To, isOwn = false): Verification[] {
    return [...this.#verifications.values()].filter(
      (one) =>
        placeOf(one.state) === placeOf(to) &&
        Boolean(one.state.own_code) === isOwn &&
        this.#closedReason(one) === undefined,
    );
  }

  #closedReason({ state, closedBy }: Verification): ApiReason | undefined {
    if (state.status === 'verified') return 'otp_already_verified';
    if (closedBy) return closedBy;
    return Date.parse(state.expires_at) <= this.#nowMs() ? 'otp_expired' : undefined;
  }

  #refuseClosed(verification: Verification): void {
    const reason = this.#closedReason(verification);
    if (reason) throw failure(reason, {});
  }
}

type To = Pick<OtpState, 'recipient' | 'purpose'>;
const placeOf = ({ recipient, purpose }: To): string => `${purpose ?? ''} ${recipient}`;

/** The first waiting step, or that of a channel. */
const nextStep = ({ state }: Verification, channel?: Channel): Step | undefined =>
  state.steps?.find(
    (step) => step.status === 'waiting' && (channel === undefined || step.channel === channel),
  );

/** Every message is delivered at once, so the other channels wait for a failure or a resend. */
const stepsOf = (
  channels: readonly Channel[],
  first: { channel: Channel; isSkipped: (channel: Channel) => boolean; at: string },
): Step[] =>
  channels.map((channel) => {
    if (first.isSkipped(channel)) return { channel, status: 'skipped', at: first.at, reason: 'own_text' };
    return channel === first.channel
      ? { channel, status: 'delivered', at: first.at }
      : { channel, status: 'waiting', at: null };
  });

/** A repeated send of an open code of your own sends nothing. */
const isRepeated = ({ state, code }: Verification, input: SendInput): boolean =>
  code === input.code && state.channel === input.channel;

function replyOf(state: OtpState, status: OtpStatus): SendReply {
  const { otp_id, expires_at, channel, recipient, segments, cost_credits, language, own_code } = state;
  return {
    ...{ otp_id, status, expires_at, channel, recipient, segments, cost_credits },
    ...(language ? { language } : {}),
    ...(own_code ? { own_code } : {}),
  };
}

function close(verification: Verification): void {
  verification.closedBy = 'otp_closed';
  if (verification.state.status !== 'failed') verification.state.status = 'expired';
}

function secondsToWait(
  sends: readonly number[],
  { most, spanMs }: (typeof SENDS)[number],
  nowMs: number,
): number {
  const within = sends.filter((ms) => ms > nowMs - spanMs);
  const blocking = within[within.length - most];
  return blocking === undefined ? 0 : Math.max(1, Math.ceil((blocking + spanMs - nowMs) / SECOND));
}

const time = (ms: number): string => new Date(ms).toISOString();
const freshCode = (length: number): string =>
  String(Math.floor(Math.random() * 10 ** length)).padStart(length, '0');

/** E.164 without blanks, or a lower-case email address. Unlike the service, the fake does not know national numbers. */
const normalized = (recipient: string): string =>
  recipient.includes('@') ? recipient.trim().toLowerCase() : recipient.replace(/[^\d+]/g, '');
