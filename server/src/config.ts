import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { CHANNELS, type Channel, factsOf, perChannel } from '#contract/channels.ts';
import { headerText } from '#contract/field.ts';
import {
  type CarrierOptions,
  carrierProblems,
  carriersOf,
  carriersSetting,
  realCarriers,
} from './carriers/carriers.ts';
import { isLoopbackHost, isPublicDeployment, testMoneyProblems } from './platform/exposure.ts';
import { keyWeakness } from './platform/key-strength.ts';

const URL_MESSAGE = 'must be an absolute http or https URL';

const exactUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), URL_MESSAGE);
/** A base URL without trailing slash. */
const httpUrl = exactUrl.transform((text) => text.replace(/\/+$/, ''));
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
const pgUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL');
const smtpUrl = z.string().regex(/^smtps?:\/\//, 'must be an smtp:// or smtps:// URL');
const secret = z.string().min(16, 'must be at least 16 characters long');

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];
const isAddressOrRange = (text: string): boolean => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);

/** Every setting, by its environment name. */
/** SMS_CARRIERS and its siblings. */
const carrierLists = Object.fromEntries(
  CHANNELS.map((channel) => [carriersSetting(channel), names.optional()]),
) as Record<ReturnType<typeof carriersSetting<Channel>>, z.ZodOptional<typeof names>>;

const settings = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: whole(0, 65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  STOP_DELAY_SECONDS: whole(0, 60).default(0),
  DATA_DIR: z.string().default('./.data'),
  DATABASE_URL: pgUrl.optional(),
  MIGRATE_DATABASE_URL: pgUrl.optional(),
  PUBLIC_URL: httpUrl.optional(),
  API_URL: httpUrl.optional(),
  ALLOW_HTTP: flag.default(false),
  BRAND_NAME: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(60, 'must be at most 60 characters')
    .refine((text) => headerText(text) && !/[<>"@]/.test(text), 'must be plain text')
    .default('Sixdigit'),
  SUPPORT_EMAIL: z.email('must be an e-mail address').optional(),
  SECRET_KEY: secret.optional(),
  SECRET_KEY_PREVIOUS: names.default([]),
  TRUSTED_PROXIES: names
    .refine(
      (all) => all.every((name) => PROXY_NAMES.includes(name) || isAddressOrRange(name)),
      `must be addresses, ranges such as 10.0.0.0/8, or ${PROXY_NAMES.join(', ')}`,
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
    .default('US'),
  ALLOWED_COUNTRIES: names
    .refine(
      (all) => all.length > 0 && all.every((name) => name === '*' || /^[A-Z]{2}$/.test(name)),
      'must be two-letter country codes, or *',
    )
    .default(['US', 'CA']),
  SMS_MAX_SEGMENTS: whole(1, 10).default(2),
  RECIPIENT_SENDS_PER_10_MIN: whole(1, 1000).default(5),
  RECIPIENT_SENDS_PER_DAY: whole(1, 1000).default(20),
  NUMBER_SENDS_PER_10_MIN: whole(1, 10_000).default(10),
  NUMBER_SENDS_PER_DAY: whole(1, 10_000).default(50),
  OWN_SMS_PER_HOUR: whole(1, 10_000).default(200),
  RETENTION_DAYS: whole(1, 36_500).default(400),
  WELCOME_CREDITS: whole(0, 1_000_000).optional(),
  AUTO_PURCHASES_PER_DAY: whole(1, 100).default(3),
  DASHBOARD_REQUESTS_PER_SECOND: whole(10, 1_000_000).default(30),
  SANDBOX: flag.optional(),
  SANDBOX_INBOX: z.enum(['local', 'public'], { error: 'must be public, or left out' }).default('local'),
  METRICS: z.enum(['local', 'public'], { error: 'must be public, or left out' }).default('local'),
  METRICS_TOKEN: secret.regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces').optional(),
  WEBHOOK_ALLOW_PRIVATE: flag.optional(),
  ...carrierLists,
  SMTP_URL: smtpUrl.optional(),
  EMAIL_FROM: z
    .string()
    .regex(/^[^\r\n\0]+$/, 'must be one line')
    .optional(),
  TWILIO_ACCOUNT_SID: z.string().optional(),
  TWILIO_AUTH_TOKEN: z.string().optional(),
  TWILIO_FROM: z.string().optional(),
  TWILIO_API_URL: httpUrl.default('https://api.twilio.com'),
  HTTP_CARRIER_URL: exactUrl.optional(),
  HTTP_CARRIER_SECRET: secret.optional(),
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_API_URL: httpUrl.optional(),
});

export const SETTING_NAMES = Object.keys(settings.shape) as (keyof Settings)[];
type Settings = z.output<typeof settings>;

export interface Config {
  production: boolean;
  /** unconfigured carriers and card payments are simulated */
  sandbox: boolean;
  /** other machines may reach it: by PUBLIC_URL, API_URL, HOST or a proxy */
  isPublic: boolean;
  port: number;
  host: string;
  /** how long a stopping process still accepts requests while it reports that it is not ready */
  stopDelaySeconds: number;
  dataDir: string;
  /** undefined: the embedded PostgreSQL */
  databaseUrl: string | undefined;
  migrateDatabaseUrl: string | undefined;
  /** of the dashboard, without trailing slash; undefined until the port is chosen */
  publicUrl: string | undefined;
  apiUrl: string | undefined;
  brandName: string;
  supportEmail: string;
  /** undefined in a sandbox: generated once in the data directory */
  secretKey: string | undefined;
  previousSecretKeys: string[];
  trustedProxies: string[];
  logLevel: string;
  defaultRegion: string;
  /** `*` for all */
  allowedCountries: string[];
  /** maximum segments of one SMS, including its code */
  smsMaxSegments: number;
  recipientSendsPer10Min: number;
  recipientSendsPerDay: number;
  /** per number or address, over all accounts */
  numberSendsPer10Min: number;
  numberSendsPerDay: number;
  /** SMS that the dashboard sends to its own users, per hour */
  ownSmsPerHour: number;
  retentionDays: number;
  welcomeCredits: number;
  /** real SMS or calls are sent: welcome credits require a verified phone number */
  welcomeNeedsPhone: boolean;
  autoPurchasesPerDay: number;
  dashboardRequestsPerSecond: number;
  publicInbox: boolean;
  publicMetrics: boolean;
  /** a bearer token for the metrics and the sandbox inbox from any address */
  metricsToken: string | undefined;
  webhookAllowPrivate: boolean;
  carriers: Omit<CarrierOptions, 'sandbox' | 'brandName'>;
  stripe: { secretKey: string; publishableKey: string; webhookSecret: string; apiUrl?: string } | undefined;
}

/** Reports all problems, one sentence per line. */
export class ConfigProblems extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The settings have ${problems.length === 1 ? 'a problem' : 'problems'}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    );
    this.name = 'ConfigProblems';
    this.problems = problems;
  }
}

