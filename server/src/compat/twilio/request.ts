import { endUserAddress } from '@sixdigit/contract/addresses/end-user-address.ts';
import { type Language, languageOf } from '@sixdigit/contract/languages.ts';
import { OWN_CODE } from '@sixdigit/contract/otp.ts';
import { z } from 'zod';
import { codeSubject, codeText } from '../../messaging/mail/mail.ts';
import { parseSendBody, type SendBody } from '../../otp/otp.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import type { Needs } from '../../platform/platform.ts';
import { invalid, TwilioError } from './errors.ts';
import { flag, friendlyName, parse, shortTexts, text, unsupported } from './fields.ts';
import type { ServiceRow } from './service-queries.ts';
import { CHANNEL_NAME, recipientIn } from './verification.ts';

/** The parameters of a new verification. Those that only change how a message looks are ignored if they have no effect here. */
const NEW = z.object({
  To: text(320),
  Channel: CHANNEL_NAME,
  CustomFriendlyName: friendlyName.optional(),
  CustomMessage: unsupported,
  SendDigits: unsupported,
  Locale: text(100).optional(),
  CustomCode: text(10).regex(OWN_CODE, 'must be 4 to 10 digits or upper-case letters').optional(),
  Amount: unsupported,
  Payee: unsupported,
  RateLimits: shortTexts.optional(),
  ChannelConfiguration: shortTexts.optional(),
  AppHash: text(11).optional(),
  TemplateSid: unsupported,
  Templates: unsupported,
  DeviceIp: text(64)
    .refine((value) => endUserAddress.safeParse(value).success, 'must be an IP address')
    .optional(),
  EnableSnaClientToken: flag.optional(),
  RiskCheck: z.enum(['enable', 'disable'], { error: 'must be enable or disable' }).optional(),
  Tags: shortTexts.optional(),
});

/** What a request asks for, in the form of `POST /otp/send/`. */
export interface Wanted {
  body: SendBody;
  recipient: string;
}

/** Throws 60200, or the reason why the service does not allow this. */
export function wantedFrom(
  app: Needs<'config'>,
  service: ServiceRow,
  fields: Record<string, unknown>,
): Wanted {
  const given = parse(NEW, fields);
  const { settings } = service;
  const recipient = recipientIn(app, 'To', given.To);
  if (recipient.includes('@') !== (given.Channel === 'email'))
    throw invalid('To', `must be ${given.Channel === 'email' ? 'an email address' : 'a phone number'}`);
  if (given.CustomCode !== undefined && !settings.custom_code_enabled)
    throw new TwilioError([403, 60204], 'Custom code not allowed', { reason: 'custom_code_disabled' });
  if (given.Channel === 'sms' && settings.skip_sms_to_landlines && isLandline(app, recipient))
    throw new TwilioError([403, 60205], 'SMS is not supported by landline phone number', {
      reason: 'landline',
    });
  const name = given.CustomFriendlyName ?? service.friendly_name;
  const language = languageOf(given.Locale ?? '');
  const texts = textsOf(service, { channel: given.Channel, name, language });
  const body = parseSendBody({
    channel: given.Channel,
    recipient,
    ...texts,
    ...(given.AppHash === undefined || given.Channel === 'whatsapp' ? {} : { app_hash: given.AppHash }),
    ...(given.CustomCode === undefined ? {} : { code: given.CustomCode }),
    ...(given.DeviceIp === undefined ? {} : { client_ip: given.DeviceIp }),
    ...(given.RateLimits === undefined ? {} : { limits: given.RateLimits }),
  });
  return { body, recipient };
}

const isLandline = ({ config }: Needs<'config'>, recipient: string): boolean =>
  normalisePhone(recipient, config)?.type === 'FIXED_LINE';

/** Calls speak a sentence of their own, and WhatsApp shows a fixed text. */
function textsOf(
  { settings }: ServiceRow,
  { channel, name, language }: { channel: z.output<typeof CHANNEL_NAME>; name: string; language: Language },
): { message?: string; subject?: string; locale?: string } {
  if (channel === 'voice' || channel === 'whatsapp') return { locale: language };
  // The subject in English is that of the account.
  if (channel === 'email')
    return {
      message: codeText(language, { name }),
      locale: language,
      ...(language === 'en' ? {} : { subject: codeSubject(language) }),
    };
  return { message: codeText(language, { name, isWarned: settings.do_not_share_warning_enabled }) };
}
