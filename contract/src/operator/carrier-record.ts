import { z } from 'zod';
import { LINE_TYPES } from '../protection/lookups.ts';

/**
 * A carrier as data: the request that sends a message, the meaning of the response, and how its delivery reports and inbound texts are
 * proved and read. Texts contain placeholders such as `{to}`; each preset is one record, and operators write their own.
 */

/** What a response or its error code means for a message. */
export const ERROR_MEANINGS = [
  'accepted',
  'retry',
  'next_carrier',
  'permanent',
  'opted_out',
  'suppressed',
  'carrier_down',
] as const;
export type ErrorMeaning = (typeof ERROR_MEANINGS)[number];

/** What a mail provider reports besides deliveries. */
export const MAIL_MEANINGS = [
  'delayed',
  'hard_bounce',
  'soft_bounce',
  'blocked',
  'complaint',
  'suppressed',
] as const;
export type MailMeaning = (typeof MAIL_MEANINGS)[number];

/** What a reported status means. `read` is delivered too. `other` is known and changes nothing. */
export const STATUS_MEANINGS = ['sent', 'delivered', 'read', 'failed', 'other', ...MAIL_MEANINGS] as const;
export type StatusMeaning = (typeof STATUS_MEANINGS)[number];

/** The values of a message that a request can contain. Those of the carrier's fields come in addition. */
export const MESSAGE_PLACEHOLDERS = {
  to: 'the number with a plus',
  to_digits: 'the number without a plus',
  to_number: 'the number without a plus, as a JSON number',
  text: 'the text',
  code: 'the code alone',
  id: 'our id of the message, a UUID',
  reference: 'proves that a report belongs to this message, at most 64 characters',
  report_url: 'the address for the reports of this message',
  seconds_left: 'seconds until the code expires, a number',
  expires_at: 'when the code expires, in ISO 8601',
  language: 'the language of the text, by its name in `send.languages` or else as a BCP 47 tag',
  sender_name: 'the sender name of the account',
  subject: 'the subject of a mail',
  html: 'a mail as HTML',
  mail_from: 'the sender of a mail with the name of the account, such as "Acme" <no-reply@example.com>',
  mail_from_ascii: 'the same with an encoded name (RFC 2047)',
  reply_to: 'the address for replies to a mail',
  dlt_entity_id: 'the entity id under which the text is registered in India',
  dlt_template_id: 'the template id under which the text is registered in India',
} as const;

/** The values that a request about a right code can contain. Those of the carrier's fields come in addition. */
export const FEEDBACK_PLACEHOLDERS = {
  provider_id: 'the company’s id of the message',
  code: 'the entered code',
  id: 'our id of the message',
  to: 'the recipient',
  to_digits: 'the number without a plus',
} as const;

const PATH_MESSAGE = 'Write a path such as data.to.0.status';
const path = z
  .string()
  .max(120, 'At most 120 characters')
  .regex(/^[\w$-]+(\.[\w$-]+)*$/, PATH_MESSAGE);
/** The path of a list. `*` stands for every item of a list on the way. */
const listPath = z
  .string()
  .max(120, 'At most 120 characters')
  .regex(/^[\w$-]+(\.([\w$-]+|\*))*$/, 'Write a path such as results, or entry.*.statuses');
/** One path, or several of which the first with a value counts. */
const paths = z.union([path, z.array(path).min(1).max(5)], { error: PATH_MESSAGE });
const template = z.string().max(500, 'At most 500 characters');
const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'Write the name of a header');
const key = z.string().max(64, 'At most 64 characters');
/** The values that a path may have; an empty text stands for no value. */
const conditions = z.record(path, z.array(key).min(1).max(20));

const auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('basic'), username: template, password: template }),
  z.strictObject({ type: z.literal('bearer'), token: template }),
  z.strictObject({ type: z.literal('header'), name: headerName, value: template }),
  z.strictObject({
    type: z.literal('aws4'),
    key_id: template,
    secret: template,
    region: template,
    service: template,
  }),
]);

/** The signed text of a report, from `{timestamp}`, `{nonce}`, `{url}`, `{body}`, `{body_sha256}` and `{form}`. */
const signed = {
  key: template,
  over: template,
  header: headerName,
  encoding: z.enum(['hex', 'base64']),
  nonce: headerName.optional(),
  timestamp: z
    .strictObject({ header: headerName, within_seconds: z.number().int().min(1).max(86_400) })
    .optional(),
};
const proof = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hmac'),
    hash: z.enum(['sha256', 'sha512', 'sha1']).optional(),
    /** The key is the hash of the text at `key`. */
    key_hash: z.literal('sha256').optional(),
    /** before the signature, such as `sha256=` */
    prefix: z.string().max(20).optional(),
    ...signed,
  }),
  z.strictObject({ type: z.literal('ed25519'), ...signed }),
  z.strictObject({
    type: z.literal('jwt'),
    secret: template,
    header: headerName,
    /** The claim with the SHA-256 of the body. Without it, only references name messages. */
    body_hash: key.optional(),
  }),
  z.strictObject({ type: z.literal('basic'), username: template, password: template }),
  z.strictObject({
    type: z.literal('standard_webhooks'),
    key: template,
    /** The beginning of the headers’ names. */
    headers: z.enum(['webhook', 'svix']),
  }),
  /** Amazon SNS. */
  z.strictObject({ type: z.literal('sns'), topic: template }),
]);
export type Proof = z.infer<typeof proof>;

const addressed = {
  url: template,
  headers: z.record(headerName, template).optional(),
  format: z.enum(['json', 'form']).default('json'),
};
/** What every request of a record has. */
const request = { ...addressed, auth: auth.optional() };
const method = z.enum(['POST', 'PUT']).optional();

