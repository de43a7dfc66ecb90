import { CARRIER_CHECKS } from '../../../messaging/carriers/carriers.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import { type DoctorContext, type Finding, ok, problem } from '../../../platform/finding.ts';
import { redactText } from '../../../platform/log.ts';
import { systemRandom } from '../../../platform/security/random.ts';
import { createVault, type KeyCost, SERVICE_KEY_COST } from '../../../platform/security/vault.ts';
import { commit, version } from '../../../platform/version.ts';
import { examineConfig } from '../../../settings/settings.ts';
import { checkDatabase } from './database.ts';
import { checkPublicUrl } from './public-url.ts';
import { storedSecretKey } from './server-settings.ts';
import { checkStripe } from './stripe.ts';

/** Timeout of a check, so that a hanging check does not block the report. */
const CHECK_MS = 25_000;

const checks: Record<string, (context: DoctorContext) => Promise<Finding[]>> = {
  database: checkDatabase,
  ...CARRIER_CHECKS,
  stripe: checkStripe,
  'public url': checkPublicUrl,
};

/**
 * Diagnoses a deployment from its own machine: settings, database, clock, workers, mail, carriers, Stripe, public address. It is
 * read-only and sends nothing. The checks are independent, so one failure does not hide another. Returns all findings, in the
 * order of the checks.
 */
export async function examine(
  env: Record<string, string | undefined>,
  { clock = systemClock, keyCost = SERVICE_KEY_COST }: { clock?: { now(): Date }; keyCost?: KeyCost } = {},
): Promise<Finding[]> {
  const { config, problems, secrets } = examineConfig(env);
  const { key, finding } = storedSecretKey(config);
  const vault = key
    ? createVault(key, config.previousSecretKeys, systemRandom(systemClock), keyCost)
    : undefined;
  const settings = problems.map((line) => problem('settings', line, 'See docs/settings.md.'));
  const found = await Promise.all(
    Object.entries(checks).map(([about, check]) => guarded(about, () => check({ config, vault, clock }))),
  );
  return [
    ok('version', `This is Sixdigit ${version}, commit ${commit}.`),
    ...(problems.length > 0 ? settings : [ok('settings', settingsLine(config))]),
    ...(finding ? [finding] : []),
    ...found.flat(),
  ].map((one) => withoutSecrets(one, key ? [...secrets, key] : secrets));
}

const settingsLine = (config: Config): string =>
  config.sandbox
    ? 'The settings are consistent. This is a sandbox: everything without a carrier or a card provider is simulated.'
    : 'The settings are consistent, and nothing is simulated.';

async function guarded(about: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  const giveUp = Promise.withResolvers<Finding[]>();
  const timer = setTimeout(
    () =>
      giveUp.resolve([
        problem(
          about,
          `The check did not end within ${CHECK_MS / 1000} seconds.`,
          'Look at what it connects to.',
        ),
      ]),
    CHECK_MS,
  );
  try {
    return await Promise.race([check(), giveUp.promise]);
  } catch (error) {
    const says = `The check failed: ${error instanceof Error ? error.message : String(error)}`;
    return [problem(about, says, 'This is a fault of the check itself; the others still count.')];
  } finally {
    clearTimeout(timer);
  }
}

/** Redacts our secrets from a finding, because third-party errors may contain them. */
function withoutSecrets(finding: Finding, secrets: readonly string[]): Finding {
  const clean = (text: string) => {
    const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
    return redactText(longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text));
  };
  const { level, about, says, advice } = finding;
  return { level, about, says: clean(says), ...(advice === undefined ? {} : { advice: clean(advice) }) };
}

/** `npm start -- doctor`: prints the findings. Returns 0 without problems, else 1. */
export async function doctorCommand(
  env: Record<string, string | undefined>,
  print: (line: string) => void,
): Promise<number> {
  const findings = await examine(env);
  for (const { level, about, says, advice } of findings) {
    print(`${level.padEnd(8)} ${about}: ${says}`);
    if (advice) print(`         → ${advice}`);
  }
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  print('');
  print(`${count('ok')} ok, ${count('warning')} warnings, ${count('problem')} problems`);
  return count('problem') > 0 ? 1 : 0;
}