type Env = Record<string, string | undefined>;

/** Reads `NAME`, or the file that `NAME_FILE` names. An empty value counts as missing. */
function gather(env: Env, problems: string[]): Env {
  const found: Env = {};
  for (const name of SETTING_NAMES) {
    const file = env[`${name}_FILE`];
    if (file) {
      if (env[name]) problems.push(`${name} and ${name}_FILE are both set; remove one`);
      try {
        found[name] = readFileSync(file, 'utf8').trim();
      } catch (error) {
        problems.push(`${name}_FILE cannot be read: ${(error as Error).message}`);
      }
    } else if (env[name]?.trim()) found[name] = env[name]?.trim();
  }
  return found;
}

const together = (set: Settings, all: (keyof Settings)[], problems: string[]): boolean => {
  const missing = all.filter((name) => set[name] === undefined);
  if (missing.length > 0 && missing.length < all.length)
    problems.push(`${all.join(', ')} belong together; missing: ${missing.join(', ')}`);
  return missing.length === 0;
};

/** Whether a URL for other machines is unencrypted. */
const isPlainHttp = (url: string | undefined): boolean =>
  url !== undefined && new URL(url).protocol === 'http:' && !isLoopbackHost(new URL(url).hostname);

/** The configured carriers. `carrierProblems` reports incomplete settings. */
function carrierSettings(set: Settings): Config['carriers'] {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from } = set;
  const { HTTP_CARRIER_URL: url, HTTP_CARRIER_SECRET: secret } = set;
  return {
    chosen: perChannel((channel) => set[carriersSetting(channel)]),
    smtpUrl: set.SMTP_URL,
    emailFrom: set.EMAIL_FROM,
    twilio:
      accountSid || authToken || from
        ? { accountSid, authToken, from, apiUrl: set.TWILIO_API_URL }
        : undefined,
    http: url || secret ? { url, secret } : undefined,
  };
}

