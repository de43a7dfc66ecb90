import { perChannel } from '@sixdigit/contract/channels.ts';
import { CARRIER_SETTINGS, carriersSetting } from '../messaging/carriers/carriers.ts';
import type { Config } from '../platform/config.ts';
import { isPublicDeployment } from '../platform/http/client-address.ts';
import type { Settings } from './schema.ts';

/** Builds the configuration from the settings, with the defaults that depend on several of them. */
export function configOf(set: Settings): Config {
  const production = set.NODE_ENV === 'production';
  const sandbox = set.SANDBOX ?? !production;
  const isPublic = isPublicDeployment({
    host: set.HOST,
    publicUrl: set.PUBLIC_URL,
    apiUrl: set.API_URL,
    trustedProxies: set.TRUSTED_PROXIES,
  });
  return {
    production,
    sandbox,
    isPublic,
    port: set.PORT,
    workerPort: set.WORKER_PORT,
    host: set.HOST,
    stopDelaySeconds: set.STOP_DELAY_SECONDS,
    dataDir: set.DATA_DIR,
    databaseUrl: set.DATABASE_URL,
    readDatabaseUrl: set.READ_DATABASE_URL,
    migrateDatabaseUrl: set.MIGRATE_DATABASE_URL,
    publicUrl: set.PUBLIC_URL,
    apiUrl: set.API_URL,
    geoipDatabase: set.GEOIP_DATABASE,
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
    extraPhonePrefixes: set.EXTRA_PHONE_PREFIXES,
    smsMaxSegments: set.SMS_MAX_SEGMENTS,
    voiceMaxSeconds: set.VOICE_MAX_SECONDS,
    recipientSendsPer10Min: set.RECIPIENT_SENDS_PER_10_MIN,
    recipientSendsPerDay: set.RECIPIENT_SENDS_PER_DAY,
    numberSendsPer10Min: set.NUMBER_SENDS_PER_10_MIN,
    numberSendsPerDay: set.NUMBER_SENDS_PER_DAY,
    ownSmsPerHour: set.OWN_SMS_PER_HOUR,
    cell: set.CELL,
    retentionDays: set.RETENTION_DAYS,
    logRetentionDays: Math.min(set.LOG_RETENTION_DAYS, set.RETENTION_DAYS),
    recipientRetentionDays: Math.min(set.RECIPIENT_RETENTION_DAYS, set.RETENTION_DAYS),
    welcomeCredits: set.WELCOME_CREDITS ?? (sandbox ? 25 : 0),
    autoPurchasesPerDay: set.AUTO_PURCHASES_PER_DAY,
    dashboardRequestsPerSecond: set.DASHBOARD_REQUESTS_PER_SECOND,
    publicInbox: set.SANDBOX_INBOX === 'public',
    publicMetrics: set.METRICS === 'public',
    metricsToken: set.METRICS_TOKEN,
    messageLinks: set.MESSAGE_LINKS ?? (sandbox ? 'any' : 'listed'),
    dnsServers: set.DNS_SERVERS,
    webhookAllowPrivate: !isPublic && (set.WEBHOOK_ALLOW_PRIVATE ?? sandbox),
    ssoPrivateOrigins: set.SSO_PRIVATE_ORIGINS,
    carriers: {
      chosen: perChannel((channel) => set[carriersSetting(channel)]),
      settings: Object.fromEntries(CARRIER_SETTINGS.map((name) => [name, set[name]])),
    },
    stripe: stripeOf(set),
  };
}

/** Undefined unless all three keys are set. */
function stripeOf(set: Settings): Config['stripe'] {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_PUBLISHABLE_KEY: publishableKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: apiUrl,
  } = set;
  if (!secretKey || !publishableKey || !webhookSecret) return undefined;
  return { secretKey, publishableKey, webhookSecret, ...(apiUrl ? { apiUrl } : {}) };
}
