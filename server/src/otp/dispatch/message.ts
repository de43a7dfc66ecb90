import { factsOf } from '@sixdigit/contract/channels.ts';
import { DEFAULT_MESSAGE, DEFAULT_SUBJECT } from '@sixdigit/contract/code-message.ts';
import { callLanguageOf, languageOf } from '@sixdigit/contract/languages.ts';
import { TEST_CODE } from '@sixdigit/contract/test-mode.ts';
import { renderSms } from '@sixdigit/contract/text/sms-segments.ts';
import { type Carrier, type Message, mailSenderName } from '../../messaging/carriers/carriers.ts';
import { callScript, codeText, renderOtpMail } from '../../messaging/mail/mail.ts';
import { apiBase } from '../../platform/config.ts';
import type { Needs } from '../../platform/platform.ts';
import { openCode } from '../code.ts';
import { bounceAddress } from '../reports/bounce-address.ts';
import { reportReference } from '../reports/report-reference.ts';
import type { TestMessageRow } from '../test-mode/test-mode.ts';
import type { Claimed } from './queries.ts';

/** The message for the carrier, with the plain code. */
export function compose(app: Needs<'config' | 'vault'>, claimed: Claimed, recipient: string): Message {
  const code = claimed.digits ?? openCode(app, claimed.account_id, recipient, claimed.sealed);
  const { id, channel } = claimed;
  const base = {
    id,
    channel,
    recipient,
    code,
    expires_at: new Date(claimed.expires_at),
    ...(claimed.dlt ? { dlt: claimed.dlt } : {}),
  };
  const rendered = renderMessage(app, claimed, code);
  if (factsOf(channel).format !== 'mail') return { ...base, ...rendered };
  return {
    ...base,
    ...rendered,
    sender_name: claimed.sender_name || mailSenderName(app.config),
    ...(claimed.reply_to_email ? { reply_to: claimed.reply_to_email } : {}),
  };
}

export type Rendered = Pick<
  Claimed,
  | 'channel'
  | 'message'
  | 'subject'
  | 'language'
  | 'locale'
  | 'sender_name'
  | 'default_message'
  | 'default_subject'
  | 'default_language'
  | 'seconds'
>;

/** The text that the recipient reads or hears. */
export function renderMessage(
  { config }: Needs<'config'>,
  written: Rendered,
  code: string,
): Pick<Message, 'text' | 'subject' | 'html' | 'language' | 'script'> {
  const template = written.message ?? (written.default_message || DEFAULT_MESSAGE);
  const { format } = factsOf(written.channel);
  const named = written.language ?? written.locale;
  const tagged = named === null ? {} : { language: named };
  const language = languageOf(named ?? '', written.default_language);
  if (format === 'text') return { ...tagged, text: renderSms(template, code) };
  // The inbox and gateways show it in place of the text of the channel's company.
  if (format === 'fixed') return { ...tagged, text: renderSms(codeText(language), code) };
  if (format === 'speech') {
    const spoken = callLanguageOf(language, written.default_language);
    const script = callScript(spoken, config.brandName, code);
    return {
      language: spoken,
      script,
      text: script.flatMap((part) => ('say' in part ? part.say : []))[0] ?? '',
    };
  }
  return {
    ...tagged,
    ...renderOtpMail({
      // An account without a sender name uses the deployment's.
      brand: written.sender_name ? config.brandName : mailSenderName(config),
      supportEmail: config.supportEmail,
      senderName: written.sender_name,
      subject: written.subject ?? (written.default_subject || DEFAULT_SUBJECT),
      messageTemplate: template,
      messageLanguage: written.language ?? undefined,
      language,
      code,
      expiresInSeconds: written.seconds,
    }),
  };
}

/** A message of the test inbox with its code, which is hidden if it was the sender's own and has expired. */
export function renderTestMessage(
  app: Needs<'config' | 'vault'>,
  row: TestMessageRow,
): ReturnType<typeof renderMessage> & { code: string } {
  const code = codeOfTest(app, row);
  return { code, ...renderMessage(app, row, code) };
}

function codeOfTest(
  app: Needs<'vault'>,
  { account_id, recipient, own_code, code_sealed, code_length }: TestMessageRow,
): string {
  if (!own_code) return TEST_CODE.slice(0, code_length);
  return code_sealed ? openCode(app, account_id, recipient, code_sealed) : '•'.repeat(code_length);
}

/**
 * Where the carrier reports the delivery. The URL contains the verification's id, so that a report counts even if the carrier's
 * response was lost.
 */
export function reportTo(
  app: Needs<'config' | 'vault'>,
  { id, account_id }: Pick<Claimed, 'id' | 'account_id'>,
  { name, callbacks, bounceDomain }: Pick<Carrier, 'name' | 'callbacks' | 'bounceDomain'>,
): Pick<Message, 'status_url' | 'reference' | 'return_path'> {
  const status_url = `${apiBase(app.config)}/carriers/${name}/status/?otp=${id}&account=${account_id}`;
  if (bounceDomain) return { status_url, return_path: bounceAddress(app, name, id, bounceDomain) };
  if (callbacks?.namesBy !== 'reference') return { status_url };
  return { status_url, reference: reportReference(app, name, { otp_id: id, account_id }) };
}
