import type { Channel } from '@sixdigit/contract/channels.ts';

/** The settings in the form that the code uses. The module `settings` reads them from the environment. */
export interface Config {
  production: boolean;
  /** unconfigured carriers and card payments are simulated */
  sandbox: boolean;
  /** other machines may reach the service, according to PUBLIC_URL, API_URL, HOST and TRUSTED_PROXIES */
  isPublic: boolean;
  port: number;
  /** the port for a worker's health and metrics; undefined for none */
  workerPort: number | undefined;
  host: string;
  /** how long a stopping process reports that it is not ready while it still accepts requests */
  stopDelaySeconds: number;
  dataDir: string;
  /** undefined for the embedded PostgreSQL */
  databaseUrl: string | undefined;
  /** a standby for lists, insights and exports */
  readDatabaseUrl: string | undefined;
  migrateDatabaseUrl: string | undefined;
  /** the dashboard's URL, without trailing slash; undefined until the port is chosen */
  publicUrl: string | undefined;
  apiUrl: string | undefined;
  /** the path of a database of places in MaxMind's format */
  geoipDatabase: string | undefined;
  brandName: string;
  supportEmail: string;
  /** undefined in a sandbox that generates its key in the data directory */
  secretKey: string | undefined;
  previousSecretKeys: string[];
  trustedProxies: string[];
  logLevel: string;
  defaultRegion: string;
  /** `*` for all */
  allowedCountries: string[];
  /** prefixes of numbers that are newer than the numbering plans */
  extraPhonePrefixes: readonly string[];
  /** maximum segments of one SMS, including its code */
  smsMaxSegments: number;
  /** maximum seconds of speech in one call's message */
  voiceMaxSeconds: number;
  recipientSendsPer10Min: number;
  recipientSendsPerDay: number;
  /** per phone number or e-mail address, across all accounts */
  numberSendsPer10Min: number;
  numberSendsPerDay: number;
  /** SMS that the dashboard sends to its own users, per hour */
  ownSmsPerHour: number;
  /** the two characters of this deployment in its API keys */
  cell: string;
  retentionDays: number;
  /** at most `retentionDays` */
  logRetentionDays: number;
  /** at most `retentionDays` */
  recipientRetentionDays: number;
  welcomeCredits: number;
  autoPurchasesPerDay: number;
  dashboardRequestsPerSecond: number;
  publicInbox: boolean;
  publicMetrics: boolean;
  /** a bearer token for the metrics and the sandbox inbox from any address */
  metricsToken: string | undefined;
  /** with `listed`, messages may link only to domains that the account has proven */
  messageLinks: 'any' | 'listed';
  /** queried for the proofs of domains; empty for the system's servers */
  dnsServers: readonly string[];
  webhookAllowPrivate: boolean;
  /** origins of identity providers that may have private addresses, and use http if the origin does */
  ssoPrivateOrigins: readonly string[];
  carriers: CarrierSettings;
  stripe: { secretKey: string; publishableKey: string; webhookSecret: string; apiUrl?: string } | undefined;
}

/** The carriers' settings, as given. `carrierProblems` validates them. */
export interface CarrierSettings {
  /**
   * The value of each channel's setting, such as SMS_CARRIERS. If unset, the channel uses every configured carrier that serves
   * it.
   */
  chosen?: Partial<Record<Channel, readonly string[] | undefined>>;
  /** by name */
  settings: Readonly<Record<string, string | undefined>>;
}

/** The URL of a page of the dashboard. */
export const pageUrl = (
  { config }: { config: Pick<Config, 'publicUrl' | 'port'> },
  path: `/${string}`,
): string => `${config.publicUrl ?? `http://localhost:${config.port}`}${path}`;

/** Absolute base URL of the API, without trailing slash. API_URL sets the host; the path is fixed. */
export const apiBase = (config: Pick<Config, 'apiUrl' | 'publicUrl'>): string =>
  `${(config.apiUrl ?? config.publicUrl ?? '').replace(/\/api\/v1$/, '')}/api/v1`;
