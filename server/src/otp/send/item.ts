import { withAutofill } from '@sixdigit/contract/autofill.ts';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { DEFAULT_MESSAGE } from '@sixdigit/contract/code-message.ts';
import { email } from '@sixdigit/contract/field.ts';
import { mostAttempts } from '@sixdigit/contract/guessing.ts';
import {
  callLanguageOf,
  type Language,
  languageOf,
  languageOfCountry,
} from '@sixdigit/contract/languages.ts';
import type { AccountLimits } from '@sixdigit/contract/operator/limits.ts';
import type { SendReply, sendOtp } from '@sixdigit/contract/otp.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { TEST_DOMAIN } from '@sixdigit/contract/test-mode.ts';
import { spokenSeconds } from '@sixdigit/contract/text/call-script.ts';
import { anyCode, renderSms, smsSegments, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import type { ApiCaller, SendSettings } from '../../api-keys/api-keys.ts';
import type { SendPrices } from '../../credits/prices/prices.ts';
import type { LimitReached } from '../../limits/limits.ts';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { codeSubject, codeText } from '../../messaging/mail/mail.ts';
import { optOutHexes } from '../../messaging/opt-outs/opt-outs.ts';
import { normalisePhone, phoneProblem } from '../../platform/addresses/phone.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import { requireListedLinks } from '../../protection/message-links/message-links.ts';
import { type Destination, destinationOf, type Protection } from '../../protection/protection.ts';
import type { LimitsOfAccounts } from '../../settings/account-limits/account-limits.ts';
import { type OwnCode, sealOwnCode } from '../code.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { testNumber } from '../test-mode/test-mode.ts';

const refuse = (message: string): never => {
  throw new FieldErrors({ recipient: [message] });
};

/** Identifies a recipient across all accounts, for limits that remain after its erasure: 128 bits of a keyed hash, in hex. */
export const recipientHash = (app: Needs<'vault'>, recipient: string): string =>
  app.vault.fingerprint('recipient-sends', recipient).toString('hex').slice(0, 32);

/**
 * Normalizes a recipient before any limit, look-up or charge: E.164 with its country (ISO 3166-1 alpha-2), or a lower-case
 * e-mail address. Throws a field error if the recipient is invalid, of a high-cost number type, or outside the countries of the account or ALLOWED_COUNTRIES.
 */
function normaliseRecipient(
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

type App = Needs<'config' | 'db' | 'clock' | 'random' | 'vault'> & {
  carriers: Carriers;
  prices: SendPrices;
  accountLimits: LimitsOfAccounts;
  protection: Pick<Protection, 'guard'>;
};
/** The fields that a send needs from its key and its account. */
export type Program = Pick<ApiCaller, 'account_id' | 'api_key_id' | 'is_test' | keyof SendSettings>;

/** What a resend repeats, as read before its locks. */
export interface Resend {
  otp_id: string;
  hmac: Buffer;
  expires_ms: number;
}

/** A send request waiting for its decision. All work that needs no database is already done. */
export interface SendItem {
  /** The columns of the verification that are known before the decision. An absent one is null. */
  row: Partial<ReturnType<typeof rowOf>>;
  account_id: string;
  api_key_id: string;
  /** The id of the verification, if the send creates one. */
  id: string;
  log_id: string;
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
  /** Hashes under which the opt-out list may contain the number; SMS only. */
  opt_out: readonly string[] | null;
  /** For the rules on destinations; null for e-mail. */
  destination: Destination | null;
  idempotency: Idempotency | null;
  /** The limits that an operator set for the account; null if none. */
  account_limits: AccountLimits | null;
  /** The code, if the sender made it and verifies it. */
  own_code: OwnCode | null;
  /** The open verification whose code the message repeats. */
  resend?: Resend;
  /** A limit that the send names has no room for it. */
  limit_reached?: LimitReached | undefined;
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

type Body = Parsed<typeof sendOtp, 'body'>;

/** What the recipient reads, where it is not the account's default text. */
interface Wording {
  message: string | undefined;
  subject: string | undefined;
  /** of our text */
  language: Language | undefined;
}

/** The wanted language, or else that of the recipient's country, if the account has chosen so, or else the account's. */
function wantedLanguage(
  { default_language = 'en', language_by_country }: Program,
  locale: string | undefined,
  country: string | null,
): Language {
  if (locale === undefined && language_by_country && country !== null)
    return languageOfCountry(country, default_language);
  return languageOf(locale ?? '', default_language);
}

/** The account's own default texts are in the account's language. A call speaks a text of ours, whatever the message. */
function wordingOf(
  program: Program,
  { channel, message, subject, locale, ...autofill }: Body,
  country: string | null,
): Wording {
  const { default_language = 'en', default_message, default_subject } = program;
  const { format } = factsOf(channel);
  const language = wantedLanguage(program, locale, country);
  if (format === 'speech')
    return { message, subject: undefined, language: callLanguageOf(language, default_language) };
  /** Undefined where the dispatch has the same text by default. */
  const ours = (own: string, text: (language: Language) => string): string | undefined =>
    (own !== '' && language === default_language) || (own === '' && language === 'en')
      ? undefined
      : text(language);
  const text = message ?? ours(default_message, codeText);
  return {
    message:
      format === 'text' && hasAutofill(autofill)
        ? withAutofill(text ?? (default_message || DEFAULT_MESSAGE), autofill)
        : text,
    subject: format === 'mail' ? (subject ?? ours(default_subject, codeSubject)) : undefined,
    language: message === undefined ? language : undefined,
  };
}

/** In English if our text in the wanted language needs too many segments: a language is never worth the loss of a message. */
function shortWordingOf(app: App, program: Program, body: Body, to: ShortFor): Wording {
  const { country, code_length } = to;
  const wording = wordingOf(program, body, country);
  const isOurs = body.message === undefined && wording.message !== undefined;
  if (factsOf(body.channel).format !== 'text' || !isOurs || wording.language === 'en') return wording;
  const segments = segmentsOfOurs(renderSms(wording.message ?? '', anyCode(code_length)));
  return segments <= app.config.smsMaxSegments
    ? wording
    : wordingOf(program, { ...body, locale: 'en' }, country);
}

interface ShortFor {
  country: string | null;
  code_length: number;
}

/** Throws a field error if the last line, alone or with the text before it, links to a domain that the account has not proven. */
async function requireListedAutofill(
  app: App,
  { account_id }: Program,
  { domain, code }: Body,
  { message }: Wording,
): Promise<void> {
  if (domain !== undefined) await requireListedLinks(app, account_id, { domain: `https://${domain}` });
  await requireListedLinks(app, account_id, { app_hash: message }, { code });
}

const hasAutofill = ({ app_hash, domain }: Pick<Body, 'app_hash' | 'domain'>): boolean =>
  app_hash !== undefined || domain !== undefined;

/** Every field becomes the column of its name. */
const rowOf = (
  { account_id, api_key_id, is_test }: Program,
  { channel, code, locale, max_attempts, metadata, purpose }: Body,
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

/** Prepares everything that a send's decision needs, except the details of the HTTP request. Throws field errors. */
export async function sendItem(
  app: App,
  program: Program,
  body: Body,
): Promise<Omit<SendItem, 'log_id' | 'idempotency' | 'ip_address' | 'started_ms'>> {
  const { channel } = body;
  const { label, format, obeysOptOut, recipient: addressing } = factsOf(channel);
  if (!app.carriers.has(channel))
    throw new FieldErrors({ channel: [`${label} is not available on this service.`] });
  const { is_test } = program;
  const limits = is_test ? undefined : app.accountLimits.of(program.account_id);
  const { recipient, country } = normaliseRecipient(app, channel, body.recipient, {
    is_test,
    countries: limits?.countries,
  });
  if (format !== 'speech' && hasOwnText(program, body)) await requireListed(app, program, body);
  const code_length = codeLengthOf(program, body);
  if (format === 'speech') requireShortSpeech(app, body.message, code_length);
  const wording = shortWordingOf(app, program, body, { country, code_length });
  if (format === 'text' && hasAutofill(body)) await requireListedAutofill(app, program, body, wording);
  const segments = format === 'text' ? segmentsOf(app, wording.message, { ...program, code_length }) : null;
  const destination =
    is_test || addressing === 'email'
      ? null
      : guardedDestination(app, program.account_id, destinationOf(recipient, body.client_ip ?? null));
  const { account_id, api_key_id } = program;
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
    recipient_hash: is_test ? null : recipientHash(app, recipient),
    expires_in: body.expires_in ?? program.default_expiry_seconds,
    code_length,
    own_code:
      body.code === undefined ? null : sealOwnCode(app, { ...program, channel, recipient }, body.code),
    purpose: body.purpose,
    names_length: body.code_length !== undefined,
    destination,
    opt_out: obeysOptOut && !is_test ? optOutHexes(app, recipient) : null,
    is_test,
    account_limits: limits ?? null,
    texts: program,
  };
}

/** Throws a field error if a guess of the code would be likelier than one of the account's default. */
function codeLengthOf({ default_otp_length }: Program, { code, code_length, max_attempts }: Body): number {
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
function guardedDestination(
  { accountLimits, protection, clock }: Pick<App, 'accountLimits' | 'protection' | 'clock'>,
  account_id: string,
  to: Destination | undefined,
): Destination | null {
  if (!to) return null;
  if (!accountLimits.of(account_id)?.is_trusted) return to;
  return protection.guard.denies({ account_id, to, now_ms: clock.now().getTime() }) ? to : null;
}

/** Whether the message can contain a link. The product's default texts contain none. */
const hasOwnText = (
  { default_message, default_subject, sender_name }: Program,
  { message, subject }: { message?: string | undefined; subject?: string | undefined },
): boolean => Boolean(message || subject || default_message || default_subject || sender_name);

/** Throws a field error if the message, subject or sender name that the recipient gets links to a domain that the account has not proven. */
async function requireListed(
  app: App,
  { account_id, default_message, default_subject, sender_name }: Program,
  { channel, message, subject, code }: Pick<Body, 'channel' | 'message' | 'subject' | 'code'>,
): Promise<void> {
  const isMail = factsOf(channel).format === 'mail';
  await requireListedLinks(app, account_id, { message, ...(isMail ? { subject } : {}) }, { code });
  await requireListedLinks(
    app,
    account_id,
    {
      message: message === undefined ? default_message : '',
      ...(isMail && subject === undefined ? { subject: default_subject } : {}),
    },
    { what: "The account's default", code },
  );
  await requireListedLinks(app, account_id, { sender_name }, { what: "The account's sender name" });
}

/** Throws a field error if the text, or else the account's default text, needs more segments than allowed. */
function segmentsOf(
  app: App,
  message: string | undefined,
  { default_message, code_length }: Pick<Program, 'default_message'> & { code_length: number },
): number {
  const template = message ?? (default_message || DEFAULT_MESSAGE);
  const text = renderSms(template, anyCode(code_length));
  const isKnown = message === undefined || segmentsOfTexts.has(text);
  const segments = isKnown ? segmentsOfOurs(text) : smsSegments(text);
  if (segments <= app.config.smsMaxSegments) return segments;
  const what = message === undefined ? "The account's default message" : undefined;
  throw new FieldErrors({ message: [smsTooLong(text, app.config.smsMaxSegments, what) ?? ''] });
}

/**
 * Throws a field error if the message would take too long to speak. A call speaks a fixed sentence instead, but a message that
 * long was evidently meant for another channel.
 */
function requireShortSpeech({ config }: App, message: string | undefined, code_length: number): void {
  if (message === undefined) return;
  const seconds = Math.ceil(spokenSeconds(renderSms(message, anyCode(code_length))));
  if (seconds <= config.voiceMaxSeconds) return;
  throw new FieldErrors({
    message: [
      `This message takes about ${seconds} seconds to speak with its code; at most ${config.voiceMaxSeconds} are allowed.`,
    ],
  });
}

/** Cached, because counting segments takes longer than most of a send's checks and default texts and ours are few. */
const segmentsOfTexts = new Map<string, number>();
const TEXTS_MAX = 1_000;

function segmentsOfOurs(text: string): number {
  const known = segmentsOfTexts.get(text);
  if (known !== undefined) return known;
  if (segmentsOfTexts.size >= TEXTS_MAX) segmentsOfTexts.clear();
  const segments = smsSegments(text);
  segmentsOfTexts.set(text, segments);
  return segments;
}
