import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CARRIER_SECRETS } from '../messaging/carriers/carriers.ts';
import type { Config } from '../platform/config.ts';
import { SETTING_NAMES, type Settings, settings } from './schema.ts';

export type Env = Record<string, string | undefined>;

/**
 * Reads `NAME`, the file whose path is in `NAME_FILE`, or systemd's credential for the setting. An empty value counts as missing.
 */
export function gather(env: Env, problems: string[]): Env {
  const found: Env = {};
  for (const name of SETTING_NAMES) {
    const { file, source } = fileOf(env, name);
    if (file) {
      if (env[name]) problems.push(`${name} and ${source} are both set; remove one`);
      try {
        found[name] = readFileSync(file, 'utf8').trim();
      } catch (error) {
        problems.push(`${source} cannot be read: ${(error as Error).message}`);
      }
    } else if (env[name]?.trim()) found[name] = env[name]?.trim();
    // The names of files, hosts and databases cannot contain it.
    if (found[name]?.includes('\0')) {
      problems.push(`${name} contains a NUL character; remove it`);
      delete found[name];
    }
  }
  return found;
}

/** With `LoadCredential=secrets:<folder>`, systemd provides each file of the folder as the credential `secrets_<file>`. */
function fileOf(env: Env, name: string): { file?: string | undefined; source: string } {
  const source = `${name}_FILE`;
  const { [source]: file, CREDENTIALS_DIRECTORY: credentials } = env;
  if (file || !credentials) return { file, source };
  const credential = `secrets_${name.toLowerCase()}`;
  const path = join(credentials, credential);
  return existsSync(path) ? { file: path, source: `the credential ${credential}` } : { source };
}

/** Parses each setting separately. Invalid ones are reported and then treated as missing. */
export function readEach(found: Env, problems: string[]): { set: Settings; wrong: string[] } {
  const parsed = settings.safeParse(found);
  if (parsed.success) return { set: parsed.data, wrong: [] };
  const wrong = parsed.error.issues.map(({ path }) => String(path[0]));
  for (const issue of parsed.error.issues) problems.push(`${issue.path.join('.')} ${issue.message}`);
  const others = Object.entries(found).filter(([name]) => !wrong.includes(name));
  return { set: settings.parse(Object.fromEntries(others)), wrong };
}

const SECRET_NAMES: readonly (keyof Settings)[] = [
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'METRICS_TOKEN',
  ...CARRIER_SECRETS,
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
];

/** The values as given, the items of lists, and the passwords in URLs, both encoded and decoded. */
export function secretsOf(found: Env): string[] {
  const whole = SECRET_NAMES.flatMap((name) => {
    const text = found[name] ?? '';
    return [text, ...text.split(',').map((part) => part.trim())];
  });
  const passwords = Object.values(found).flatMap((text = '') => {
    const password = /^\w+:\/\/[^\s/:]*:(.+)@/.exec(text)?.[1] ?? '';
    const query = /[?&](?:password|key|token|secret)=([^&]+)/i.exec(text)?.[1] ?? '';
    return [password, query].flatMap((one) => [one, decoded(one)]);
  });
  // Shorter values are not secrets, and redacting them would also remove ordinary words.
  return [...new Set([...whole, ...passwords])].filter((text) => text.length >= 4);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Settings that operators may change while the service runs, with their fields in the configuration. All other settings
 * determine how a process starts, contain secrets, or cause data to be deleted.
 */
const FIELDS = {
  SUPPORT_EMAIL: 'supportEmail',
  ALLOWED_COUNTRIES: 'allowedCountries',
  EXTRA_PHONE_PREFIXES: 'extraPhonePrefixes',
  SMS_MAX_SEGMENTS: 'smsMaxSegments',
  VOICE_MAX_SECONDS: 'voiceMaxSeconds',
  RECIPIENT_SENDS_PER_10_MIN: 'recipientSendsPer10Min',
  RECIPIENT_SENDS_PER_DAY: 'recipientSendsPerDay',
  NUMBER_SENDS_PER_10_MIN: 'numberSendsPer10Min',
  NUMBER_SENDS_PER_DAY: 'numberSendsPerDay',
  OWN_SMS_PER_HOUR: 'ownSmsPerHour',
  WELCOME_CREDITS: 'welcomeCredits',
  AUTO_PURCHASES_PER_DAY: 'autoPurchasesPerDay',
  DASHBOARD_REQUESTS_PER_SECOND: 'dashboardRequestsPerSecond',
} as const satisfies Partial<Record<keyof Settings, keyof Config>>;

export type LiveSettingName = keyof typeof FIELDS;
export const LIVE_SETTING_NAMES = Object.keys(FIELDS) as LiveSettingName[];
export const isLiveSetting = (name: string): name is LiveSettingName => name in FIELDS;

const NAME_OF = new Map<PropertyKey, LiveSettingName>(
  Object.entries(FIELDS).map(([name, field]) => [field, name as LiveSettingName]),
);

/** Parses a value as if it came from the environment. */
export function parseSetting(name: LiveSettingName, text: unknown): { value?: unknown; problem?: string } {
  const parsed = settings.shape[name].safeParse(text);
  return parsed.success
    ? { value: parsed.data }
    : { problem: parsed.error.issues[0]?.message ?? 'is not valid' };
}

const bases = new WeakMap<Config, Config>();

/**
 * The configuration, in which operators' values replace those of the environment. An operator's value that is no longer valid
 * is ignored.
 */
export function withOverrides(base: Config, stored: (name: LiveSettingName) => unknown): Config {
  const parsed = new Map<LiveSettingName, { text: unknown; value: unknown }>();
  const config = new Proxy(base, {
    get(target, field) {
      const name = NAME_OF.get(field);
      const text = name && stored(name);
      if (name === undefined || text === undefined) return Reflect.get(target, field);
      const known = parsed.get(name);
      const { value } = known?.text === text ? known : parseSetting(name, text);
      parsed.set(name, { text, value });
      return value ?? Reflect.get(target, field);
    },
  });
  bases.set(config, base);
  return config;
}

/** The environment's value, or else the default, written as in an environment variable. */
export function environmentText(config: Config, name: LiveSettingName): string {
  const base = bases.get(config);
  return base ? environmentText(base, name) : String(config[FIELDS[name]]);
}
