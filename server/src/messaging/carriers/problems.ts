import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import { readSecret } from '../../platform/signing/standard-webhooks.ts';
import { type CarrierOptions, chosenCarriers } from './create-carriers.ts';
import { parseMailbox } from './email-address.ts';
import { smtpOptions } from './kinds/smtp/url.ts';
import { twilioChannels } from './kinds/twilio/send.ts';

/** Returns every problem with the carrier settings as a sentence for the operator. */
export function carrierProblems(options: CarrierOptions): string[] {
  return [
    ...smtpProblems(options),
    ...twilioProblems(options),
    ...httpProblems(options),
    ...CHANNELS.flatMap((channel) => orderProblems(options, channel)),
  ];
}

function smtpProblems({ smtpUrl, emailFrom, sandbox }: CarrierOptions): string[] {
  const problems: string[] = [];
  if (smtpUrl) {
    try {
      smtpOptions(smtpUrl);
    } catch (error) {
      const why = URL.canParse(smtpUrl)
        ? (error as Error).message
        : 'is not a URL like smtp://user:password@host:587';
      problems.push(`SMTP_URL ${why}.`);
    }
    if (!emailFrom && !sandbox) problems.push('EMAIL_FROM is missing: SMTP_URL needs a sender.');
  }
  if (emailFrom && !parseMailbox(emailFrom)) {
    problems.push('EMAIL_FROM must be an e-mail address or "Name <address>".');
  }
  return problems;
}

function twilioProblems({ twilio = {} }: CarrierOptions): string[] {
  const problems = togetherProblems({
    TWILIO_ACCOUNT_SID: twilio.accountSid,
    TWILIO_AUTH_TOKEN: twilio.authToken,
    TWILIO_FROM: twilio.from,
  });
  if (twilio.from && !isSender(twilio.from)) {
    problems.push(
      'TWILIO_FROM must be a number like +15551234567, a short code, a sender name or a messaging service (MG…).',
    );
  }
  if (twilio.apiUrl && !isHttpUrl(twilio.apiUrl)) problems.push('TWILIO_API_URL must be an http(s) address.');
  return problems;
}

/** Whether a text can be the sender of an SMS: a number, a short code, a name or a messaging service. */
export function isSender(from: string): boolean {
  if (/^MG/.test(from)) return /^MG[0-9a-f]{32}$/i.test(from);
  return (
    /^(?:\+[1-9]\d{6,14}|\d{5,6})$/.test(from) || (/^[A-Za-z0-9 ]{1,11}$/.test(from) && /[A-Za-z]/.test(from))
  );
}

function httpProblems({ http = {} }: CarrierOptions): string[] {
  const problems = togetherProblems({ HTTP_CARRIER_URL: http.url, HTTP_CARRIER_SECRET: http.secret });
  if (http.url && !isHttpUrl(http.url)) problems.push('HTTP_CARRIER_URL must be an http(s) address.');
  const read = http.secret ? readSecret(http.secret) : {};
  if ('problem' in read) problems.push(`HTTP_CARRIER_SECRET ${read.problem}.`);
  return problems;
}

/** Problems with settings that must be set together. */
function togetherProblems(settings: Record<string, string | undefined>): string[] {
  const missing = Object.keys(settings).filter((name) => !settings[name]);
  const given = Object.keys(settings).filter((name) => settings[name]);
  return given.length === 0
    ? []
    : missing.map((name) => `${name} is missing: ${given.join(' and ')} needs it.`);
}

const servedBy: Record<
  string,
  { needs: string; isSetUp(options: CarrierOptions): boolean; serves: readonly Channel[] }
> = {
  smtp: { needs: 'SMTP_URL', isSetUp: (options) => Boolean(options.smtpUrl), serves: ['email'] },
  twilio: {
    needs: 'TWILIO_ACCOUNT_SID',
    isSetUp: (options) => Boolean(options.twilio?.accountSid),
    serves: ['sms', 'voice'],
  },
  http: { needs: 'HTTP_CARRIER_URL', isSetUp: (options) => Boolean(options.http?.url), serves: CHANNELS },
  sandbox: { needs: 'SANDBOX', isSetUp: (options) => options.sandbox, serves: CHANNELS },
};

/** The name of the setting that lists a channel's carriers. */
export const carriersSetting = <C extends Channel>(channel: C): `${Uppercase<C>}_CARRIERS` =>
  `${channel.toUpperCase() as Uppercase<C>}_CARRIERS`;

/** The configured carriers of a channel that send to real recipients. */
export function carriersOf(options: CarrierOptions, channel: Channel): string[] {
  const chosen = chosenCarriers(options, channel);
  return Object.entries(servedBy).flatMap(([name, { isSetUp, serves }]) =>
    name !== 'sandbox' && isSetUp(options) && serves.includes(channel) && (chosen?.includes(name) ?? true)
      ? [name]
      : [],
  );
}

/** The configured carriers of all channels that send to real recipients. */
export const realCarriers = (options: CarrierOptions): string[] => [
  ...new Set(CHANNELS.flatMap((channel) => carriersOf(options, channel))),
];

function orderProblems(options: CarrierOptions, channel: Channel): string[] {
  const setting = carriersSetting(channel);
  return (chosenCarriers(options, channel) ?? []).flatMap((name) => {
    const carrier = Object.hasOwn(servedBy, name) ? servedBy[name] : undefined;
    if (!carrier) return [`${setting} names ${quoted(name)}; known are ${Object.keys(servedBy).join(', ')}.`];
    if (!carrier.serves.includes(channel))
      return [`${setting} names "${name}", which does not serve ${channel}.`];
    if (!carrier.isSetUp(options)) return [`${setting} names "${name}", but ${carrier.needs} is not set.`];
    const from = options.twilio?.from;
    if (name === 'twilio' && from && !twilioChannels(from).includes(channel)) {
      return [`${setting} names "twilio", but TWILIO_FROM is not a number that can place calls.`];
    }
    return [];
  });
}

const QUOTED_MOST = 40;
/** Quotes an arbitrary value for use in a one-line sentence. */
const quoted = (text: string): string =>
  JSON.stringify(text.length > QUOTED_MOST ? `${text.slice(0, QUOTED_MOST)}…` : text);

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
