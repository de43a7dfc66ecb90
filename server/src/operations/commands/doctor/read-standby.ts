import { openDb, type Sql } from '../../../platform/db/sql.ts';
import { bytesBehind, positionOf } from '../../../platform/db/standby-reads.ts';
import { settleTls } from '../../../platform/db/tls.ts';
import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../platform/finding.ts';
import { adviceFor } from './connection-advice.ts';

const NAME = 'read standby';
/** At more, lists often read from the primary. */
const BEHIND_BYTES = 16 * 1024 * 1024;
const MEANWHILE = 'Meanwhile, lists read from the primary.';

/** Checks that READ_DATABASE_URL leads to a standby of this primary. */
export async function readStandbyFindings(primary: Sql, { config }: DoctorContext): Promise<Finding[]> {
  if (!config.readDatabaseUrl) return [];
  let url: string;
  try {
    url = await settleTls(config.readDatabaseUrl);
  } catch (error) {
    return [unusable(error)];
  }
  const standby = openDb({ url, log: { warn: () => undefined }, max: 1, applicationName: 'sixdigit doctor' });
  try {
    return [await examine(primary, standby)];
  } catch (error) {
    return [unusable(error)];
  } finally {
    await standby.close();
  }
}

const unusable = (error: unknown): Finding =>
  warning(NAME, `It cannot be used: ${unreachedBecause(error)}. ${MEANWHILE}`, adviceFor(error));

async function examine(primary: Sql, standby: Sql): Promise<Finding> {
  const system = 'select system_identifier::text as system from pg_control_system()';
  const { system: own } = await primary.one<{ system: string }>(system);
  const { system: its } = await standby.one<{ system: string }>(system);
  if (own !== its)
    return problem(
      NAME,
      'READ_DATABASE_URL leads to another database cluster than DATABASE_URL.',
      'Name a standby of the primary.',
    );
  const behind = await bytesBehind(standby, await positionOf(primary));
  if (behind === undefined)
    return warning(NAME, `READ_DATABASE_URL leads to a primary. ${MEANWHILE}`, 'Name a standby.');
  if (behind > BEHIND_BYTES)
    return warning(
      NAME,
      `It is ${Math.round(behind / 1024 / 1024)} MB of WAL behind. ${MEANWHILE}`,
      'Check its disk, its network and queries that hold up its replay (max_standby_streaming_delay).',
    );
  return ok(NAME, `It is a standby of this primary, ${Math.round(behind / 1024)} kB of WAL behind.`);
}
