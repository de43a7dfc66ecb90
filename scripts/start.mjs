import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';
import { node, nodeOptions, root } from './run.mjs';

/** `npm start -- api|worker|migrate|seed|erase|backup|doctor …`: what serves no dashboard needs no build of it. */
const args = process.argv.slice(2);
await prepare({ web: args[0] === undefined || args[0] === 'api' });

// The channel tells the service when this process is gone, however that came about.
const service = spawn(node, [...nodeOptions, 'server/src/main.ts', ...args], {
  cwd: root,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});

let isStopping = false;
/** Passed on once: npm and the terminal repeat a Ctrl-C, and the service is to drain undisturbed. */
function stop(signal) {
  if (!isStopping) service.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  isStopping = true;
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

// A killed npm passes nothing on: the service is not to live on without anyone who could stop it.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop('SIGTERM'), 500);
}

service.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
service.on('exit', (code, signal) => process.exit(signal ? 1 : code));
