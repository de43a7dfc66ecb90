import { withAutofill } from '@sixdigit/contract/autofill.ts';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { DEFAULT_MESSAGE } from '@sixdigit/contract/code-message.ts';
import {
  callLanguageOf,
  type Language,
  languageOf,
  languageOfCountry,
} from '@sixdigit/contract/languages.ts';
import type { SendBody as SendFields } from '@sixdigit/contract/otp.ts';
import type { Dlt, Template } from '@sixdigit/contract/templates.ts';
import { spokenSeconds } from '@sixdigit/contract/text/call-script.ts';
import { anyCode, renderSms, smsSegments, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import type { z } from 'zod';
import type { ApiCaller, SendSettings } from '../../api-keys/api-keys.ts';
import { codeSubject, codeText } from '../../messaging/mail/mail.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import { requireListedLinks } from '../../protection/message-links/message-links.ts';
import { filledText, type Templates, textFor } from '../../templates/templates.ts';

/** The fields that a send needs from its key and its account. */
export type Program = Pick<ApiCaller, 'account_id' | 'api_key_id' | 'is_test' | keyof SendSettings>;

export type WordingApp = Needs<'config' | 'db'> & { templates: Templates };
type App = WordingApp;
export type SendBody = z.output<typeof SendFields>;
type Body = SendBody;

/** What the recipient reads or hears, with its segments. Throws field errors. */
export async function wordingFor(
  app: App,
  program: Program,
  body: Body,
  to: ShortFor,
): Promise<Wording & { segments: number | null }> {
  const { country, code_length } = to;
  const { format } = factsOf(body.channel);
  if (format === 'fixed') return fixedWording(program, body, to);
  if (format === 'speech') requireShortSpeech(app, body.message, code_length);
  const template = await templateOf(app, program, body);
  const wording = template
    ? templateWording(app, program, body, { template, country })
    : shortWordingOf(app, program, body, to);
  if (format === 'speech') return { ...wording, segments: null };
  if (template) await requireListedWording(app, program, body, wording);
  else if (hasOwnText(program, body)) await requireListed(app, program, body);
  if (format === 'mail') return { ...wording, segments: null };
  if (hasAutofill(body)) await requireListedAutofill(app, program, body, wording);
  const field = template ? 'template' : 'message';
  return { ...wording, segments: segmentsOf(app, wording.message, { ...program, code_length, field }) };
}

/** The fields of a send that need a text of the sender's own. */
const TEXT_FIELDS = ['message', 'subject', 'template', 'variables', 'app_hash', 'domain'] as const;

/** The recipient reads a text of the channel's company, which contains the code. Throws field errors. */
function fixedWording(
  program: Program,
  body: Body,
  { country, code_length }: ShortFor,
): Wording & { segments: null } {
  const { label, digitsMost } = factsOf(body.channel);
  const given = TEXT_FIELDS.filter((field) => body[field] !== undefined);
  if (given.length > 0)
    throw new FieldErrors(
      Object.fromEntries(given.map((field) => [field, [`${label} shows only its own text with the code.`]])),
    );
  if (digitsMost !== undefined && (code_length > digitsMost || /\D/.test(body.code ?? ''))) {
    const field = (['code', 'code_length'] as const).find((name) => body[name] !== undefined) ?? 'channel';
    throw new FieldErrors({ [field]: [`${label} delivers only codes of 4 to ${digitsMost} digits.`] });
  }
  const language = wantedLanguage(program, body.locale, country);
  return { message: undefined, subject: undefined, language, segments: null };
}

/** The text of a send for another message with its code. A channel with a fixed text replaces only a text of ours. */
export const textForResend = (
  { message, subject, language, template }: SentText,
  channel: Channel,
): Pick<Body, 'message' | 'subject'> =>
  factsOf(channel).format === 'fixed' && language !== null && template === null
    ? {}
    : { message: message ?? undefined, subject: subject ?? undefined };

interface SentText extends Pick<UsedTemplate, 'language' | 'template'> {
  message: string | null;
  subject: string | null;
}

/** What the recipient reads, where it is not the account's default text. */
export interface Wording {
  message: string | undefined;
  subject: string | undefined;
  /** of our text, or of the template's */
  language: string | undefined;
  template?: string | undefined;
  template_version?: number | undefined;
  dlt?: Dlt | undefined;
}

/** What a send stored of its template. */
export interface UsedTemplate {
  language: string | null;
  template: string | null;
  template_version: number | null;
  dlt: Dlt | null;
}

/** The columns for the same text in another send. The template may have changed since. */
export const usedTemplate = ({ language, template, template_version, dlt }: UsedTemplate) =>
  template === null
    ? {}
    : {
        language: language ?? undefined,
        template,
        template_version: template_version ?? undefined,
        dlt: dlt ?? undefined,
      };

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

/** The template of a send. Throws field errors. */
async function templateOf(
  { templates }: App,
  { account_id }: Program,
  { template: name, variables, message, subject }: Body,
): Promise<Template | undefined> {
  if (name === undefined) {
    if (variables !== undefined) throw new FieldErrors({ variables: ['Variables need a template.'] });
    return undefined;
  }
  for (const [field, given] of Object.entries({ message, subject }))
    if (given !== undefined) throw new FieldErrors({ [field]: ['Give either a template or a text.'] });
  const template = await templates.find(account_id, name);
  if (!template) throw new FieldErrors({ template: [`The account has no template ${name}.`] });
  return template;
}

/** The text that a template makes for a send. A call speaks a text of ours. Throws field errors. */
function templateWording(
  app: App,
  program: Program,
  body: Body,
  { template, country }: { template: Template; country: string | null },
): Wording {
  const { channel, locale, variables = {}, ...autofill } = body;
  const { format } = factsOf(channel);
  const used = { template: template.name, template_version: template.version };
  const { default_language: language = 'en', language_by_country } = program;
  const wanted = { locale, country: language_by_country ? country : null, language };
  const values = {
    variables,
    brand: program.sender_name || app.config.brandName,
    seconds: body.expires_in ?? program.default_expiry_seconds,
    code: body.code,
  };
  if (format === 'speech') return { ...wordingOf(program, body, country), ...used };
  const chosen = textFor(template, { ...wanted, channel: format === 'mail' ? 'email' : 'sms' });
  if (!chosen)
    throw new FieldErrors({ template: [`The template ${template.name} has no text for this channel.`] });
  const { text, subject } = filledText(chosen, template.variables, values);
  return {
    ...used,
    message: format === 'text' && hasAutofill(autofill) ? withAutofill(text, autofill) : text,
    subject:
      format === 'mail'
        ? (subject ?? wordingOf(program, { ...body, locale: chosen.locale }, null).subject)
        : undefined,
    language: chosen.locale,
    dlt: format === 'text' ? (template.dlt ?? undefined) : undefined,
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

/** Whether the message can contain a link. The product's default texts contain none. */
const hasOwnText = (
  { default_message, default_subject, sender_name }: Program,
  { message, subject }: { message?: string | undefined; subject?: string | undefined },
): boolean => Boolean(message || subject || default_message || default_subject || sender_name);

/** Like `requireListed`, for the text that a template and its variables make. */
const requireListedWording = (
  app: App,
  { account_id, sender_name, default_subject }: Program,
  { code }: Body,
  { message, subject = default_subject }: Wording,
): Promise<void> =>
  requireListedLinks(app, account_id, { template: [message, subject, sender_name].join('\n') }, { code });

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
  { default_message, code_length, field }: Pick<Program, 'default_message'> & Texted,
): number {
  const template = message ?? (default_message || DEFAULT_MESSAGE);
  const text = renderSms(template, anyCode(code_length));
  const isKnown = message === undefined || segmentsOfTexts.has(text);
  const segments = isKnown ? segmentsOfOurs(text) : smsSegments(text);
  if (segments <= app.config.smsMaxSegments) return segments;
  const what = message === undefined ? "The account's default message" : undefined;
  throw new FieldErrors({ [field]: [smsTooLong(text, app.config.smsMaxSegments, what) ?? ''] });
}

interface Texted {
  code_length: number;
  /** that the text comes from */
  field: 'message' | 'template';
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
