import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { bin, node, root, run } from './run.mjs';

await prepare({ development: true });

const steps = [['types of the server', bin('tsc'), '-p', 'server']];
if (existsSync(join(root, 'web', 'src'))) steps.push(['types of the dashboard', bin('tsc'), '-p', 'web']);
for (const client of ['typescript', 'better-auth'])
  steps.push([`types of the package ${client}`, bin('tsc'), '-p', `clients/${client}`]);
steps.push(['lint and format', bin('biome'), 'check', '--diagnostic-level=error']);
steps.push(['promises', bin('oxlint'), '--type-aware', '--quiet']);
steps.push([
  'architecture',
  node,
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  'server/test/architecture',
]);

const failed = [];
for (const [name, command, ...args] of steps) {
  console.log(`\n— ${name}`);
  if ((await run(command, args)) !== 0) failed.push(name);
}
console.log(failed.length ? `\nFailed: ${failed.join(', ')}` : '\nAll checks passed.');
process.exitCode = failed.length ? 1 : 0;
