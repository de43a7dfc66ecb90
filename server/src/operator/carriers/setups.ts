import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import * as contract from '@sixdigit/contract/operator/carrier-setups.ts';
import {
  CARRIER_KIND_FACTS,
  type CarrierSetup,
  type checkCarrier,
  type createCarrierSetup,
  MOST_STORED_CARRIERS,
  type removeCarrierSetup,
  type updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { emailsOfPeople } from '../../accounts/accounts.ts';
import {
  addressKey,
  checkStored,
  deleteStored,
  deleteTest,
  type FieldValues,
  findStored,
  insertStored,
  kindOf,
  lastTests,
  openSecrets,
  prepareStored,
  previewOf,
  reportsProblem,
  type StoredSetup,
  sealSecrets,
  secondsUntilDrained,
  secretFieldsOf,
  selectStored,
  senderWarnings,
  storedCarrierProblem,
  updateStored,
} from '../../messaging/carriers/carriers.ts';
import { countNoticesOfCarrier } from '../../messaging/notices/notices.ts';
import { countDeliveriesOfCarrier } from '../../otp/otp.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import { lockSetting, newestChange, storeSetting } from '../../settings/live-settings/live-settings.ts';
import { recordAction } from '../audit.ts';
import { type CarriersApp, COUNTRY_ROUTING, parseCountries, parseRouting, ROUTING } from './carriers.ts';
import { addressOf, environmentSetups, type UntestedSetup } from './environment-setups.ts';
import { auditedFields, checkedFields } from './setup-fields.ts';

/**
 * Carriers that operators add, change and delete while the service runs. A change of the live setting tells every process to
 * read the table again. The lock of the settings serializes the changes.
 */
export const STORED_CARRIERS = 'carriers';

export function setupRoutes(server: Server, app: CarriersApp): void {
  serve(server, contract.listCarrierSetups, () => setupsOf(app));
  serve(server, contract.createCarrierSetup, ({ caller, body }) => addSetup(app, caller, body));
  serve(server, contract.updateCarrierSetup, ({ caller, params, body }) =>
    changeSetup(app, caller, params.name, body),
  );
  serve(server, contract.previewCarrier, ({ body: { kind, sample, ...values } }) =>
    previewOf(kind, { config: app.config, now: app.clock.now(), values, sample }),
  );
  serve(server, contract.checkCarrier, ({ params }) => examined(app, params.name, checkStored));
  serve(server, contract.prepareCarrier, ({ caller, params }) => prepareSetup(app, caller, params.name));
  serve(server, contract.removeCarrierSetup, ({ caller, params, body }) =>
    removeSetup(app, caller, params.name, body),
  );
}

async function setupsOf(app: CarriersApp): Promise<{ setups: CarrierSetup[] }> {
  await app.live.refresh();
  const rows = await selectStored(app.db);
  const emails = await emailsOfPeople(
    app.db,
    rows.map(({ changed_by }) => changed_by),
  );
  const stored = rows.map((row) => shown(app, row, emails.get(row.changed_by ?? '') ?? null));
  const tests = await lastTests(app.db);
  const setups = [...environmentSetups(app), ...stored];
  return { setups: setups.map((setup) => ({ ...setup, last_test: tests.get(setup.name) ?? null })) };
}

function shown(app: CarriersApp, row: StoredSetup, changed_by: string | null): UntestedSetup {
  const { name, kind, channels, is_enabled, version, changed_at } = row;
  const opened = tryOpen(app, row);
  const values = { ...row.fields, ...opened };
  const cannotOpen =
    'Its credentials were encrypted under another SECRET_KEY. Enter them again, or name that key in SECRET_KEY_PREVIOUS.';
  return {
    name,
    kind,
    source: 'console',
    channels,
    is_enabled,
    version,
    fields: CARRIER_KIND_FACTS[kind].fields.map((field) => {
      const value = (field.isSecret ? opened : row.fields)?.[field.name];
      return {
        name: field.name,
        value: field.isSecret ? null : (value ?? null),
        is_set: value !== undefined,
        last4: field.isSecret ? endOf(value) : null,
        setting: null,
      };
    }),
    inbound_url: addressOf(app, { name, kind, values }, 'inbound'),
    report_url: addressOf(app, { name, kind, values }, 'reports'),
    verify_token: kindOf(kind).callbacks?.challenge?.(values) ? addressKey(app, name) : null,
    reports_problem: reportsProblem(app.config, kind, values),
    sender_warnings: senderWarnings(app.config, { channels, values }),
    problem: opened ? (storedCarrierProblem(app.config) ?? null) : cannotOpen,
    changed_at,
    changed_by,
  };
}

const LONG_SECRET = 16;
/** Identifies a long secret; the end of a short one would reveal too much of it. */
export const endOf = (secret: string | undefined): string | null =>
  secret !== undefined && secret.length >= LONG_SECRET ? secret.slice(-4) : null;

function tryOpen(app: CarriersApp, row: StoredSetup): FieldValues | undefined {
  try {
    return openSecrets(app, row);
  } catch {
    return undefined;
  }
}

async function addSetup(
  app: CarriersApp,
  by: OperatorCaller,
  { name, kind, channels, is_enabled, reason, ...given }: Parsed<typeof createCarrierSetup, 'body'>,
): Promise<{ setups: CarrierSetup[] }> {
  const problem = storedCarrierProblem(app.config);
  if (problem) throw new FieldErrors({ kind: [problem] });
  const { fields, secrets } = checkedFields(app, { kind, channels, given });
  await app.db.transaction(async (tx) => {
    await lockSetting(tx, STORED_CARRIERS);
    if ((await selectStored(tx)).length >= MOST_STORED_CARRIERS)
      throw new FieldErrors({
        name: [`There are already ${MOST_STORED_CARRIERS} carriers. Delete one that you no longer use.`],
      });
    const id = app.random.uuid();
    const sealed = sealSecrets(app, id, secrets);
    const setup = { id, name, kind, channels: inOrder(channels), is_enabled, fields, sealed };
    if (!(await insertStored(tx, { ...setup, operator_id: by.person_id })))
      throw new FieldErrors({ name: ['Another carrier has this name. Choose a different one.'] });
    await noteChange(tx, app, by);
    const secret = Object.keys(secrets);
    await recordAction(tx, app, by, {
      action: 'carrier.create',
      subject: name,
      reason,
      after: { ...audited(setup), ...(secret.length > 0 && { secrets_set: secret }) },
    });
  });
  return followed(app);
}

const inOrder = (channels: readonly Channel[]): Channel[] =>
  CHANNELS.filter((channel) => channels.includes(channel));

/** What the audit records: no secret. */
const audited = ({
  kind,
  channels,
  is_enabled,
  fields,
}: Pick<StoredSetup, 'kind' | 'channels' | 'is_enabled' | 'fields'>) => ({
  kind,
  channels,
  is_enabled,
  fields: auditedFields(fields),
});

async function changeSetup(
  app: CarriersApp,
  by: OperatorCaller,
  name: string,
  { channels, is_enabled, version, reason, ...given }: Parsed<typeof updateCarrierSetup, 'body'>,
): Promise<{ setups: CarrierSetup[] }> {
  await app.db.transaction(async (tx) => {
    const row = await lockStored(tx, name, version);
    const was = { fields: row.fields, secrets: tryOpen(app, row) ?? {} };
    const { fields, secrets } = checkedFields(app, { kind: row.kind, channels, given, was });
    const sealed = sealSecrets(app, row.id, secrets);
    const now = { kind: row.kind, channels: inOrder(channels), is_enabled, fields };
    const { id } = row;
    if (!(await updateStored(tx, { ...now, id, sealed, version, operator_id: by.person_id })))
      throw new Failure('changed_meanwhile');
    await noteChange(tx, app, by);
    const replaced = secretFieldsOf(row.kind).filter((one) => secrets[one] !== was.secrets[one]);
    await recordAction(tx, app, by, {
      action: 'carrier.change',
      subject: name,
      reason,
      before: audited(row),
      after: { ...audited(now), ...(replaced.length > 0 && { secrets_replaced: replaced }) },
    });
  });
  return followed(app);
}

/** Serializes changes. Throws `not_found`, and `changed_meanwhile` unless `version` is the newest. */
async function lockStored(tx: Tx, name: string, version: number): Promise<StoredSetup> {
  await lockSetting(tx, STORED_CARRIERS);
  const row = await findStored(tx, name);
  if (!row) throw new Failure('not_found');
  if (row.version !== version) throw new Failure('changed_meanwhile');
  return row;
}

/** Throws `not_found` for a carrier of the environment, which the doctor checks. */
async function examined(
  app: CarriersApp,
  name: string,
  examine: typeof checkStored,
): Promise<Reply<typeof checkCarrier>> {
  const row = await findStored(app.db, name);
  if (!row || storedCarrierProblem(app.config)) throw new Failure('not_found');
  const secrets = tryOpen(app, row);
  const reach = { allowPrivate: app.config.webhookAllowPrivate };
  const values = { ...row.fields, ...secrets };
  const { dnsServers } = app.config;
  const given = { name, kind: row.kind, values, reach, now: app.clock.now(), dnsServers };
  const found = secrets && (await examine(given));
  if (!found) throw new Failure('not_found');
  return { level: found.level, says: found.says, advice: found.advice ?? null };
}

/** Writes the audit entry before the request to the company. */
async function prepareSetup(
  app: CarriersApp,
  by: OperatorCaller,
  name: string,
): Promise<Reply<typeof checkCarrier>> {
  const row = await findStored(app.db, name);
  if (!row || CARRIER_KIND_FACTS[row.kind].prepare === undefined) throw new Failure('not_found');
  await app.db.transaction((tx) => recordAction(tx, app, by, { action: 'carrier.prepare', subject: name }));
  return examined(app, name, prepareStored);
}

async function removeSetup(
  app: CarriersApp,
  by: OperatorCaller,
  name: string,
  { version, reason }: Parsed<typeof removeCarrierSetup, 'body'>,
): Promise<{ setups: CarrierSetup[] }> {
  await app.db.transaction(async (tx) => {
    const row = await lockStored(tx, name, version);
    const problem = await whyNeeded(tx, row);
    if (problem) throw new FieldErrors({ name: [problem] });
    if (!(await deleteStored(tx, { id: row.id, version }))) throw new Failure('changed_meanwhile');
    await deleteTest(tx, name);
    await forgetRoutes(tx, app, by, name);
    await noteChange(tx, app, by);
    await recordAction(tx, app, by, {
      action: 'carrier.delete',
      subject: name,
      reason,
      before: audited(row),
      after: null,
    });
  });
  return followed(app);
}

/** Why the carrier cannot be deleted yet, as a sentence. */
async function whyNeeded(tx: Tx, { id, name }: StoredSetup): Promise<string | undefined> {
  const seconds = await secondsUntilDrained(tx, id);
  if (seconds === null) return 'Turn the carrier off first, so that it gets no more messages.';
  const messages = (await countDeliveriesOfCarrier(tx, name)) + (await countNoticesOfCarrier(tx, name));
  if (messages > 0)
    return `${messages === 1 ? '1 message in flight still needs' : `${messages} messages in flight still need`} this carrier. Delete it when they have ended.`;
  if (seconds > 0)
    return `The carrier was turned off a moment ago, and messages may still be on their way to it. Delete it in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return undefined;
}

/** Removes a deleted carrier from the routes, so that a later one of the same name begins without them. */
async function forgetRoutes(tx: Tx, app: CarriersApp, by: OperatorCaller, name: string): Promise<void> {
  const without = (routing: ReturnType<typeof parseRouting>) =>
    Object.fromEntries(
      Object.entries(routing).flatMap(([channel, places]) => {
        const others = places.filter((place) => place.name !== name);
        return others.length === 0 ? [] : [[channel, others]];
      }),
    );
  const names = (value: unknown): boolean => JSON.stringify(value).includes(`"name":"${name}"`);
  const routing = parseRouting((await newestChange(tx, ROUTING))?.value);
  const countries = parseCountries((await newestChange(tx, COUNTRY_ROUTING))?.value);
  const store = (setting: string, value: unknown) =>
    storeSetting(tx, { id: app.random.uuid(), name: setting, value, operator_id: by.person_id });
  if (names(routing)) await store(ROUTING, without(routing));
  if (!names(countries)) return;
  const left = Object.entries(countries)
    .map(([country, own]) => [country, without(own)] as const)
    .filter(([, own]) => Object.keys(own).length > 0);
  await store(COUNTRY_ROUTING, Object.fromEntries(left));
}

/** Tells every process to read the carriers again. */
async function noteChange(tx: Tx, app: CarriersApp, by: OperatorCaller): Promise<void> {
  const value = (await selectStored(tx)).map(({ name, kind, version, is_enabled }) => ({
    name,
    kind,
    version,
    is_enabled,
  }));
  await storeSetting(tx, {
    id: app.random.uuid(),
    name: STORED_CARRIERS,
    value,
    operator_id: by.person_id,
  });
}

async function followed(app: CarriersApp): Promise<{ setups: CarrierSetup[] }> {
  await app.live.refresh();
  app.wakeups.notify('settings');
  app.wakeups.notify('deliveries');
  app.wakeups.notify('notices');
  return setupsOf(app);
}
