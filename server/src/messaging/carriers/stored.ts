import type { Channel } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierFieldName,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Config } from '../../platform/config.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { testMoneyProblems } from '../../platform/http/client-address.ts';
import type { Resolve } from '../../platform/outbound/connect.ts';
import type { Needs } from '../../platform/platform.ts';
import type { FieldValues } from './carrier.ts';
import type { StoredCarrier } from './create-carriers.ts';
import { mailSenderName } from './email-address.ts';
import { createCarrier } from './kinds.ts';

/** Carriers that operators added in the console. Their secrets are sealed under the server key. */
export interface StoredSetup {
  id: string;
  name: string;
  kind: CarrierKind;
  channels: Channel[];
  is_enabled: boolean;
  /** without secrets */
  fields: FieldValues;
  sealed: Buffer;
  version: number;
  changed_at: string;
  changed_by: string | null;
}

export const secretFieldsOf = (kind: CarrierKind): CarrierFieldName[] =>
  CARRIER_KIND_FACTS[kind].fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);

const sealOf = (id: string): string => `carrier:${id}`;

export const sealSecrets = ({ vault }: Needs<'vault'>, id: string, secrets: FieldValues): Buffer =>
  vault.seal(JSON.stringify(secrets), sealOf(id));

/** Throws if the secrets were sealed under a key that this process does not have. */
export const openSecrets = (
  { vault }: Needs<'vault'>,
  { id, sealed }: Pick<StoredSetup, 'id' | 'sealed'>,
): FieldValues => JSON.parse(vault.open(sealed, sealOf(id))) as FieldValues;

/** Why carriers of the console must not be used, as a sentence; undefined if they may. The environment's carriers obey the same rule. */
export function storedCarrierProblem({ isPublic, production, sandbox, stripe }: Config): string | undefined {
  const problems = testMoneyProblems({
    isPublic,
    production,
    hasSandboxCards: sandbox && !stripe,
    stripeKeys: { secret: stripe?.secretKey, publishable: stripe?.publishableKey },
    realCarriers: ['a carrier'],
    carrierSettings: [],
  });
  return problems.length === 0
    ? undefined
    : 'This service takes test cards, and others can reach it: they would pay for real messages. Set SANDBOX=0 or Stripe’s live keys in the environment.';
}

type LoadApp = Needs<'db' | 'vault' | 'config' | 'clock' | 'log'>;

/** Reads all of them, for the carriers of this process. One that cannot be opened is logged and left out. */
export async function loadStored(app: LoadApp, resolve?: Resolve): Promise<StoredCarrier[]> {
  if (storedCarrierProblem(app.config)) return [];
  const { brandName, publicUrl, webhookAllowPrivate } = app.config;
  // They may connect only to public addresses, where webhooks may too.
  const reach = { allowPrivate: webhookAllowPrivate, resolve };
  const defaultName = mailSenderName(app.config);
  const rows = await selectStored(app.db);
  return rows.flatMap((row) => {
    try {
      const values = { ...row.fields, ...openSecrets(app, row) };
      const { name, kind, channels } = row;
      const setup = { name, values, channels, reach, brandName, defaultName, publicUrl, clock: app.clock };
      const carrier = () => createCarrier(kind, setup);
      return [{ key: `${row.id} ${row.version}`, isEnabled: row.is_enabled, carrier }];
    } catch (err) {
      app.log.error({ err, carrier: row.name }, 'the credentials of a carrier cannot be opened');
      return [];
    }
  });
}

// ── statements ──

const STORED = 'id, name, kind, channels, is_enabled, fields, sealed, version, changed_at, changed_by';

/** At most `MOST_STORED_CARRIERS`, oldest first. Only a newer version knows the kinds of the others. */
export const selectStored = (sql: Queryable): Promise<StoredSetup[]> =>
  sql.rows<StoredSetup>(`select ${STORED} from stored_carriers where kind = any($1) order by id`, [
    CARRIER_KINDS,
  ]);

export const findStored = (sql: Queryable, name: string): Promise<StoredSetup | undefined> =>
  sql.maybe<StoredSetup>(`select ${STORED} from stored_carriers where name = $1 and kind = any($2)`, [
    name,
    CARRIER_KINDS,
  ]);

type NewSetup = Omit<StoredSetup, 'version' | 'changed_at' | 'changed_by'> & { operator_id: string };

/** Returns false if the name is taken. */
export const insertStored = async (tx: Tx, setup: NewSetup): Promise<boolean> =>
  (await tx.run(
    `insert into stored_carriers (id, name, kind, channels, is_enabled, switched_at, fields, sealed, version, changed_at, changed_by)
     values ($1, $2, $3, $4, $5, clock_now(), $6, $7, 1, clock_now(), $8) on conflict (name) do nothing`,
    [
      setup.id,
      setup.name,
      setup.kind,
      setup.channels,
      setup.is_enabled,
      JSON.stringify(setup.fields),
      setup.sealed,
      setup.operator_id,
    ],
  )) === 1;

/** Returns false if another operator changed the carrier since `version`. */
export const updateStored = async (
  tx: Tx,
  setup: Omit<NewSetup, 'name' | 'kind'> & { version: number },
): Promise<boolean> =>
  (await tx.run(
    `update stored_carriers set channels = $3, fields = $5, sealed = $6, version = version + 1, changed_at = clock_now(),
       switched_at = case when is_enabled = $4 then switched_at else clock_now() end, is_enabled = $4, changed_by = $7
     where id = $1 and version = $2`,
    [
      setup.id,
      setup.version,
      setup.channels,
      setup.is_enabled,
      JSON.stringify(setup.fields),
      setup.sealed,
      setup.operator_id,
    ],
  )) === 1;

/** How long after it was turned off a process may still have given a message to a carrier. */
const DRAIN_SECONDS = 15;

/** Seconds until no process gives new messages to a carrier that is off; null while it is on. */
export const secondsUntilDrained = async (tx: Tx, id: string): Promise<number | null> =>
  (
    await tx.one<{ seconds: number | null }>(
      `select case when not is_enabled then
         greatest(0, ceil(extract(epoch from switched_at + interval '${DRAIN_SECONDS} seconds' - clock_now())))::integer end
         as seconds
       from stored_carriers where id = $1`,
      [id],
    )
  ).seconds;

/** Returns false if another operator changed the carrier since `version`. */
export const deleteStored = async (
  tx: Tx,
  { id, version }: { id: string; version: number },
): Promise<boolean> =>
  (await tx.run('delete from stored_carriers where id = $1 and version = $2', [id, version])) === 1;
