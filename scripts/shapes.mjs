import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { node, root, run } from './run.mjs';

/** `npm run shapes`: writes the shapes of the clients from the contract. */
await prepare({ development: true });
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const env = { NODE_ENV: 'test' };
process.exitCode = await run(node, [vitest, 'run', 'clients/test/shapes.test.ts', '--update'], { env });
