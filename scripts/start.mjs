import { spawn } from 'node:child_process';
import { prepare } from './prepare.mjs';
import { compileCache, fail, node, nodeOptions, output, root } from './run.mjs';

/** `npm start -- api|worker|migrate|seed|erase|backup|doctor …`: tasks without a dashboard need no web build. */
const args = process.argv.slice(2);
// These tasks write a log (server/src/start.ts).
const isLogged = [undefined, 'api', 'worker', 'migrate'].includes(args[0]);
output.isJson = isLogged && process.env.NODE_ENV === 'production' && !process.stdout.isTTY;
await prepare({ web: args[0] === undefined || args[0] === 'api' });

// When this process exits or is killed, the channel closes, which tells the service to stop.
const service = spawn(node, [...nodeOptions, 'server/src/main.ts', ...args], {
  cwd: root,
  env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});

let isStopping = false;
/** Forward a signal only once: npm and the terminal repeat a Ctrl-C, which would interrupt the drain. */
function stop(signal) {
  if (!isStopping) service.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  isStopping = true;
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

// A killed npm forwards no signal, so watch for its exit and stop the service.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop('SIGTERM'), 500);
}

service.on('error', (error) => fail(error.message));
service.on('exit', (code, signal) => process.exit(signal ? 1 : code));
