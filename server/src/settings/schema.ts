import { Resolver } from 'node:dns';
import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import { headerText } from '@sixdigit/contract/field.ts';
import { MESSAGE_LINKS } from '@sixdigit/contract/message-links.ts';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { CARRIER_SCHEMAS, carriersSetting } from '../messaging/carriers/carriers.ts';
import { countriesOfPhones, isPhonePrefix } from '../platform/addresses/phone.ts';
import { isDatabaseUrl } from '../platform/db/tls.ts';
import { isTooWide, PROXY_NAMES } from '../platform/http/client-address.ts';
import { httpUrl, key, secret } from '../platform/setting-schemas.ts';

const NO_COUNTRY = 'must name countries with phone numbers, such as US';
const isCountry = (country: string): boolean => countriesOfPhones().has(country);

const flag = z
  .enum(['0', '1', 'true', 'false'], { error: 'must be 1 or 0' })
  .transform((text) => text === '1' || text === 'true');
const whole = (least: number, most: number) =>
  z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);
const names = z.string().transform((text) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
);
const pgUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
  .refine(isDatabaseUrl, 'cannot be read: write special characters of the password as %40 and the like');
/** An http or https URL's origin; undefined for any other text. */
function originOf(text: string): string | undefined {
  const url = /^https?:\/\/[^/\\?#@]+\/?$/i.test(text) ? URL.parse(text) : null;
  return url?.origin;
}

/** `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:5353` */
function isServer(text: string): boolean {
  try {
    new Resolver().setServers([text]);
    return true;
  } catch {
    return false;
  }
}

const isAddressOrRange = (text: string): boolean => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);

/** SMS_CARRIERS and its siblings. */
const carrierLists = Object.fromEntries(
  CHANNELS.map((channel) => [carriersSetting(channel), names.optional()]),
) as Record<ReturnType<typeof carriersSetting<Channel>>, z.ZodOptional<typeof names>>;

/** Every setting, by its environment name. */
export const settings = z.object({
  NODE_ENV: z
    .enum(['production', 'development', 'test'], { error: 'must be production, or left out' })
    .default('development'),
  PORT: whole(0, 65_535).default(3000),
  WORKER_PORT: whole(0, 65_535).optional(),
  HOST: z.string().default('127.0.0.1'),
  STOP_DELAY_SECONDS: whole(0, 60).default(0),
  DATA_DIR: z.string().default('./.data'),
  DATABASE_URL: pgUrl.optional(),
  MIGRATE_DATABASE_URL: pgUrl.optional(),
  READ_DATABASE_URL: pgUrl.optional(),
  PUBLIC_URL: httpUrl.optional(),
  API_URL: httpUrl.optional(),
  ALLOW_HTTP: flag.default(false),
  GEOIP_DATABASE: z.string().min(1).optional(),
  BRAND_NAME: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(60, 'must be at most 60 characters')
    .refine((text) => headerText(text) && !/[<>"@]/.test(text), 'must be plain text')
    .default('Sixdigit'),
  SUPPORT_EMAIL: z
    .email('must be an e-mail address')
    .refine((text) => canonicalEmail(text) !== undefined, 'must be an e-mail address')
    .optional(),
  SECRET_KEY: secret.optional(),
  SECRET_KEY_PREVIOUS: names.default([]),
  TRUSTED_PROXIES: names
    .refine(
      (all) => all.every((name) => PROXY_NAMES.includes(name) || isAddressOrRange(name)),
      `must be addresses, ranges such as 10.0.0.0/8, or ${PROXY_NAMES.join(', ')}`,
    )
    .refine(
      (all) => !all.some(isTooWide),
      'holds a range that trusts strangers, such as 0.0.0.0/0, so every client could choose the address that limits count: name the addresses of your proxies',
    )
    .default([]),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be a level such as info or warn',
    })
    .default('info'),
  DEFAULT_REGION: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter country code')
    .refine(isCountry, NO_COUNTRY)
    .default('US'),
  ALLOWED_COUNTRIES: names
    .refine(
      (all) => all.length > 0 && all.every((name) => name === '*' || /^[A-Z]{2}$/.test(name)),
      'must be two-letter country codes, or *',
    )
    .refine((all) => all.every((name) => !/^[A-Z]{2}$/.test(name) || isCountry(name)), NO_COUNTRY)
    .default(['US', 'CA']),
  EXTRA_PHONE_PREFIXES: names
    .transform((all) => all.map((prefix) => prefix.replace(/[ ()-]/g, '')))
    .refine(
      (all) => all.every(isPhonePrefix),
      'must be prefixes with at least two digits after the country code, such as +1999',
    )
    .default([]),
  SMS_MAX_SEGMENTS: whole(1, 10).default(2),
  VOICE_MAX_SECONDS: whole(10, 300).default(30),
  RECIPIENT_SENDS_PER_10_MIN: whole(1, 1000).default(5),
  RECIPIENT_SENDS_PER_DAY: whole(1, 1000).default(20),
  NUMBER_SENDS_PER_10_MIN: whole(1, 10_000).default(10),
  NUMBER_SENDS_PER_DAY: whole(1, 10_000).default(50),
  OWN_SMS_PER_HOUR: whole(1, 10_000).default(200),
  CELL: z
    .string()
    .regex(/^[0-9A-Za-z]{2}$/, 'must be two characters of 0-9, A-Z and a-z')
    .default('00'),
  RETENTION_DAYS: whole(1, 36_500).default(400),
  LOG_RETENTION_DAYS: whole(1, 36_500).default(90),
  // Webhook messages contain the recipient for thirty days.
  RECIPIENT_RETENTION_DAYS: whole(30, 36_500).default(90),
  WELCOME_CREDITS: whole(0, 1_000_000).optional(),
  AUTO_PURCHASES_PER_DAY: whole(1, 100).default(3),
  DASHBOARD_REQUESTS_PER_SECOND: whole(10, 1_000_000).default(30),
  SANDBOX: flag.optional(),
  SANDBOX_INBOX: z.enum(['local', 'public'], { error: 'must be public, or left out' }).default('local'),
  METRICS: z.enum(['local', 'public'], { error: 'must be public, or left out' }).default('local'),
  METRICS_TOKEN: secret.regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces').optional(),
  WEBHOOK_ALLOW_PRIVATE: flag.optional(),
  SSO_PRIVATE_ORIGINS: names
    .refine(
      (list) => list.every((text) => originOf(text) !== undefined),
      'must be origins, such as https://id.corp.internal or http://10.0.0.7:8080',
    )
    .transform((list) => list.map((text) => originOf(text) ?? ''))
    .default([]),
  SSO_PRIVATE_HOSTS: z
    .never('was replaced by SSO_PRIVATE_ORIGINS, with scheme and port: https://id.corp.internal')
    .optional(),
  MESSAGE_LINKS: z.enum(MESSAGE_LINKS, { error: 'must be any or listed' }).optional(),
  DNS_SERVERS: names
    .refine((list) => list.every(isServer), 'must be IP addresses, each with an optional port')
    .default([]),
  ...carrierLists,
  ...CARRIER_SCHEMAS,
  STRIPE_SECRET_KEY: key.optional(),
  STRIPE_PUBLISHABLE_KEY: key.optional(),
  STRIPE_WEBHOOK_SECRET: key.optional(),
  STRIPE_API_URL: httpUrl.optional(),
});

export const SETTING_NAMES = Object.keys(settings.shape) as (keyof Settings)[];
export type Settings = z.output<typeof settings>;
