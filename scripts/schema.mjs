import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { node, root, run } from './run.mjs';

/** `npm run schema`: writes server/sql/schema.sql, and adds the hashes of new migrations to server/sql/shipped.json. */
await prepare({ development: true });
const folder = join(root, 'server', 'sql');
const list = join(folder, 'shipped.json');
const shipped = JSON.parse(readFileSync(list, 'utf8'));
for (const name of readdirSync(join(folder, 'migrations')).sort()) {
  const text = readFileSync(join(folder, 'migrations', name), 'utf8');
  shipped[name] ??= createHash('sha256').update(text).digest('hex');
}
writeFileSync(list, `${JSON.stringify(shipped, null, 2)}\n`);
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const env = { NODE_ENV: 'test' };
process.exitCode = await run(node, [vitest, 'run', 'server/test/schema.test.ts', '--update'], { env });
