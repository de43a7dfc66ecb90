/**
 * How long data is kept. A setting that grows applies at once. One that shrinks, perhaps because a deployment lost its settings,
 * applies only after an operator has confirmed it, because what retention deletes is lost. The database stores the days in force.
 */

import type { Config } from '../config.ts';
import type { Queryable } from './sql.ts';

const SETTINGS = {
  RETENTION_DAYS: 'retentionDays',
  LOG_RETENTION_DAYS: 'logRetentionDays',
  RECIPIENT_RETENTION_DAYS: 'recipientRetentionDays',
} as const satisfies Record<string, keyof Config>;

type Name = keyof typeof SETTINGS;
const NAMES = Object.keys(SETTINGS) as Name[];

export type KeptDays = Pick<Config, (typeof SETTINGS)[Name]>;

/** A setting below the days in force. */
export interface Shrunk {
  name: Name;
  days: number;
  kept_days: number;
}

const factOf = (name: Name): string => `days kept by ${name}`;

/** The days in force, which grow to those of `config`. */
export async function keptDays(sql: Queryable, config: KeptDays): Promise<KeptDays> {
  const kept = { ...config };
  for (const name of NAMES) {
    const { value } = await sql.one<{ value: string }>(
      `insert into service_facts as f (name, value, changed_at) values ($1, $2, clock_now())
       on conflict (name) do update set value = greatest(f.value::integer, excluded.value::integer)::text
       returning value`,
      [factOf(name), String(config[SETTINGS[name]])],
    );
    kept[SETTINGS[name]] = Number(value);
  }
  return kept;
}

/** Changes nothing. */
export async function shrunkSettings(sql: Queryable, config: KeptDays): Promise<Shrunk[]> {
  const facts = await sql.rows<{ name: string; value: string }>(
    'select name, value from service_facts where name = any ($1)',
    [NAMES.map(factOf)],
  );
  return NAMES.flatMap((name) => {
    const days = config[SETTINGS[name]];
    const kept_days = Number(facts.find((fact) => fact.name === factOf(name))?.value ?? days);
    return days < kept_days ? [{ name, days, kept_days }] : [];
  });
}

/**
 * Retention then deletes what is older than the settings say. Returns what this call confirmed: each value is confirmed by one
 * caller. `only`: the setting that was asked for, as it was shown.
 */
export async function confirmDays(sql: Queryable, config: KeptDays, only?: Shrunk): Promise<Shrunk[]> {
  const confirmed: Shrunk[] = [];
  for (const shrunk of await shrunkSettings(sql, config)) {
    const { name, days, kept_days } = shrunk;
    if (only && (name !== only.name || days !== only.days || kept_days !== only.kept_days)) continue;
    const changed = await sql.run(
      'update service_facts set value = $1, changed_at = clock_now() where name = $2 and value = $3',
      [String(days), factOf(name), String(kept_days)],
    );
    if (changed === 1) confirmed.push(shrunk);
  }
  return confirmed;
}

export const shrunkText = ({ name, days, kept_days }: Shrunk): string =>
  `${name} is ${days}, but data has been kept for ${kept_days} days. What is older than ${days} days stays until an operator confirms the setting.`;
