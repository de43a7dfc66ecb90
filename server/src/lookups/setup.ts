import type { LookupRecord } from '@sixdigit/contract/operator/carrier-record.ts';
import {
  LOOKUP_KIND_FACTS,
  LOOKUP_KINDS,
  type LookupFieldName,
  type LookupKind,
} from '@sixdigit/contract/operator/lookup-kinds.ts';
import type { LookupNumber } from '@sixdigit/contract/operator/lookups.ts';
import { SIM_HOURS } from '@sixdigit/contract/protection/lookups.ts';
import { readLookupRecord, storedCarrierProblem } from '../messaging/carriers/carriers.ts';
import type { Config } from '../platform/config.ts';
import { targetProblem } from '../platform/outbound/address.ts';
import type { Needs } from '../platform/platform.ts';
import { findSetup, type LookupSetupRow, type LookupValues } from './queries.ts';

/** With its record and its secrets. */
export interface OpenLookup extends Pick<LookupSetupRow, 'version' | LookupNumber> {
  record: LookupRecord;
  values: LookupValues;
}

const sealOf = (id: string): string => `lookup:${id}`;

export const sealLookupSecrets = ({ vault }: Needs<'vault'>, id: string, secrets: LookupValues): Buffer =>
  vault.seal(JSON.stringify(secrets), sealOf(id));

/** Throws if the secrets were sealed under a key that this process does not have. */
export const openLookupSecrets = (
  { vault }: Needs<'vault'>,
  { id, sealed }: Pick<LookupSetupRow, 'id' | 'sealed'>,
): LookupValues => JSON.parse(vault.open(sealed, sealOf(id))) as LookupValues;

/** Undefined if an operator wrote a record that this version cannot read. */
export function recordOf(kind: LookupKind, values: LookupValues): LookupRecord | undefined {
  const { record, fields } = LOOKUP_KIND_FACTS[kind];
  if (record) return record;
  const read = readLookupRecord(values.record ?? '', fields);
  return 'record' in read ? read.record : undefined;
}

/** Throws if its secrets cannot be opened. */
export function openLookup(app: Needs<'vault'>, row: LookupSetupRow): OpenLookup | undefined {
  const defaults = LOOKUP_KIND_FACTS[row.kind].fields.flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, value]],
  );
  const values: LookupValues = {
    ...Object.fromEntries(defaults),
    ...row.fields,
    ...openLookupSecrets(app, row),
  };
  const record = recordOf(row.kind, values);
  return record && { ...row, record, values };
}

/** The look-up that this process uses. Undefined if there is none or it is off; null if it is on, but this process cannot use it. */
export async function loadLookup(
  app: Needs<'db' | 'vault' | 'config' | 'log'>,
): Promise<OpenLookup | null | undefined> {
  const row = await findSetup(app.db);
  if (!row?.is_enabled) return undefined;
  if (storedCarrierProblem(app.config) || !LOOKUP_KINDS.includes(row.kind)) return null;
  try {
    return openLookup(app, row) ?? null;
  } catch (err) {
    app.log.error({ err }, 'the credentials of the look-up cannot be opened');
    return null;
  }
}

export type LookupProblems = Partial<Record<LookupFieldName, string>>;

/** Checks the values of a kind's fields. Missing ones are already reported. */
export function lookupProblems(
  kind: LookupKind,
  values: LookupValues,
  { config }: { config: Config },
): LookupProblems {
  const problems: LookupProblems = {};
  const { fields, record: preset } = LOOKUP_KIND_FACTS[kind];
  const addressProblem = (url: string | undefined) =>
    url ? targetProblem(url, { allowPrivate: config.webhookAllowPrivate }) : undefined;
  const wrongUrl = addressProblem(values.api_url);
  if (wrongUrl) problems.api_url = wrongUrl;
  for (const { name } of fields)
    if (name !== 'record' && values[name] && !/^[\x20-\x7e]*$/.test(values[name]))
      problems[name] = 'Use letters, digits and signs of ASCII only.';
  const { min, max } = SIM_HOURS;
  const hours = Number(values.max_age ?? min);
  if (!(Number.isInteger(hours) && hours >= min && hours <= max))
    problems.max_age = `Hours must be a whole number from ${min} to ${max}.`;
  if (preset) return problems;
  const read = readLookupRecord(values.record ?? '', fields);
  if ('problems' in read) return { ...problems, record: read.problems.join(' ') };
  const { url, auth } = read.record.send;
  const needed = [...JSON.stringify([url, auth ?? null]).matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name);
  const missing = fields.find(({ name }) => needed.includes(name) && !values[name]);
  if (missing) problems[missing.name] ??= 'The record uses this field.';
  const wrong = /^https?:/.test(url) ? addressProblem(url.replace(/\{\w+\}/g, 'x')) : undefined;
  if (wrong) problems.record = `send.url: ${wrong}`;
  return problems;
}
