/**
 * Fault injection: real processes on a real PostgreSQL under steady sends and verifies, one kind of fault per scenario. The load
 * generator records every response. Each scenario then audits the database and the carrier against what was acknowledged.
 */

import { runScenarios } from '../harness/run.ts';
import { carriers } from './carriers.ts';
import { connections, databaseFrozen, databaseKilled, diskFull } from './database.ts';
import { migrations } from './migrations.ts';
import { expired, killed, stalled } from './processes.ts';
import { receivers } from './receivers.ts';
import { rolling, stopped } from './stopping.ts';
import { waiting } from './waiting.ts';

await runScenarios([
  killed,
  stalled,
  expired,
  databaseKilled,
  databaseFrozen,
  connections,
  diskFull,
  migrations,
  stopped,
  rolling,
  carriers,
  waiting,
  receivers,
]);
