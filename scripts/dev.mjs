import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { node, root } from './run.mjs';

await prepare({ development: true });

const port = process.env.PORT ?? '3000';
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const parts = [
  start(['--watch', '--watch-preserve-output', 'server/src/main.ts'], { PORT: port }),
  start([vite, '--config', 'web/vite.config.ts'], { SIXDIGIT_SERVICE: `http://127.0.0.1:${port}` }),
];

function start(args, env) {
  return spawn(node, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
}

let isStopping = false;
function stop(signal) {
  if (isStopping) return;
  isStopping = true;
  for (const part of parts) part.kill(signal);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
// If the server or the dashboard exits, stop the other.
for (const part of parts) part.on('exit', () => stop('SIGTERM'));
