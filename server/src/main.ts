/**
 * The entry point: `main.ts [api | worker | migrate | seed | erase <recipient> | operator … | backup <folder> | doctor | demo]`. Without an
 * argument it runs API, worker and dashboard in one process.
 *
 * It handles signals before the service is loaded, which takes up to a second: as process 1 of a container, it would otherwise
 * ignore them.
 */
const [task = 'all', ...rest] = process.argv.slice(2);
const stopping = new AbortController();
// `doctor` and `backup` keep Node's default: a signal ends them at once.
if (task !== 'doctor' && task !== 'backup') {
  const stop = () => stopping.abort();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // `npm start` holds the other end of this channel. If it is killed, the service must stop too.
  process.once('disconnect', stop);
  process.channel?.unref();
}

const { start } = await import('./start.ts');
// Signals that arrived during the import are handled here.
await new Promise((resolve) => setImmediate(resolve));
process.exitCode = await start(task, rest, { env: process.env, stopping: stopping.signal });
// Pending handles must not hold up a drained process.
setTimeout(() => process.exit(), 2_000).unref();
