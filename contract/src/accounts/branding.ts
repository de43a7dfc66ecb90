import { z } from 'zod';
import { CODE_LENGTH, expirySeconds, messageTemplate, subjectLine } from '../code-message.ts';
import { EMAIL_MESSAGE, email, headerText, headerTextMessage, language } from '../field.ts';
import { LANGUAGES } from '../languages.ts';
import { route } from '../route.ts';
import { CallPart } from '../text/call-script.ts';
import { wholeText } from '../viewer-texts.ts';

export const SENDER_NAME_NO_ADDRESS = 'Sender name must not contain @';

const own = { tag: 'account', auth: 'bearer' } as const;

export const AUTO_PURCHASE_THRESHOLD = { min: 1, max: 10_000, default: 50 } as const;
export const AUTO_PURCHASE_AMOUNT = { min: 100, max: 100_000, default: 500 } as const;

/** A whole number within bounds. Input that is not a number becomes the default. */
const bounded = (range: { min: number; max: number; default: number }, low: string, high: string) =>
  z.number().int().min(range.min, low).max(range.max, high).default(range.default);

const longEnough = (least: number, message: string) => (text: string, context: z.RefinementCtx) => {
  if (text !== '' && text.trim().length < least) context.addIssue({ code: 'custom', message });
};

export const BrandingBody = z.object({
  sender_name: z
    .string()
    .max(64, 'Sender name must be at most 64 characters')
    .refine(headerText, headerTextMessage('Sender name'))
    .refine((text) => !text.normalize('NFKC').includes('@'), SENDER_NAME_NO_ADDRESS)
    .superRefine(longEnough(2, 'Sender name must be at least 2 characters'))
    .transform((text) => text.trim())
    .default(''),
  reply_to_email: z
    .string()
    .trim()
    .refine((text) => text === '' || email.safeParse(text).success, EMAIL_MESSAGE)
    .default(''),
  default_subject: z
    .string()
    .trim()
    .superRefine((text, context) => {
      if (text === '') return;
      const parsed = subjectLine.safeParse(text);
      if (!parsed.success)
        context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? '' });
    })
    .default(''),
  default_message: z
    .string()
    .trim()
    .superRefine((text, context) => {
      if (text === '') return;
      const parsed = messageTemplate.safeParse(text);
      if (!parsed.success)
        context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? '' });
    })
    .default(''),
  default_language: language.optional().meta({
    description: 'The language of our texts, and of the account’s own. Absent: as before',
  }),
  language_by_country: z.boolean({ error: 'Must be true or false.' }).optional().meta({
    description:
      'Whether a phone number’s country chooses the language of a send that asks for none. Absent: as before',
  }),
  default_otp_length: bounded(
    CODE_LENGTH,
    `OTP length must be at least ${CODE_LENGTH.min} digits`,
    `OTP length must be at most ${CODE_LENGTH.max} digits`,
  ),
  default_expiry_seconds: expirySeconds.default(300),
  auto_purchase_enabled: z.boolean().default(false),
  auto_purchase_threshold: bounded(
    AUTO_PURCHASE_THRESHOLD,
    'Auto-purchase threshold must be at least 1 credit',
    'Auto-purchase threshold must be at most 10,000 credits',
  ),
  auto_purchase_amount: bounded(
    AUTO_PURCHASE_AMOUNT,
    'Auto-purchase amount must be at least 100 credits',
    'Auto-purchase amount must be at most 100,000 credits',
  ),
  low_balance_threshold: z
    .number()
    .int()
    .min(0, 'Low-balance threshold must be at least 0 credits')
    .max(1_000_000, 'Low-balance threshold must be at most 1,000,000 credits')
    .nullable()
    .default(null)
    .meta({
      description:
        'Below this balance, every screen shows a warning and the account gets an email, and another one at 0. null: the default, which is a tenth of the balance after credits were last added, but at least 5 credits and at most the threshold of auto-purchase while it is on. 0: no emails, and a warning only at a balance of 0',
    }),
});
export const Branding = z.object({
  sender_name: z.string(),
  reply_to_email: wholeText,
  default_subject: z.string(),
  default_message: z.string(),
  default_language: z.enum(LANGUAGES),
  language_by_country: z.boolean(),
  default_otp_length: z.number().int(),
  default_expiry_seconds: z.number().int(),
  auto_purchase_enabled: z.boolean(),
  auto_purchase_threshold: z.number().int(),
  auto_purchase_amount: z.number().int(),
  low_balance_threshold: z.number().int().nullable(),
});
export type Branding = z.infer<typeof Branding>;

export const getBranding = route('GET /profile/email-branding/', {
  ...own,
  name: 'getBranding',
  summary: 'OTP configuration',
  reply: Branding,
});
export const updateBranding = route('PUT /profile/email-branding/', {
  ...own,
  name: 'updateBranding',
  stepUp: { when: 'a setting changes' },
  summary: 'Change the OTP configuration',
  body: BrandingBody,
  reply: Branding,
});
export const updateLowBalance = route('PUT /profile/low-balance/', {
  ...own,
  name: 'updateLowBalance',
  summary: 'Change the low-balance threshold',
  body: BrandingBody.pick({ low_balance_threshold: true }),
  reply: Branding.pick({ low_balance_threshold: true }),
});
export const previewBranding = route('POST /profile/email-branding/preview/', {
  ...own,
  name: 'previewBranding',
  summary: 'Preview the messages that these settings would send',
  body: BrandingBody,
  reply: z.object({
    subject: wholeText,
    html: wholeText,
    text: wholeText,
    sms: wholeText.meta({ description: 'The text of an SMS, with {code}' }),
    call: z.array(CallPart),
  }),
});
