import { CODE_LENGTH } from '@sixdigit/contract/code-message.ts';
import { languageOf } from '@sixdigit/contract/languages.ts';
import { costOf } from '@sixdigit/contract/prices.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { type previewTemplate, variablesIn } from '@sixdigit/contract/templates.ts';
import { anyCode, renderSms, smsSegments, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import { programOf } from '../api-keys/api-keys.ts';
import type { PriceBook } from '../credits/prices/prices.ts';
import { mailSenderName } from '../messaging/carriers/carriers.ts';
import { codeSubject, renderOtpMail } from '../messaging/mail/mail.ts';
import type { Needs } from '../platform/platform.ts';
import { requireListedLinks } from '../protection/message-links/message-links.ts';
import { filledText, type PreviewBody } from './templates.ts';

export type PreviewApp = Needs<'clock' | 'config' | 'db' | 'random'> & { prices: PriceBook };

/** What a send of the text would look like and cost, with ascending digits as the code. */
export async function previewOf(
  app: PreviewApp,
  account_id: string,
  { variables = {}, ...body }: PreviewBody,
): Promise<Reply<typeof previewTemplate>> {
  const { config } = app;
  const program = await programOf(app.db, account_id);
  const { default_otp_length, default_expiry_seconds: seconds, sender_name } = program;
  const names = variablesIn(body.text, body.subject);
  const shown = Object.fromEntries(names.map((name) => [name, variables[name] ?? name]));
  const brand = sender_name || config.brandName;
  const { text, subject } = filledText(body, names, { variables: shown, brand, seconds });
  await requireListedLinks(app, account_id, { text, subject });
  const code = '12345678'.slice(0, default_otp_length);
  const { sends } = app.prices.current();
  const segments = body.channel === 'sms' ? smsSegments(renderSms(text, anyCode(default_otp_length))) : null;
  const countries = sends.flatMap(({ channel, country }) => (channel === body.channel ? [country] : []));
  const prices = [...new Set([null, ...countries])].map((country) => ({
    country,
    credits: costOf(sends, { channel: body.channel, country, segments }),
  }));
  if (body.channel === 'sms') {
    const problem = smsTooLong(renderSms(text, anyCode(CODE_LENGTH.max)), config.smsMaxSegments) ?? null;
    return { text: renderSms(text, code), subject: null, html: null, segments, problem, prices };
  }
  const language = languageOf(body.locale, program.default_language);
  const mail = renderOtpMail({
    brand: sender_name ? config.brandName : mailSenderName(config),
    supportEmail: config.supportEmail,
    senderName: sender_name,
    subject: subject ?? codeSubject(language),
    messageTemplate: text,
    messageLanguage: body.locale,
    language,
    code,
    expiresInSeconds: seconds,
  });
  return { ...mail, segments, problem: null, prices };
}
