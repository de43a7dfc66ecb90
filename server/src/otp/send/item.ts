import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { email } from '@sixdigit/contract/field.ts';
import { mostAttempts } from '@sixdigit/contract/guessing.ts';
import type { AccountLimits } from '@sixdigit/contract/operator/limits.ts';
import type { SendReply } from '@sixdigit/contract/otp.ts';
import type { ProofMode, ProofProblem } from '@sixdigit/contract/proof.ts';
import type { LookupOfSend } from '@sixdigit/contract/protection/lookups.ts';
import { TEST_DOMAIN } from '@sixdigit/contract/test-mode.ts';
import type { SendPrices } from '../../credits/prices/prices.ts';
import type { LimitReached } from '../../limits/limits.ts';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { optOutHexes } from '../../messaging/opt-outs/opt-outs.ts';
import { suppressionHexes } from '../../messaging/suppressions/suppressions.ts';
import { normalisePhone, phoneProblem } from '../../platform/addresses/phone.ts';
import { type Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import {
  type AskedLookup,
  type Destination,
  destinationOf,
  recipientHash as hashOf,
  type Known,
  type Protection,
  recipientHashes,
} from '../../protection/protection.ts';
import type { LimitsOfAccounts } from '../../settings/account-limits/account-limits.ts';
import { type OwnCode, sealOwnCode } from '../code.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { NewPlan, StartedStep, StoredPlan } from '../plans/step.ts';
import { testNumber } from '../test-mode/test-mode.ts';
import { type Program, type SendBody, type Wording, type WordingApp, wordingFor } from './wording.ts';

const refuse = (message: string): never => {
  throw new FieldErrors({ recipient: [message] });
};

/** Identifies a recipient across all accounts: a keyed hash in hex. */
export const recipientHash = (app: Needs<'vault'>, recipient: string): string =>
  hashOf(app, recipient).toString('hex');

/**
 * Normalizes a recipient before any limit, look-up or charge: E.164 with its country (ISO 3166-1 alpha-2), or a lower-case
 * e-mail address. Throws a field error if the recipient is invalid, of a high-cost number type, or outside the countries of the account or ALLOWED_COUNTRIES.
 */
export function normaliseRecipient(
  app: Needs<'config'>,
  channel: Channel,
  text: string,
  {
    is_test = false,
    countries,
  }: { is_test?: boolean; countries?: readonly string[] | null | undefined } = {},
): { recipient: string; country: string | null } {
  if (factsOf(channel).recipient === 'email') {
    const parsed = email.safeParse(text);
    if (!parsed.success) return refuse('Enter a valid email address.');
    if (!is_test && parsed.data.endsWith(`@${TEST_DOMAIN}`))
      return refuse('This address works with test keys only.');
    return { recipient: parsed.data, country: null };
  }
  const simulated = testNumber(text);
  if (simulated && !is_test) return refuse('This number works with test keys only.');
  if (simulated) return { recipient: simulated, country: null };
  const phone = normalisePhone(text, app.config);
  if (!phone) return refuse('Enter a valid phone number, such as +14155552671.');
  const problem = phoneProblem(phone, { allowedCountries: countries ?? app.config.allowedCountries });
  if (problem) return refuse(problem);
  return { recipient: phone.e164, country: phone.country ?? null };
}

type App = WordingApp &
  Needs<'clock' | 'random' | 'vault'> & {
    carriers: Carriers;
    prices: SendPrices;
    accountLimits: LimitsOfAccounts;
    protection: Pick<Protection, 'guard'>;
  };

/** What a resend repeats, as read before its locks. */
export interface Resend {
  otp_id: string;
  hmac: Buffer;
  expires_ms: number;
}

/** What a send has to prove, and what it has proved. Absent if it neither needs a proof nor has one. */
export interface SendProof {
  mode: ProofMode;
  /** a right proof, which the send uses up if it is accepted */
  used?: UsedProof;
  problem?: ProofProblem | 'missing';
}

export interface UsedProof {
  /** in hex */
  id: string;
  expires_at: string;
}

/** A send request waiting for its decision. All work that needs no database is already done. */
export interface SendItem {
  /** The columns of the verification that are known before the decision. An absent one is null. */
  row: Partial<ReturnType<typeof rowOf>>;
  account_id: string;
  api_key_id: string;
  /** The id of the verification, if the send creates one. */
  id: string;
  /** Null for a step of a plan, which no request has asked for. */
  log_id: string | null;
  /** The request's path for the log, if it is not that of the API. */
  endpoint?: string;
  channel: Channel;
  recipient: string;
  /** Segments of the text with its code; SMS only. */
  segments: number | null;
  /** The charge of an accepted send at the current prices. 0 for a test. */
  cost_credits: number;
  expires_in: number;
  code_length: number;
  ip_address: string | null;
  /** When the request arrived, in ms of the process clock, for the log. */
  started_ms: number;
  /** Identifies the recipient across all accounts: 128 bits of a keyed hash, in hex. Null for a test. */
  recipient_hash: string | null;
  /** The recipient's hashes under the current server key and the previous ones, by which it may be known. */
  known_hashes?: readonly string[];
  /** How the send passes the rules on destinations as one to a known recipient. */
  known?: Known | undefined;
  /** Hashes under which the opt-out list may contain the number; SMS only. */
  opt_out: readonly string[] | null;
  /** Hashes for the suppressed addresses; e-mail only. */
  suppression: readonly string[] | null;
  /** What a look-up found, if a rule needs one. */
  lookup?: AskedLookup | undefined;
  /** No number was looked up, because the account could not pay for the send. */
  is_unpaid?: boolean;
  /** For the rules on destinations; null for e-mail. */
  destination: Destination | null;
  idempotency: Idempotency | null;
  /** The limits that an operator set for the account; null if none. */
  account_limits: AccountLimits | null;
  /** The code, if the sender made it and verifies it. */
  own_code: OwnCode | null;
  /** The open verification whose code the message repeats. */
  resend?: Resend;
  /** The plan that the send begins. */
  plan?: NewPlan;
  /** The step of a plan that the message is. */
  step?: StartedStep;
  /** Why it cannot be sent, such as its text. A repeated request gets its first response all the same. */
  refusal?: FieldErrors | Failure | undefined;
  /** A limit that the send names has no room for it. */
  limit_reached?: LimitReached | undefined;
  /** The proof of work that a request of the API has given or needs. */
  proof?: SendProof | undefined;
  /** What the code is for. */
  purpose?: string | undefined;
  /** The reply names the length of the code. */
  names_length?: boolean;
  /** Sent with a test key: it costs nothing, no limit of live sends applies, and its outcome may be simulated. */
  is_test: boolean;
  /** The branding of the account's messages. Without it the send is dispatched through the queue. */
  texts?: Pick<
    Program,
    'sender_name' | 'reply_to_email' | 'default_message' | 'default_subject' | 'default_language'
  >;
  /** The decision of an earlier attempt at the same batch, in case its commit succeeded. */
  decided?: SendReply;
}

/** Every field becomes the column of its name. */
const rowOf = (
  { account_id, api_key_id, is_test }: Program,
  { channel, code, locale, max_attempts, metadata, purpose }: SendBody,
  derived: Wording & {
    recipient: string;
    /** ISO 3166-1 alpha-2; null for e-mail. */
    country: string | null;
    /** Segments of the text with its code; SMS only. */
    segments: number | null;
    /** The charge of an accepted send at the current prices. 0 for a test. */
    cost_credits: number;
    client_ip: string | undefined;
    resend_of?: string | undefined;
    plan?: StoredPlan | undefined;
    /** what a look-up before the send found */
    lookup?: LookupOfSend | undefined;
  },
) => ({
  account_id,
  api_key_id,
  channel,
  locale,
  max_attempts,
  purpose,
  metadata: Object.keys(metadata ?? {}).length > 0 ? metadata : undefined,
  is_test,
  own_code: code !== undefined,
  ...derived,
});

/** Who receives a code and how long it is, whichever channel takes it. */
export interface Addressed {
  recipient: string;
  country: string | null;
  code_length: number;
  destination: Destination | null;
  /** of the recipient: the current hash, and all by which it may be known; none for a test */
  hashes: readonly string[];
}

/** Everything of a send that its channel does not change. The channel says only whether it is for phones. Throws field errors. */
export function addressed(
  app: App,
  program: Program,
  body: Pick<SendBody, 'channel' | 'recipient' | 'client_ip' | 'code' | 'code_length' | 'max_attempts'>,
): Addressed {
  const { channel, client_ip = null } = body;
  const { label, recipient: addressing } = factsOf(channel);
  if (!app.carriers.has(channel))
    throw new FieldErrors({ channel: [`${label} is not available on this service.`] });
  const { account_id, is_test } = program;
  const { recipient, country } = normaliseRecipient(app, channel, body.recipient, {
    is_test,
    countries: is_test ? undefined : app.accountLimits.of(account_id)?.countries,
  });
  const isGuarded = !is_test && addressing === 'phone';
  const destination = isGuarded ? destinationOf(recipient, client_ip) : undefined;
  return {
    recipient,
    country,
    code_length: codeLengthOf(program, body),
    destination: guardedDestination(app, account_id, destination),
    hashes: is_test ? [] : recipientHashes(app, recipient).map((hash) => hash.toString('hex')),
  };
}

/**
 * Prepares everything that a send's decision needs, except the details of the HTTP request. Throws field errors; those of the text
 * are the item's `refusal`. A plan has addressed its send and made its text before.
 */
export async function sendItem(
  app: App,
  program: Program,
  body: SendBody,
  {
    to = addressed(app, program, body),
    text,
  }: { to?: Addressed | undefined; text?: SendText | undefined } = {},
): Promise<Omit<SendItem, 'log_id' | 'idempotency' | 'ip_address' | 'started_ms'>> {
  const { channel } = body;
  const { obeysOptOut, recipient: addressing } = factsOf(channel);
  const { account_id, api_key_id, is_test } = program;
  const { recipient, country, code_length, destination, hashes } = to;
  const { segments, refusal, ...wording } = text ?? (await sendText(app, program, body, to));
  const cost_credits = is_test ? 0 : app.prices.costOf({ channel, country, segments });
  const client_ip = destination?.address ?? undefined;
  return {
    row: rowOf(program, body, { ...wording, recipient, country, segments, cost_credits, client_ip }),
    account_id,
    api_key_id,
    id: app.random.uuid(),
    channel,
    recipient,
    segments,
    cost_credits,
    recipient_hash: hashes[0] ?? null,
    expires_in: body.expires_in ?? program.default_expiry_seconds,
    code_length,
    own_code:
      body.code === undefined ? null : sealOwnCode(app, { ...program, channel, recipient }, body.code),
    refusal,
    purpose: body.purpose,
    names_length: body.code_length !== undefined,
    known_hashes: hashes,
    destination,
    opt_out: obeysOptOut && !is_test ? optOutHexes(app, recipient) : null,
    suppression: addressing === 'email' && !is_test ? suppressionHexes(app, recipient) : null,
    is_test,
    account_limits: (is_test ? undefined : app.accountLimits.of(account_id)) ?? null,
    texts: program,
  };
}

/** The text of a send, or why it cannot be sent. */
export type SendText = Wording & { segments: number | null; refusal?: FieldErrors };

export const sendText = (
  app: App,
  program: Program,
  body: SendBody,
  to: Pick<Addressed, 'country' | 'code_length'>,
): Promise<SendText> => wordingFor(app, program, body, to).catch(unsendable);

/** In place of a text. */
function unsendable(error: unknown): SendText {
  if (!(error instanceof FieldErrors)) throw error;
  return { message: undefined, subject: undefined, language: undefined, segments: 1, refusal: error };
}

/** Throws a field error if a guess of the code would be likelier than one of the account's default. */
function codeLengthOf(
  { default_otp_length }: Program,
  { code, code_length, max_attempts }: SendBody,
): number {
  const asked = code_length ?? max_attempts;
  if (code !== undefined) {
    if (asked !== undefined)
      throw new FieldErrors({
        [code_length === undefined ? 'max_attempts' : 'code_length']: ['This is not for a code of your own.'],
      });
    return code.length;
  }
  const length = code_length ?? default_otp_length;
  if (asked === undefined) return length;
  const most = mostAttempts(length, default_otp_length);
  if (most === 0)
    throw new FieldErrors({
      code_length: [
        `Code length must be at least ${default_otp_length}, the length in the account's settings: shorter codes are easier to guess.`,
      ],
    });
  if (max_attempts !== undefined && max_attempts > most)
    throw new FieldErrors({
      max_attempts: [`A code of ${length} digits allows at most ${most} attempts. More need a longer code.`],
    });
  return length;
}

/** A trusted account is exempt from the rules, but not from deny lists. */
export function guardedDestination(
  { accountLimits, protection, clock }: Pick<App, 'accountLimits' | 'protection' | 'clock'>,
  account_id: string,
  to: Destination | undefined,
): Destination | null {
  if (!to) return null;
  if (!accountLimits.of(account_id)?.is_trusted) return to;
  return protection.guard.denies({ account_id, to, now_ms: clock.now().getTime() }) ? to : null;
}