/** Parses each setting separately. Invalid ones are reported and then treated as missing. */
function readEach(found: Env, problems: string[]): { set: Settings; wrong: string[] } {
  const parsed = settings.safeParse(found);
  if (parsed.success) return { set: parsed.data, wrong: [] };
  const wrong = parsed.error.issues.map(({ path }) => String(path[0]));
  for (const issue of parsed.error.issues) problems.push(`${issue.path.join('.')} ${issue.message}`);
  const others = Object.entries(found).filter(([name]) => !wrong.includes(name));
  return { set: settings.parse(Object.fromEntries(others)), wrong };
}

/** Reads all settings. Throws `ConfigProblems` with all problems at once. */
export function readConfig(env: Env): Config {
  const { config, problems } = examineConfig(env);
  if (problems.length > 0) throw new ConfigProblems(problems);
  return config;
}

export interface Examined {
  /** Treats invalid settings as missing. Related settings may be incomplete. */
  config: Config;
  problems: string[];
  /** Secret values: keys, tokens, passwords. */
  secrets: string[];
}

/** Reads all valid settings and reports the problems of the others. */
export function examineConfig(env: Env): Examined {
  const problems: string[] = [];
  const found = gather(env, problems);
  const { set, wrong } = readEach(found, problems);
  const ownProblems = problems.length;
  const production = set.NODE_ENV === 'production';
  const sandbox = set.SANDBOX ?? !production;

  const carriers = carrierSettings(set);
  const options = { ...carriers, sandbox, brandName: set.BRAND_NAME };
  problems.push(...carrierProblems(options));
  const stripe = together(
    set,
    ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'],
    problems,
  );
  for (const key of set.SECRET_KEY_PREVIOUS)
    if (key.length < 16)
      problems.push('SECRET_KEY_PREVIOUS must hold keys of at least 16 characters, separated by commas');

  if (production) {
    const weakness = set.SECRET_KEY && keyWeakness(set.SECRET_KEY);
    if (weakness)
      problems.push(
        `SECRET_KEY ${weakness}, and it protects every code, session and secret: set it to random text, e.g. from \`openssl rand -base64 32\`. If the database was written under this key, name it in SECRET_KEY_PREVIOUS`,
      );
    for (const name of ['PUBLIC_URL', 'API_URL'] as const)
      if (!set.ALLOW_HTTP && isPlainHttp(set[name]))
        problems.push(
          `${name} is not https, so passwords, codes and API keys would travel unencrypted: put a proxy with TLS before the service and set ${name} to https://…, or set ALLOW_HTTP=1`,
        );
  }
  if (production && !sandbox) {
    if (!set.SECRET_KEY)
      problems.push(
        'SECRET_KEY is missing: set it to at least 16 random characters, e.g. from `openssl rand -base64 32`, and back it up',
      );
    if (!set.PUBLIC_URL)
      problems.push('PUBLIC_URL is missing: the address that people open, e.g. https://otp.example.com');
    if (carriersOf(options, 'email').length === 0 && carriersOf(options, 'sms').length === 0)
      problems.push(
        "nothing can deliver the dashboard's own codes: set SMTP_URL and EMAIL_FROM, or an SMS carrier",
      );
  }
  const isPublic = isPublicDeployment({
    host: set.HOST,
    publicUrl: set.PUBLIC_URL,
    apiUrl: set.API_URL,
    trustedProxies: set.TRUSTED_PROXIES,
  });
  problems.push(
    ...testMoneyProblems({
      isPublic,
      production,
      hasSandboxCards: sandbox && !stripe,
      stripeKeys: {
        STRIPE_SECRET_KEY: set.STRIPE_SECRET_KEY,
        STRIPE_PUBLISHABLE_KEY: set.STRIPE_PUBLISHABLE_KEY,
      },
      realCarriers: realCarriers(options),
      carrierSettings: CHANNELS.map(carriersSetting),
    }),
  );
  if (isPublic && set.WEBHOOK_ALLOW_PRIVATE)
    problems.push(
      'WEBHOOK_ALLOW_PRIVATE=1 would let customers reach private hosts of your network, and others can reach this service (by PUBLIC_URL, API_URL, HOST or TRUSTED_PROXIES): leave it out',
    );
  // Omit problems that only follow from an invalid setting.
  const following = problems
    .splice(ownProblems)
    .filter((line) => !wrong.some((name) => new RegExp(`\\b${name}\\b`).test(line)));
  problems.push(...following);

  const config: Config = {
    production,
    sandbox,
    isPublic,
    port: set.PORT,
    host: set.HOST,
    stopDelaySeconds: set.STOP_DELAY_SECONDS,
    dataDir: set.DATA_DIR,
    databaseUrl: set.DATABASE_URL,
    migrateDatabaseUrl: set.MIGRATE_DATABASE_URL,
    publicUrl: set.PUBLIC_URL,
    apiUrl: set.API_URL,
    brandName: set.BRAND_NAME,
    supportEmail:
      set.SUPPORT_EMAIL ??
      (set.PUBLIC_URL ? `support@${new URL(set.PUBLIC_URL).hostname}` : 'support@localhost'),
    secretKey: set.SECRET_KEY,
    previousSecretKeys: set.SECRET_KEY_PREVIOUS,
    trustedProxies: set.TRUSTED_PROXIES,
    logLevel: set.LOG_LEVEL,
    defaultRegion: set.DEFAULT_REGION,
    allowedCountries: set.ALLOWED_COUNTRIES,
    smsMaxSegments: set.SMS_MAX_SEGMENTS,
    recipientSendsPer10Min: set.RECIPIENT_SENDS_PER_10_MIN,
    recipientSendsPerDay: set.RECIPIENT_SENDS_PER_DAY,
    numberSendsPer10Min: set.NUMBER_SENDS_PER_10_MIN,
    numberSendsPerDay: set.NUMBER_SENDS_PER_DAY,
    ownSmsPerHour: set.OWN_SMS_PER_HOUR,
    retentionDays: set.RETENTION_DAYS,
    welcomeCredits: set.WELCOME_CREDITS ?? (sandbox ? 25 : 0),
    welcomeNeedsPhone: CHANNELS.some(
      (channel) => factsOf(channel).recipient === 'phone' && carriersOf(options, channel).length > 0,
    ),
    autoPurchasesPerDay: set.AUTO_PURCHASES_PER_DAY,
    dashboardRequestsPerSecond: set.DASHBOARD_REQUESTS_PER_SECOND,
    publicInbox: set.SANDBOX_INBOX === 'public',
    publicMetrics: set.METRICS === 'public',
    metricsToken: set.METRICS_TOKEN,
    webhookAllowPrivate: !isPublic && (set.WEBHOOK_ALLOW_PRIVATE ?? sandbox),
    carriers,
    stripe: stripe
      ? {
          secretKey: set.STRIPE_SECRET_KEY as string,
          publishableKey: set.STRIPE_PUBLISHABLE_KEY as string,
          webhookSecret: set.STRIPE_WEBHOOK_SECRET as string,
          ...(set.STRIPE_API_URL ? { apiUrl: set.STRIPE_API_URL } : {}),
        }
      : undefined,
  };
  return { config, problems, secrets: secretsOf(found) };
}

