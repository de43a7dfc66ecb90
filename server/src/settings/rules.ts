import { CHANNELS } from '@sixdigit/contract/channels.ts';
import {
  CHOSEN_SECRETS,
  carrierProblems,
  carriersSetting,
  realCarriers,
} from '../messaging/carriers/carriers.ts';
import type { Config } from '../platform/config.ts';
import { isLoopbackHost, testMoneyProblems } from '../platform/http/client-address.ts';
import { guessability, keyWeakness, triviality } from '../platform/security/key-strength.ts';
import type { Settings } from './schema.ts';

/** Conflicts between settings that are valid on their own, as sentences for the operator. */
export function ruleProblems(set: Settings, config: Config): string[] {
  const { sandbox, brandName, carriers } = config;
  const options = { ...carriers, sandbox, brandName };
  return [
    ...carrierProblems(options),
    ...togetherProblems(set, ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET']),
    ...(set.READ_DATABASE_URL && !set.DATABASE_URL ? [NO_PRIMARY] : []),
    ...keyProblems(set, config),
    ...(config.production ? productionProblems(set) : []),
    ...(config.production && !sandbox ? missingProblems(set) : []),
    ...testMoneyProblems({
      isPublic: config.isPublic,
      production: config.production,
      hasSandboxCards: sandbox && !config.stripe,
      stripeKeys: {
        STRIPE_SECRET_KEY: set.STRIPE_SECRET_KEY,
        STRIPE_PUBLISHABLE_KEY: set.STRIPE_PUBLISHABLE_KEY,
      },
      realCarriers: realCarriers(options),
      carrierSettings: CHANNELS.map(carriersSetting),
    }),
    ...(config.isPublic && set.WEBHOOK_ALLOW_PRIVATE ? [PRIVATE_WEBHOOKS] : []),
  ];
}

const NO_PRIMARY =
  'READ_DATABASE_URL names a standby of DATABASE_URL, which is missing: set DATABASE_URL, or remove READ_DATABASE_URL';

const PRIVATE_WEBHOOKS =
  'WEBHOOK_ALLOW_PRIVATE=1 would let customers reach private hosts of your network, and others can reach this service (by PUBLIC_URL, API_URL, HOST or TRUSTED_PROXIES): leave it out';

function togetherProblems(set: Settings, all: (keyof Settings)[]): string[] {
  const missing = all.filter((name) => set[name] === undefined);
  return missing.length === 0 || missing.length === all.length
    ? []
    : [`${all.join(', ')} belong together; missing: ${missing.join(', ')}`];
}

/** Previous keys may be weak, because existing data still needs them. */
function keyProblems(set: Settings, { production, isPublic }: Config): string[] {
  const problems = set.SECRET_KEY_PREVIOUS.filter((key) => key.length < 16).map(
    () => 'SECRET_KEY_PREVIOUS must hold keys of at least 16 characters, separated by commas',
  );
  const weaknessOf = production ? keyWeakness : isPublic ? triviality : () => undefined;
  const weakness = set.SECRET_KEY && weaknessOf(set.SECRET_KEY);
  if (weakness)
    problems.push(
      `SECRET_KEY ${weakness}, and it protects every code, session and secret: set it to random text, e.g. from \`openssl rand -base64 32\`. If the database was written under this key, name it in SECRET_KEY_PREVIOUS`,
    );
  for (const name of ['METRICS_TOKEN', ...CHOSEN_SECRETS] as const) {
    // A gateway on the same machine may be one for tests.
    const isLocalGateway = name !== 'METRICS_TOKEN' && !production && !isPublic;
    const easy = set[name] && (isLocalGateway ? triviality : guessability)(set[name]);
    if (easy) problems.push(`${name} ${easy}: set it to random text, e.g. from \`openssl rand -hex 32\``);
  }
  return problems;
}

function productionProblems(set: Settings): string[] {
  const problems: string[] = [];
  for (const name of ['PUBLIC_URL', 'API_URL'] as const)
    if (!set.ALLOW_HTTP && isPlainHttp(set[name]))
      problems.push(
        `${name} is not https, so passwords, codes and API keys would travel unencrypted: put a proxy with TLS before the service and set ${name} to https://…, or set ALLOW_HTTP=1`,
      );
  return problems;
}

/** Reports missing settings that every deployment needs unless it is a sandbox. */
function missingProblems(set: Settings): string[] {
  const problems: string[] = [];
  if (!set.SECRET_KEY)
    problems.push(
      'SECRET_KEY is missing: set it to at least 16 random characters, e.g. from `openssl rand -base64 32`, and back it up',
    );
  if (!set.PUBLIC_URL)
    problems.push('PUBLIC_URL is missing: the address that people open, e.g. https://otp.example.com');
  return problems;
}

/** Whether a URL for other machines is unencrypted. */
const isPlainHttp = (url: string | undefined): boolean =>
  url !== undefined && new URL(url).protocol === 'http:' && !isLoopbackHost(new URL(url).hostname);
