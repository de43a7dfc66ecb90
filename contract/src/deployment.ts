import { z } from 'zod';
import { CHANNELS } from './channels.ts';

/** `GET /config.json`: describes the deployment to the web app. */
export const Deployment = z.object({
  brand_name: z.string(),
  support_email: z.string(),
  is_public: z
    .boolean()
    .meta({ description: 'whether the service is configured to be reached from other machines' }),
  api_url: z.string().meta({
    description: 'absolute base of the API, without trailing slash, e.g. https://example.com/api/v1',
  }),
  stripe_publishable_key: z.string().nullable(),
  cards: z.enum(['stripe', 'sandbox', 'none']),
  sandbox: z
    .object({
      /** simulated channels, for the banner */
      channels: z.array(z.enum(CHANNELS)),
      cards: z.boolean(),
      inbox: z.boolean(),
    })
    .nullable(),
  channels: z.array(z.enum(CHANNELS)).meta({ description: 'available channels' }),
  default_country: z
    .string()
    .meta({ description: 'country assumed for phone numbers without a country code' }),
  phone_countries: z
    .array(z.string())
    .meta({ description: 'countries of accepted phone numbers, ISO 3166-1 alpha-2; `*` is every country' }),
  sms_max_segments: z
    .number()
    .int()
    .meta({ description: 'maximum segments of one SMS; longer ones are refused' }),
});
export type Deployment = z.infer<typeof Deployment>;

/** `GET /sandbox/messages`, newest first. */
export const SandboxMessage = z.object({
  id: z.string().meta({ description: 'for the code of a verification, its otp_id' }),
  channel: z.enum(CHANNELS),
  recipient: z.string(),
  subject: z.string().nullable(),
  text: z.string(),
  html: z.string().nullable(),
  code: z.string().nullable(),
  created_at: z.string(),
});
export type SandboxMessage = z.infer<typeof SandboxMessage>;
