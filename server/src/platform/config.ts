import type { Channel } from '@sixdigit/contract/channels.ts';

/** The settings in the form that the code uses. The module `settings` reads them from the environment. */
export interface Config {
  production: boolean;
  /** unconfigured carriers and card payments are simulated */
  sandbox: boolean;
  /** other machines may reach it: by PUBLIC_URL, API_URL, HOST or a proxy */
  isPublic: boolean;
  port: number;
  /** for the health and metrics of a worker; undefined: none */
  workerPort: number | undefined;
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
  /** a file of places in MaxMind's format */
  geoipDatabase: string | undefined;
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
  /** prefixes of numbers that the numbering plans do not know yet */
  extraPhonePrefixes: readonly string[];
  smsMaxSegments: number;
  /** seconds of speech of a message for a call */
  voiceMaxSeconds: number;
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
  /** listed: messages link only to domains that the account has proven */
  messageLinks: 'any' | 'listed';
  /** asked for the proofs; empty: those of the system */
  dnsServers: readonly string[];
  webhookAllowPrivate: boolean;
  carriers: CarrierSettings;
  stripe: { secretKey: string; publishableKey: string; webhookSecret: string; apiUrl?: string } | undefined;
}

/** The settings of the carriers, as given. `carrierProblems` validates them. */
export interface CarrierSettings {
  /** The value of each channel's setting, such as SMS_CARRIERS. If unset, every configured carrier that serves the channel. */
  chosen?: Partial<Record<Channel, readonly string[] | undefined>>;
  smtpUrl?: string | undefined;
  emailFrom?: string | undefined;
  twilio?:
    | {
        accountSid?: string | undefined;
        authToken?: string | undefined;
        from?: string | undefined;
        apiUrl?: string | undefined;
      }
    | undefined;
  http?: { url?: string | undefined; secret?: string | undefined } | undefined;
}

/** Absolute base URL of the API, without trailing slash. API_URL sets the host; the path is fixed. */
export const apiBase = (config: Pick<Config, 'apiUrl' | 'publicUrl'>): string =>
  `${(config.apiUrl ?? config.publicUrl ?? '').replace(/\/api\/v1$/, '')}/api/v1`;