/** A request without effect that needs the credentials, for the doctor and the console. */
const check = z.strictObject({ url: template }).optional();

export const CarrierRecord = z.strictObject({
  send: z.strictObject({
    ...request,
    method,
    body: z.record(key, z.json()),
    /** The least and the most value of `{seconds_left}`. */
    seconds_left: z.tuple([z.number().int().min(1), z.number().int().max(604_800)]).optional(),
    /** The company's names of languages, by our BCP 47 tags. */
    languages: z.record(key, key).optional(),
    /** The statuses that accept a message; every 2xx unless given. */
    accept: z.array(z.number().int().min(200).max(299)).min(1).optional(),
    /** Where the carrier's id of the message is. A response that lacks it leaves the outcome open. */
    id: paths.optional(),
    /** Where the code of an error is. */
    error: paths.optional(),
    /** The header of a response that names its error; it comes before `error`. */
    error_header: headerName.optional(),
    /** The meaning of error codes, and of HTTP statuses as `http_402`. The others have the meaning of their HTTP status. */
    errors: z.record(key, z.enum(ERROR_MEANINGS)).optional(),
  }),
  reports: z
    .strictObject({
      /** Where a text is that is JSON and contains the reports. */
      json: path.optional(),
      /** Where the reports are, if a request can contain several. */
      list: listPath.optional(),
      /** Requests about anything else are confirmed and ignored. */
      only: conditions.optional(),
      id: paths.optional(),
      reference: paths.optional(),
      /** Where our own id is, if the carrier returns no longer reference. */
      our_id: paths.optional(),
      status: paths,
      statuses: z.record(key, z.enum(STATUS_MEANINGS)),
      error: paths.optional(),
      /** The reasons that customers see for error codes; `unsubscribed` also stops messages to the recipient. */
      reasons: z
        .record(key, z.string().regex(/^[a-z][a-z_]{2,40}$/, 'Write a reason such as unreachable'))
        .optional(),
      /** The mail server’s own words. Customers see them, shortened and masked. */
      words: paths.optional(),
      price: paths.optional(),
      currency: paths.optional(),
      /** True if the company has returned the price. */
      is_refunded: path.optional(),
      network: paths.optional(),
      proof: proof.optional(),
      /** The carrier has one address for all reports, which an operator registers there. */
      is_registered: z.literal(true).optional(),
      /** The company asks for the address with a token that the console shows: the parameters with the token and with the text to return. */
      challenge: z.strictObject({ token: key, text: key }).optional(),
      /** This address contains a secret even if there is a proof, and a reference alone proves nothing: recipients could see it. */
      secret_address: z.literal(true).optional(),
    })
    .optional(),
  inbound: z
    .strictObject({
      list: listPath.optional(),
      only: conditions.optional(),
      /** Texts come to the address for reports, proved like these. */
      comes_with_reports: z.literal(true).optional(),
      from: paths,
      to: paths.optional(),
      text: paths,
      proof: proof.optional(),
    })
    .optional(),
  /** The request after a right code, if an operator turns it on, at the host of `send` and with its credentials. */
  feedback: z
    .strictObject({
      ...addressed,
      method,
      body: z.record(key, z.json()),
      /** Where a response that accepts it has an id. Without it, the status alone counts. */
      id: paths.optional(),
    })
    .optional(),
  check,
  /** The request that removes an address from the company's own list of suppressed ones. */
  unsuppress: z
    .strictObject({
      url: template,
      method: z.enum(['POST', 'DELETE']),
      /** of a POST */
      body: z.record(key, z.json()).default({}),
      /** The HTTP statuses that mean that the address was not on the list. */
      absent: z.array(z.number().int().min(400).max(499)).optional(),
      /** Where a response with HTTP 2xx says whether the address was removed, and the word for it. */
      removed: z.strictObject({ status: path, is: key }).optional(),
      /** Why not, in the company's words. */
      words: paths.optional(),
    })
    .optional(),
});
export type CarrierRecord = z.infer<typeof CarrierRecord>;

// ── look-ups ──

/** A fact that is true, false or unknown: a boolean, or whether a list contains a word. */
const flag = z.union([path, z.strictObject({ list: path, has: key })]);

/** A look-up as data: the request about a number, and where the facts are in the response. */
export const LookupRecord = z.strictObject({
  send: z.strictObject({
    ...request,
    method: z.enum(['GET', 'POST']).default('GET'),
    /** of a POST */
    body: z.record(key, z.json()).default({}),
  }),
  found: z
    .strictObject({
      line_type: path.optional(),
      /** The company's line types; others are unknown. */
      line_types: z.record(key, z.enum(LINE_TYPES)).optional(),
      carrier: paths.optional(),
      country: paths.optional(),
      ported: flag.optional(),
      temporary: flag.optional(),
      /** The time of the last change of the SIM card in ISO 8601; null: none is known. */
      sim_changed_at: path.optional(),
      /** Whether the SIM card changed within `sim_hours`. */
      sim_changed: path.optional(),
      /** Hours as a number or an ISO 8601 duration: a path, or a field such as `{max_age}`. */
      sim_hours: z.union([path, z.string().regex(/^\{[a-z_]+\}$/, PATH_MESSAGE)]).optional(),
    })
    .refine(({ line_type, sim_changed_at, sim_changed }) => line_type ?? sim_changed_at ?? sim_changed, {
      error: 'Name line_type, sim_changed_at or sim_changed',
    })
    .refine(({ sim_changed, sim_hours }) => sim_changed === undefined || sim_hours !== undefined, {
      error: 'sim_changed needs sim_hours',
    }),
  check,
});
export type LookupRecord = z.infer<typeof LookupRecord>;
