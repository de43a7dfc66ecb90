import { z } from 'zod';
import { CHANNELS } from '../channels.ts';
import { ENVIRONMENT_CARRIERS } from '../environment-carriers.ts';
import { oneLine, optionalTime, time } from '../field.ts';
import { elks } from './carrier-kinds/46elks.ts';
import { android } from './carrier-kinds/android.ts';
import { aws } from './carrier-kinds/aws.ts';
import { bird } from './carrier-kinds/bird.ts';
import { custom } from './carrier-kinds/custom.ts';
import type * as Facts from './carrier-kinds/facts.ts';
import { gatewayapi } from './carrier-kinds/gatewayapi.ts';
import { http } from './carrier-kinds/http.ts';
import { httpsms } from './carrier-kinds/httpsms.ts';
import { infobip } from './carrier-kinds/infobip.ts';
import { plivo } from './carrier-kinds/plivo.ts';
import { postmark } from './carrier-kinds/postmark.ts';
import { resend } from './carrier-kinds/resend.ts';
import { ses } from './carrier-kinds/ses.ts';
import { sinch } from './carrier-kinds/sinch.ts';
import { smtp } from './carrier-kinds/smtp.ts';
import { telegram } from './carrier-kinds/telegram.ts';
import { telnyx } from './carrier-kinds/telnyx.ts';
import { twilio } from './carrier-kinds/twilio.ts';
import { vonage } from './carrier-kinds/vonage.ts';
import { whatsapp } from './carrier-kinds/whatsapp.ts';
import { adminRoute, finding, reason, supportRoute } from './operator.ts';

/** Every kind, in the order to try and to show. */
const FACTS = {
  smtp,
  postmark,
  resend,
  ses,
  httpsms,
  android,
  twilio,
  vonage,
  telnyx,
  plivo,
  sinch,
  infobip,
  '46elks': elks,
  gatewayapi,
  bird,
  aws,
  whatsapp,
  telegram,
  http,
  custom,
};

export type CarrierKind = keyof typeof FACTS;
export const CARRIER_KINDS = Object.keys(FACTS) as [CarrierKind, ...CarrierKind[]];

export type ReportSpeed = Facts.ReportSpeed;

export type CarrierFieldName = (typeof FACTS)[CarrierKind]['fields'][number]['name'];
export type CarrierField = Facts.CarrierField<CarrierFieldName>;

export const CARRIER_KIND_FACTS: Record<CarrierKind, Facts.CarrierFacts<CarrierFieldName>> = FACTS;

const FIELD_NAMES = [
  ...new Set(CARRIER_KINDS.flatMap((kind) => CARRIER_KIND_FACTS[kind].fields.map(({ name }) => name))),
];
/** A value for each field of any kind. */
export const perCarrierField = <T>(value: (name: CarrierFieldName) => T): Record<CarrierFieldName, T> =>
  Object.fromEntries(FIELD_NAMES.map((name) => [name, value(name)])) as Record<CarrierFieldName, T>;

/** The names of the carriers that the environment sets up, of the inbox and of simulated sends. */
export const RESERVED_CARRIER_NAMES: readonly string[] = [
  ...Object.keys(ENVIRONMENT_CARRIERS),
  'sandbox',
  'test',
];

const NAME_MESSAGE = 'Use 2 to 32 lower-case letters, digits and hyphens, beginning with a letter';
const carrierName = z
  .string()
  .trim()
  .regex(/^[a-z][a-z0-9-]{0,30}[a-z0-9]$/, NAME_MESSAGE)
  .refine(
    (name) => !RESERVED_CARRIER_NAMES.includes(name),
    'Carriers of the environment have this name. Choose another one, such as twilio-eu',
  );

const channel = z.enum(CHANNELS, { error: `Channel must be one of: ${CHANNELS.join(', ')}.` });
const channels = z
  .array(channel, { error: 'Choose at least one channel' })
  .min(1, 'Choose at least one channel')
  .max(CHANNELS.length, 'Name each channel once');

const text = z
  .string({ error: 'Must be text' })
  .trim()
  .max(2_500, 'At most 2,500 characters')
  .refine(oneLine, 'Must be a single line')
  .optional();
const longText = z
  .string({ error: 'Must be text' })
  .trim()
  .max(16_000, 'At most 16,000 characters')
  .optional();
const isLong = (name: CarrierFieldName): boolean =>
  CARRIER_KINDS.some((kind) =>
    CARRIER_KIND_FACTS[kind].fields.some((one) => one.name === name && one.isLong),
  );
/** Which of them a carrier needs depends on its kind. An empty secret keeps the stored one. */
const fields = perCarrierField((name) => (isLong(name) ? longText : text));

const isEnabled = z.boolean({ error: 'Must be true or false.' });

const reportState = z.enum(['delivered', 'undelivered', 'sent', 'other', 'unknown']).meta({
  description: 'Its meaning. An unknown status changes nothing',
});

