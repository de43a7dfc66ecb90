import { filesBelow, isTest } from './source.ts';

/**
 * The modules of the server. A module is a folder with a door, which is the file with the folder's name. A module may contain
 * others. `server/src` groups them by subject.
 */
export const SRC = 'server/src/';

/** Modules that every module may import. They import only each other, in this order. */
export const BASE = ['platform', 'messaging/mail', 'messaging/carriers'];
/** The modules that each module may import. */
export const ALLOWED: Record<string, readonly string[]> = {
  audit: ['platform/export'],
  credits: [],
  'messaging/opt-outs': [],
  'messaging/suppressions': ['audit', 'platform/export'],
  'otp/idempotency': [],
  'messaging/sandbox': [],
  'operations/deployment': [],
  settings: [],
  'api-keys': ['settings/account-limits', 'audit', 'credits', 'messaging/notices'],
  'credits/spend': ['audit', 'credits', 'messaging/notices'],
  'otp/test-mode': [],
  'platform/export': [],
  'platform/live': [],
  'request-logs': ['api-keys', 'platform/export'],
  'messaging/notices': ['messaging/opt-outs'],
  'protection/message-links': ['audit', 'messaging/notices'],
  templates: ['api-keys', 'audit', 'credits/prices', 'limits', 'protection/message-links'],
  webhooks: ['audit', 'platform/export', 'messaging/notices'],
  protection: ['audit', 'credits', 'messaging/notices', 'platform/export'],
  'credits/prices': ['settings/live-settings'],
  otp: [
    'limits',
    'lookups',
    'settings/account-limits',
    'audit',
    'protection/message-links',
    'platform/export',
    'protection',
    'credits/prices',
    'credits',
    'credits/spend',
    'templates',
    'otp/test-mode',
    'api-keys',
    'request-logs',
    'webhooks',
    'messaging/opt-outs',
    'messaging/suppressions',
    'otp/idempotency',
  ],
  insights: ['api-keys', 'otp', 'request-logs'],
  events: ['api-keys', 'platform/live', 'request-logs', 'webhooks'],
  connections: ['api-keys', 'audit', 'otp', 'protection/message-links'],
  limits: ['audit'],
  lookups: [],
  compat: ['api-keys', 'audit', 'limits', 'otp', 'protection'],
  'accounts/second-factors': ['audit', 'messaging/notices'],
  'accounts/sso': ['audit', 'messaging/notices', 'protection/message-links'],
  accounts: [
    'protection/message-links',
    'accounts/second-factors',
    'accounts/sso',
    'audit',
    'credits',
    'messaging/notices',
    'api-keys',
    'messaging/opt-outs',
  ],
  payments: [
    'audit',
    'platform/export',
    'credits/prices',
    'credits',
    'messaging/notices',
    'accounts',
    'otp/idempotency',
  ],
  'settings/live-settings': [],
  'settings/account-limits': ['settings/live-settings'],
  deletion: [
    'accounts',
    'api-keys',
    'audit',
    'compat',
    'connections',
    'insights',
    'limits',
    'lookups',
    'messaging/notices',
    'messaging/sandbox',
    'messaging/suppressions',
    'otp',
    'otp/idempotency',
    'protection',
    'protection/message-links',
    'request-logs',
    'templates',
    'webhooks',
  ],
  operator: [
    'insights',
    'otp/test-mode',
    'deletion',
    'lookups',
    'settings/account-limits',
    'settings',
    'audit',
    'accounts/second-factors',
    'accounts',
    'api-keys',
    'credits',
    'platform/export',
    'settings/live-settings',
    'protection/message-links',
    'messaging/notices',
    'messaging/opt-outs',
    'otp',
    'payments',
    'credits/prices',
    'protection',
    'request-logs',
    'credits/spend',
    'webhooks',
  ],
  'operations/retention': [
    'deletion',
    'operator',
    'audit',
    'compat',
    'limits',
    'lookups',
    'protection',
    'otp',
    'request-logs',
    'webhooks',
    'otp/idempotency',
    'messaging/sandbox',
    'messaging/notices',
    'messaging/suppressions',
    'insights',
    'otp/test-mode',
  ],
  'operations/commands': [
    'deletion',
    'settings/live-settings',
    'accounts',
    'api-keys',
    'connections',
    'lookups',
    'operations/deployment',
    'operator',
    'otp',
    'payments',
    'protection',
    'settings',
    'webhooks',
  ],
};

const names = [...Object.keys(ALLOWED), ...BASE].toSorted((a, b) => b.length - a.length);

/** Undefined for the files at the root of `server/src` and for files outside it. */
export const moduleOf = (file: string): string | undefined =>
  file.startsWith(SRC) ? names.find((name) => file.startsWith(`${SRC}${name}/`)) : undefined;

/** Each command in `operations/commands` is a separate module. */
export function doorOf(file: string): string {
  const name = moduleOf(file) ?? '';
  const own = name === 'operations/commands' ? file.slice(SRC.length).split('/').slice(0, 3).join('/') : name;
  return `${SRC}${own}/${own.split('/').at(-1)}.ts`;
}

export const serverFiles = filesBelow(SRC).filter((file) => !isTest(file));
