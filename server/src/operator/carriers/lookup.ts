import { LOOKUP_KIND_FACTS } from '@sixdigit/contract/operator/lookup-kinds.ts';
import type { LOOKUP_NUMBERS, LookupSetup } from '@sixdigit/contract/operator/lookups.ts';
import * as contract from '@sixdigit/contract/operator/lookups.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { emailsOfPeople, reserveCarrierTest } from '../../accounts/accounts.ts';
import {
  askCompany,
  checkLookup,
  countToday,
  deleteSetup,
  findSetup,
  LOOKUP,
  type LookupSetupRow,
  type LookupValues,
  lookupProblems,
  type OpenLookup,
  openLookup,
  openLookupSecrets,
  saveSetup,
  sealLookupSecrets,
  whyNoFacts,
} from '../../lookups/lookups.ts';
import { createPoster, storedCarrierProblem } from '../../messaging/carriers/carriers.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { lockSetting, storeSetting } from '../../settings/live-settings/live-settings.ts';
import { recordAction } from '../audit.ts';
import { selectLookupPause } from '../service-counts.ts';
import type { CarriersApp } from './carriers.ts';
import { recipientOf } from './opt-outs.ts';
import { auditedFields, enteredFields } from './setup-fields.ts';
import { endOf } from './setups.ts';

/** The look-up of numbers. A change of the live setting tells every process to read it again, and its lock serializes changes. */
export function lookupRoutes(server: Server, app: CarriersApp): void {
  serve(server, contract.getLookup, () => lookupOf(app));
  serve(server, contract.setLookup, ({ caller, body }) => setLookup(app, caller, body));
  serve(server, contract.removeLookup, ({ caller, body }) => removeLookup(app, caller, body));
  serve(server, contract.checkLookup, async () => {
    const { lookup } = await usable(app);
    const reach = { allowPrivate: app.config.webhookAllowPrivate, now: app.clock.now() };
    const { level, says, advice = null } = await checkLookup(lookup, reach);
    return { level, says, advice };
  });
  serve(server, contract.testLookup, ({ caller, body }) => testLookup(app, caller, body.recipient));
}

async function lookupOf(app: CarriersApp): Promise<{ lookup: LookupSetup | null }> {
  const row = await findSetup(app.db);
  if (!row) return { lookup: null };
  const secrets = tryOpen(app, row);
  const emails = await emailsOfPeople(app.db, [row.changed_by]);
  const cannotOpen =
    'Its credentials were encrypted under another SECRET_KEY. Enter them again, or name that key in SECRET_KEY_PREVIOUS.';
  return {
    lookup: {
      ...shown(row),
      fields: LOOKUP_KIND_FACTS[row.kind].fields.map(({ name, isSecret }) => {
        const value = (isSecret ? secrets : row.fields)?.[name];
        return {
          name,
          value: isSecret ? null : (value ?? null),
          is_set: value !== undefined,
          last4: isSecret ? endOf(value) : null,
        };
      }),
      problem: secrets ? (storedCarrierProblem(app.config) ?? null) : cannotOpen,
      paused: (row.is_enabled && (await selectLookupPause(app.db))) || null,
      version: row.version,
      changed_at: row.changed_at,
      changed_by: emails.get(row.changed_by ?? '') ?? null,
      used_today: await countToday(app.db),
    },
  };
}

const shown = (row: Omit<LookupSetupRow, 'changed_at'>) => {
  const { cache_hours, timeout_ms, daily_limit, account_daily_limit } = row;
  return {
    kind: row.kind,
    is_enabled: row.is_enabled,
    ...{ cache_hours, timeout_ms, daily_limit, account_daily_limit },
  };
};

/** What the audit records: no secret. */
const audited = (row: Omit<LookupSetupRow, 'changed_at'>) => ({
  ...shown(row),
  fields: auditedFields(row.fields),
});

function tryOpen(app: CarriersApp, row: LookupSetupRow): LookupValues | undefined {
  try {
    return openLookupSecrets(app, row);
  } catch {
    return undefined;
  }
}

/** Throws `changed_meanwhile` unless `version` is the newest. */
async function lockSetup(tx: Tx, version: number): Promise<LookupSetupRow | undefined> {
  await lockSetting(tx, LOOKUP);
  const row = await findSetup(tx);
  if ((row?.version ?? 0) !== version) throw new Failure('changed_meanwhile');
  return row;
}

