import { factsOf } from '#contract/channels.ts';
import { DEFAULT_MESSAGE, DEFAULT_SUBJECT } from '#contract/otp.ts';
import { renderSms } from '#contract/sms-segments.ts';
import type { Message } from '../carriers/carriers.ts';
import { renderOtpMail, voiceSentence } from '../mail/mail.ts';
import { apiBase } from '../platform/config.ts';
import type { Needs } from '../platform/platform.ts';
import { openCode } from './code.ts';
import type { Claimed } from './dispatch-queries.ts';

/** The message for the carrier, with the plain code. */
export function compose(app: Needs<'config' | 'vault'>, claimed: Claimed, recipient: string): Message {
  const { config } = app;
  const code = openCode(app, claimed.account_id, recipient, claimed.sealed);
  const template = claimed.message ?? (claimed.default_message || DEFAULT_MESSAGE);
  const expires_at = new Date(claimed.expires_at);
  const base = { id: claimed.id, channel: claimed.channel, recipient, code, expires_at };
  const { format } = factsOf(claimed.channel);
  if (format === 'mail') {
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
  const text = format === 'speech' ? voiceSentence(config.brandName, code) : renderSms(template, code);
  return { ...base, text };
}

/** The delivery report URL. It names the verification, so that a report counts even if the carrier's response was lost. */
export const statusUrl = (
  { config }: Needs<'config'>,
  { id, account_id }: Claimed,
  carrier: string,
): string => `${apiBase(config)}/carriers/${carrier}/status/?otp=${id}&account=${account_id}`;
