import { prepare } from './prepare.mjs';
import { node, run } from './run.mjs';

await prepare({ development: true });
process.exitCode = await run(node, ['guarantees/bench/bench.ts', ...process.argv.slice(2)]);