const SECRET_NAMES: readonly (keyof Settings)[] = [
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'TWILIO_AUTH_TOKEN',
  'HTTP_CARRIER_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
];

/** The values as given, their items, and the passwords inside URLs in both encoded and decoded form. */
function secretsOf(found: Env): string[] {
  const whole = SECRET_NAMES.flatMap((name) => {
    const text = found[name] ?? '';
    return [text, ...text.split(',').map((part) => part.trim())];
  });
  const passwords = Object.values(found).flatMap((text = '') => {
    const password = /^\w+:\/\/[^\s/:]*:(.+)@/.exec(text)?.[1] ?? '';
    const query = /[?&](?:password|key|token|secret)=([^&]+)/i.exec(text)?.[1] ?? '';
    return [password, query].flatMap((one) => [one, decoded(one)]);
  });
  // Shorter values are not secrets, and redacting them would remove ordinary words.
  return [...new Set([...whole, ...passwords])].filter((text) => text.length >= 4);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Absolute base URL of the API, without trailing slash. API_URL sets the host; the path is fixed. */
export const apiBase = (config: Pick<Config, 'apiUrl' | 'publicUrl'>): string =>
  `${(config.apiUrl ?? config.publicUrl ?? '').replace(/\/api\/v1$/, '')}/api/v1`;
