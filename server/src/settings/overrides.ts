import type { Config } from '../platform/config.ts';
import { type Settings, settings } from './schema.ts';

/**
 * Settings that operators may change while the service runs, with their fields in the configuration. The others decide how a
 * process starts, name secrets, or remove data.
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

/** Reads a value as it would stand in the environment. */
export function parseSetting(name: LiveSettingName, text: unknown): { value?: unknown; problem?: string } {
  const parsed = settings.shape[name].safeParse(text);
  return parsed.success
    ? { value: parsed.data }
    : { problem: parsed.error.issues[0]?.message ?? 'is not valid' };
}

const bases = new WeakMap<Config, Config>();

/**
 * The configuration, in which the newest value of an operator takes the place of the environment's. A value that an operator set
 * and that is no longer valid is ignored.
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

/** The value of the environment, or else the default, as text of an environment variable. */
export function environmentText(config: Config, name: LiveSettingName): string {
  const base = bases.get(config);
  return base ? environmentText(base, name) : String(config[FIELDS[name]]);
}