export const CarrierSetup = z.object({
  name: z.string().meta({ description: 'Customers see it in the history of a verification' }),
  kind: z.enum(CARRIER_KINDS),
  source: z.enum(['environment', 'console']).meta({
    description: 'Only carriers of the console can be changed by these calls',
  }),
  channels: z.array(channel),
  is_enabled: z.boolean(),
  version: z.number().int().meta({ description: '0 for a carrier of the environment' }),
  fields: z.array(
    z.object({
      name: z.string(),
      value: z.string().nullable().meta({ description: 'null for secrets and for fields that are not set' }),
      is_set: z.boolean(),
      last4: z.string().nullable().meta({ description: 'The end of a long secret' }),
      setting: z.string().nullable().meta({ description: 'The environment variable that sets it' }),
    }),
  ),
  inbound_url: z.string().nullable().meta({ description: 'Address for replies such as STOP' }),
  report_url: z.string().nullable().meta({
    description: 'Address for delivery reports, if it must be registered at the company',
  }),
  verify_token: z.string().nullable().meta({
    description: 'What to enter next to the address for delivery reports, if the company asks for a token',
  }),
  problem: z.string().nullable().meta({ description: 'Why the carrier is not used although it is on' }),
  reports_problem: z.enum(['no_reports', 'private_address']).nullable().meta({
    description:
      'Why no delivery reports come: the carrier makes none, or PUBLIC_URL (or API_URL) is not an address that it can reach',
  }),
  sender_warnings: z.array(z.string()).meta({
    description: 'Countries that refuse its sender names, or deliver only registered ones',
  }),
  last_test: z
    .object({
      channel,
      sent_at: time,
      seconds_ago: z.number().int(),
      outcome: z.enum(['accepted', 'refused', 'uncertain']).nullable().meta({
        description: 'null while the carrier has not responded',
      }),
      report: z
        .object({
          state: reportState,
          status: z.string().nullable().meta({ description: 'As the company writes it' }),
          reason: z.string().nullable(),
          price: z.string().nullable(),
          network: z.string().nullable(),
          reported_at: time,
        })
        .nullable(),
    })
    .nullable()
    .meta({ description: 'The last test message, with the delivery report about it' }),
  changed_at: optionalTime,
  changed_by: z.string().nullable(),
});
export type CarrierSetup = z.infer<typeof CarrierSetup>;

const reply = z.object({ setups: z.array(CarrierSetup) });

export const MOST_STORED_CARRIERS = 20;

export const listCarrierSetups = supportRoute('carriers:read', 'GET /operator/carrier-setups/', {
  name: 'listCarrierSetups',
  summary: 'Every configured carrier, from the environment and from the console, without its secrets',
  reply,
});
export const createCarrierSetup = adminRoute(null, 'POST /operator/carrier-setups/', {
  name: 'createCarrierSetup',
  summary: 'Add a carrier',
  description:
    'Every process uses it within a second. Its secrets are stored encrypted under the server key and are never returned. Operator keys cannot make this call.',
  body: z.object({
    name: carrierName,
    kind: z.enum(CARRIER_KINDS, { error: `Kind must be one of: ${CARRIER_KINDS.join(', ')}.` }),
    channels,
    is_enabled: isEnabled.default(true),
    ...fields,
    reason,
  }),
  status: 201,
  reply,
});
export const updateCarrierSetup = adminRoute(null, 'PUT /operator/carrier-setups/:name/', {
  name: 'updateCarrierSetup',
  summary: 'Change a carrier of the console, or replace its credentials',
  description:
    'An empty secret keeps the stored one, unless a field changes that says where the secret is sent. Messages in flight end with the carrier as it was. Operator keys cannot make this call.',
  body: z.object({
    channels,
    is_enabled: isEnabled,
    ...fields,
    version: z.number().int().min(0).meta({ description: 'The version that was read' }),
    reason,
  }),
  reply,
  failures: ['changed_meanwhile'],
});
export const removeCarrierSetup = adminRoute(null, 'POST /operator/carrier-setups/:name/remove/', {
  name: 'removeCarrierSetup',
  summary: 'Delete a carrier of the console with its credentials and routes',
  description:
    'The carrier must be turned off, and no message in flight may need it. Operator keys cannot make this call.',
  body: z.object({
    version: z.number().int().min(0).meta({ description: 'The version that was read' }),
    reason,
  }),
  reply,
  failures: ['changed_meanwhile'],
});

// ── carriers that are records ──

const shownRequest = z
  .object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  })
  .nullable();
const shownReport = z.object({
  provider_message_id: z.string().nullable(),
  otp_id: z.string().nullable(),
  has_reference: z.boolean(),
  status: z.string().nullable().meta({ description: 'As the company writes it' }),
  state: reportState,
  reason: z.string().nullable(),
  price: z.string().nullable(),
  network: z.string().nullable(),
});
export const previewCarrier = supportRoute('carriers:read', 'POST /operator/carrier-preview/', {
  name: 'previewCarrier',
  summary: 'Show the request of a carrier for an example message, and what a sample report means',
  description: 'Sends nothing. The names of secrets stand for them.',
  body: z.object({
    kind: z.enum(CARRIER_KINDS, { error: `Kind must be one of: ${CARRIER_KINDS.join(', ')}.` }),
    ...fields,
    sample: z.string().max(20_000, 'At most 20,000 characters').optional().meta({
      description: 'The body of a report, as JSON or as a form',
    }),
  }),
  reply: z.object({
    request: shownRequest,
    feedback: shownRequest.meta({ description: 'The request after a right code, if that is on' }),
    problems: z.array(z.string()).meta({ description: 'Why the record cannot be used' }),
    warning: z.string().nullable().meta({ description: 'Why no delivery reports would come' }),
    reports: z.array(shownReport).nullable(),
    sample_problem: z.string().nullable(),
  }),
});
export type CarrierPreview = z.infer<typeof previewCarrier.reply>;

export const prepareCarrier = adminRoute(null, 'POST /operator/carrier-setups/:name/prepare/', {
  name: 'prepareCarrier',
  summary: 'Make at the company what a carrier of the console needs, such as the template of WhatsApp',
  description: 'The reply says what is still missing. Operator keys cannot make this call.',
  body: z.object({}),
  reply: finding,
});
export const checkCarrier = adminRoute('carriers:write', 'POST /operator/carrier-setups/:name/check/', {
  name: 'checkCarrier',
  summary:
    'Check the credentials of a carrier of the console, or the DNS records of its domains, without sending a message',
  body: z.object({}),
  reply: finding,
});