async function setLookup(
  app: CarriersApp,
  by: OperatorCaller,
  { kind, is_enabled, version, reason, ...given }: Parsed<typeof contract.setLookup, 'body'>,
): Promise<{ lookup: LookupSetup | null }> {
  const problem = storedCarrierProblem(app.config);
  if (problem) throw new FieldErrors({ kind: [problem] });
  await app.db.transaction(async (tx) => {
    const row = await lockSetup(tx, version);
    // The fields of another kind mean something else, even if their names are the same.
    const was = row?.kind === kind ? { fields: row.fields, secrets: tryOpen(app, row) ?? {} } : undefined;
    const { fields, secrets } = enteredFields(LOOKUP_KIND_FACTS[kind].fields, { given, was }, (values) =>
      lookupProblems(kind, values, app),
    );
    const id = app.random.uuid();
    const next = {
      id,
      kind,
      is_enabled,
      fields,
      sealed: sealLookupSecrets(app, id, secrets),
      ...numbersOf(given),
      // Answers of a deleted look-up must not come back, so versions go on after a deletion.
      version: Math.max(version, row ? 0 : await newestVersion(tx)) + 1,
      changed_by: by.person_id,
    };
    await saveSetup(tx, next);
    await noteChange(tx, app, by, next.version);
    const replaced = Object.entries(secrets).flatMap(([name, value]) =>
      was?.secrets[name as keyof LookupValues] === value ? [] : [name],
    );
    await recordAction(tx, app, by, {
      action: row ? 'lookup.change' : 'lookup.create',
      subject: LOOKUP_KIND_FACTS[kind].label,
      reason,
      before: row ? audited(row) : null,
      after: { ...audited(next), ...(replaced.length > 0 && { secrets_set: replaced }) },
    });
  });
  return followed(app);
}

const numbersOf = (given: Pick<LookupSetupRow, (typeof LOOKUP_NUMBERS)[number]>) => {
  const { cache_hours, timeout_ms, daily_limit, account_daily_limit } = given;
  return { cache_hours, timeout_ms, daily_limit, account_daily_limit };
};

async function removeLookup(
  app: CarriersApp,
  by: OperatorCaller,
  { version, reason }: Parsed<typeof contract.removeLookup, 'body'>,
): Promise<{ lookup: LookupSetup | null }> {
  await app.db.transaction(async (tx) => {
    const row = await lockSetup(tx, version);
    if (!row) throw new Failure('not_found');
    await deleteSetup(tx);
    await noteChange(tx, app, by, row.version);
    await recordAction(tx, app, by, {
      action: 'lookup.delete',
      subject: LOOKUP_KIND_FACTS[row.kind].label,
      reason,
      before: audited(row),
      after: null,
    });
  });
  return followed(app);
}

/** Call it under `lockSetup`. */
const noteChange = (tx: Tx, app: CarriersApp, by: OperatorCaller, version: number): Promise<number> =>
  storeSetting(tx, {
    id: app.random.uuid(),
    name: LOOKUP,
    value: { version },
    operator_id: by.person_id,
  });

const newestVersion = async (tx: Tx): Promise<number> =>
  ((await lockSetting(tx, LOOKUP)) as { version: number } | undefined)?.version ?? 0;

async function followed(app: CarriersApp): Promise<{ lookup: LookupSetup | null }> {
  await app.live.refresh();
  app.wakeups.notify('settings');
  return lookupOf(app);
}

/** Even while it is off. Throws `not_found` if it is not set up, or cannot be used. */
async function usable(app: CarriersApp): Promise<{ row: LookupSetupRow; lookup: OpenLookup }> {
  const row = await findSetup(app.db);
  const lookup = row && !storedCarrierProblem(app.config) && tryOpen(app, row) && openLookup(app, row);
  if (!lookup) throw new Failure('not_found');
  return { row, lookup };
}

/** One real request, without the stored answers and the budgets. The audit entry is written first. */
async function testLookup(
  app: CarriersApp,
  by: OperatorCaller,
  given: string,
): Promise<Reply<typeof contract.testLookup>> {
  const { row, lookup } = await usable(app);
  const recipient = recipientOf(app, 'sms', given);
  await reserveCarrierTest(app, by.person_id);
  await app.db.transaction((tx) =>
    recordAction(tx, app, by, {
      action: 'lookup.test',
      subject: LOOKUP_KIND_FACTS[row.kind].label,
      after: { recipient: maskedRecipient(recipient) },
    }),
  );
  const poster = createPoster({ allowPrivate: app.config.webhookAllowPrivate });
  const startedMs = monotonicMs();
  try {
    const signal = AbortSignal.timeout(lookup.timeout_ms);
    const found = await askCompany(lookup, poster, { recipient, now: app.clock.now(), signal });
    const { outcome, facts } = found;
    return {
      outcome,
      detail: whyNoFacts(found) ?? null,
      facts,
      ms: Math.round(monotonicMs() - startedMs),
    };
  } finally {
    poster.close();
  }
}
