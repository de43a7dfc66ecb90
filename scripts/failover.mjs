import { needsDebianServers } from './debian.mjs';
import { prepare } from './prepare.mjs';
import { node, run } from './run.mjs';

await needsDebianServers();
await prepare({ development: true });
process.exitCode = await run(node, ['guarantees/failover/run.ts', ...process.argv.slice(2)]);
