import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  CAMPAIGNS,
  type Campaign,
  Campaigns,
  WORST_DAY_SEED,
  type WorstDay,
  WorstDayBody,
  type WorstDayChange,
} from '@sixdigit/contract/protection/protection.ts';
import { findAccount } from '../../../accounts/accounts.ts';
import { defaultFacts, factsOf, planOf, type WorstDayApp } from '../../../otp/otp.ts';
import { Refusal } from '../../../platform/file-problem.ts';
import { isUuid } from '../../../platform/security/random.ts';
import { worstDay } from '../../../protection/protection.ts';
import { readConfig } from '../../../settings/settings.ts';

const USAGE =
  'Usage: npm run simulate:fraud -- [--account <id of an account>] [--seed <number>] [--campaigns <file.json>]';

/** Whether the command reads an account, for which it needs the database. */
export const namesAccount = (rest: readonly string[]): boolean =>
  rest.some((word) => word === '--account' || word.startsWith('--account='));

/**
 * `npm run simulate:fraud`: prints the worst day of fraud of an account, or without `--account` that of the default settings, for
 * which it needs no database. Returns the exit code.
 */
export async function simulateFraudCommand(
  app: WorstDayApp | undefined,
  rest: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const given = readOptions(rest);
  if (!given) {
    print(USAGE);
    return 2;
  }
  const { account, seed, campaigns } = given;
  const facts =
    app && account !== undefined
      ? await factsOf(app, await knownAccount(app, account), { seed, campaigns })
      : defaultFacts(readConfig({}), { seed, campaigns });
  const day = worstDay(planOf(facts));
  for (const line of linesOf(day)) print(line);
  if (account !== undefined || facts.campaigns !== CAMPAIGNS || keepsPromise(day)) return 0;
  print('');
  print('The default settings no longer keep the promise of docs/guarantees.md.');
  return 1;
}

/** What docs/guarantees.md promises of the default settings. */
const keepsPromise = ({ cost_cents, without_rules_cents, known_refused }: WorstDay): boolean =>
  cost_cents <= 0.6 * without_rules_cents && known_refused === 0;

async function knownAccount({ db }: WorstDayApp, id: string): Promise<string> {
  if (isUuid(id) && (await findAccount(db, id))) return id;
  throw new Refusal(`There is no account ${id}. Name its id, which the operator console shows.`);
}

/** Undefined for arguments that do not exist. Throws a sentence about a value that cannot be used. */
function readOptions(rest: readonly string[]) {
  let values: { account?: string; seed?: string; campaigns?: string };
  try {
    const string = { type: 'string' } as const;
    ({ values } = parseArgs({
      args: [...rest],
      options: { account: string, seed: string, campaigns: string },
    }));
  } catch {
    return undefined;
  }
  const seed = WorstDayBody.shape.seed.safeParse(values.seed === undefined ? undefined : Number(values.seed));
  if (!seed.success) throw new Refusal(`--seed ${values.seed}: ${seed.error.issues[0]?.message}`);
  const campaigns = values.campaigns === undefined ? CAMPAIGNS : readCampaigns(values.campaigns);
  return { account: values.account, seed: seed.data ?? WORST_DAY_SEED, campaigns };
}

const FILE_BYTES_MOST = 100_000;

/** Reads a list of campaigns. Every problem names its campaign and field. */
export function readCampaigns(file: string): Campaign[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refusal(`The campaigns cannot be read: ${(error as Error).message}.`);
  }
  if (text.length > FILE_BYTES_MOST) throw new Refusal(`${file} is too large for a list of campaigns.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Refusal(`${file} is not JSON: ${(error as Error).message}`);
  }
  const read = Campaigns.safeParse(json);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path: [n, ...field], message }) => {
    const where =
      n === undefined ? '' : `campaign ${Number(n) + 1}${field.length > 0 ? `, ${field.join('.')}` : ''}: `;
    return `  - ${where}${message}`;
  });
  throw new Refusal(
    [`${file} has ${problems.length === 1 ? 'a problem' : 'problems'}:`, ...problems].join('\n'),
  );
}

const dollars = (cents: number): string =>
  `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
const whole = (count: number): string => count.toLocaleString('en-US');

const HEADINGS = [
  'campaign',
  'country',
  'sends',
  'got through',
  'cost',
  'without rules',
  'users refused',
  'refused by',
];

function linesOf(day: WorstDay): string[] {
  const rows = day.campaigns.map((one) => [
    one.name,
    one.country ?? '-',
    whole(one.sends),
    whole(one.got_through),
    dollars(one.cost_cents),
    dollars(one.without_rules_cents),
    whole(one.users_refused),
    one.refused_by.map(({ by, sends }) => `${by} ${whole(sends)}`).join(', '),
  ]);
  const { shape } = day;
  return [
    `${whole(shape.sends_per_day)} sends a day in ${shape.countries} countries: ${shape.conversion_percent} % verified, ${shape.known_percent} % to known recipients, ${shape.client_percent} % with an IP address. Seed ${day.seed}.`,
    ...(shape.is_learning ? ['The rules that learn only monitor, because too few codes were verified.'] : []),
    '',
    ...tableOf([HEADINGS, ...rows]),
    '',
    `With these settings the worst day costs at most ${dollars(day.cost_cents)}; without rules ${dollars(day.without_rules_cents)}; it refuses at most ${whole(day.users_refused)} real users, ${whole(day.known_refused)} of them known.`,
    '',
    day.changes.length === 0 ? 'No change of a single setting lowers it.' : 'The changes that lower it most:',
    ...day.changes.map(
      ({ setting, rule, threshold, before, after, cost_cents, users_refused }) =>
        `  ${nameOf({ setting, rule, threshold })} ${before ?? 'none'} -> ${after}: ${dollars(cost_cents)}, ${whole(users_refused)} users refused on the costliest day instead of ${whole(day.costliest.users_refused)}`,
    ),
  ];
}

const nameOf = ({
  setting,
  rule,
  threshold,
}: Pick<WorstDayChange, 'setting' | 'rule' | 'threshold'>): string => {
  if (setting === 'mode') return `${rule ?? 'all rules'} mode`;
  return threshold === null ? setting : `${rule} ${threshold}`;
};

/** Numbers are aligned to the right. */
function tableOf(rows: readonly string[][]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column >= 2 && column < HEADINGS.length - 1
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
