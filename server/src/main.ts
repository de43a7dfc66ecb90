/**
 * The entry point: `main.ts [api | worker | migrate | seed | erase <recipient> | operator … | backup <folder> | doctor | demo | simulate-fraud …]`. Without an
 * argument, it runs the API, the worker and the dashboard in one process.
 *
 * Signal handlers are installed before the service is loaded, which takes up to a second. As PID 1 of a container, the process
 * would otherwise ignore signals during that time.
 */
const [task = 'all', ...rest] = process.argv.slice(2);
const stopping = new AbortController();
// `doctor` and `backup` keep Node's default: a signal ends them immediately.
if (task !== 'doctor' && task !== 'backup') {
  const stop = () => stopping.abort();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // `npm start` holds the other end of this channel. If it is killed, the service must stop too.
  process.once('disconnect', stop);
  process.channel?.unref();
}

const { start } = await import('./start.ts');
// Lets signals that arrived during the import be handled first.
await new Promise((resolve) => setImmediate(resolve));
process.exitCode = await start(task, rest, { env: process.env, stopping: stopping.signal });
// Pending handles must not keep a drained process alive.
setTimeout(() => process.exit(), 2_000).unref();
