import type { Mutant } from './mutant.ts';

const FILES = ['server/src/platform/db/start-files.test.ts'];
const KEYS = ['server/src/platform/security/secret-key.test.ts'];
const PACKAGES = ['server/test/architecture-packages.test.ts'];
const METRICS = ['server/src/platform/metrics.test.ts'];
const STANDBYS = ['server/src/platform/db/sql.test.ts'];
const WORKER_PORT = ['server/src/operations/deployment/deployment.test.ts'];

/** Startup, the container image's files, and the operators' view of the service. */
export const operation: readonly Mutant[] = [
  {
    name: 'operation: the texts of finished statements stay in memory',
    promise: 'The texts of finished statements do not stay in memory until the next full garbage collection.',
    file: 'server/src/platform/db/sql.ts',
    find: 'client.query(text, params as unknown[], (error, result) => {',
    replace:
      'client.query(text, params as unknown[]).then((result) => [null, result] as const, (error) => [error, null] as never).then(([error, result]) => {',
    tests: ['server/src/platform/db/sql.test.ts'],
  },
  {
    name: 'operation: the image lacks a dynamically imported package',
    promise: 'The image contains every package that the server imports.',
    file: 'server/package.json',
    find: '    "@simplewebauthn/server": "14.0.3",\n',
    replace: '',
    tests: PACKAGES,
  },
  {
    name: 'operation: the service loads before it handles signals',
    promise: 'A signal right after the start stops the service.',
    file: 'server/src/main.ts',
    find: 'process.on(signal, stop)',
    replace: 'setTimeout(() => process.on(signal, stop), 5_000)',
    tests: ['server/src/main.test.ts'],
  },
  {
    name: 'operation: a start continues after it was stopped',
    promise: 'A service that is stopped during its start does not continue to start.',
    file: 'server/src/start.ts',
    find: '  if (stopping.aborted) return 0;\n  const databaseUrl',
    replace: '  const databaseUrl',
    tests: ['server/src/main.test.ts'],
  },
  {
    name: 'operation: a worker starts on a database without tables',
    promise: 'If the database prevents a start, the service prints the reason in one sentence.',
    file: 'server/src/start.ts',
    find: '  await refuseUnmigrated(db);\n',
    replace: '',
    tests: ['server/src/platform/db/start-problem.test.ts'],
  },
  {
    name: 'operation: anyone can read a worker’s metrics',
    promise: 'A worker’s metrics are protected like an API’s.',
    file: 'server/src/operations/deployment/deployment.ts',
    find: 'if (!app.config.publicMetrics && !isOperator(app, request)) throw',
    replace:
      'if (!app.config.publicMetrics && !isOperator(app, request) && app.config.isPublic === undefined) throw',
    tests: WORKER_PORT,
  },
  {
    name: 'operation: a stopping worker reports ready',
    promise: 'A stopping process does not report ready.',
    file: 'server/src/operations/deployment/deployment.ts',
    find: 'healthRoutes(server, app, { works: true, isStopping });',
    replace: 'healthRoutes(server, app, { works: true, isStopping: () => false });',
    tests: WORKER_PORT,
  },
  {
    name: 'operation: gauges keep the values of the last scrape',
    promise: 'While the database is unavailable, its gauges are absent.',
    file: 'server/src/platform/metrics.ts',
    find: '      clearDatabase();\n',
    replace: '',
    tests: METRICS,
  },
  {
    name: 'operation: gauges without labels are 0 without a database',
    promise: 'While the database is unavailable, its gauges are absent.',
    file: 'server/src/platform/metrics.ts',
    find: 'if (!labelNames) one?.remove();',
    replace: '',
    tests: METRICS,
  },
  {
    name: 'operation: every scrape queries a database that hangs',
    promise: 'While the database hangs, all scrapes share one query.',
    file: 'server/src/platform/metrics.ts',
    find: 'reading ??= readAll(',
    replace: 'reading = readAll(',
    tests: METRICS,
  },
  {
    name: 'operation: local commits count as confirmed',
    promise: 'The doctor and a metric report how many standbys confirm each commit.',
    file: 'server/src/platform/db/standbys.ts',
    find: "in ('off', 'local') or",
    replace: "in ('off') or",
    tests: STANDBYS,
  },
  {
    name: 'operation: two standbys count as one',
    promise: 'The doctor and a metric report how many standbys confirm each commit.',
    file: 'server/src/platform/db/standbys.ts',
    find: '(?:(?:first|any)\\\\s+)?',
    replace: '(?:(?:first)\\\\s+)?',
    tests: STANDBYS,
  },
  {
    name: 'operation: a lost server key is replaced',
    promise: 'The service does not create a new server key for a database that was written under a lost one.',
    file: 'server/src/platform/security/secret-key.ts',
    find: 'if (!(await addFact(tx, KEY_ID, vaultOf(fresh).keyId))) return false;',
    replace: 'await addFact(tx, KEY_ID, vaultOf(fresh).keyId);',
    tests: KEYS,
  },
  {
    name: 'operation: an empty server key is used',
    promise: 'With an empty key file, the service repairs the file or refuses to start.',
    file: 'server/src/platform/security/secret-key.ts',
    find: "  if (text === '') return undefined;\n",
    replace: '',
    tests: KEYS,
  },
  {
    name: 'operation: a damaged pid file stays',
    promise: 'A start repairs an empty or damaged postmaster.pid.',
    file: 'server/src/platform/db/embedded-postmaster.ts',
    find: '  rmSync(file, { force: true });\n  return wasRunning ? pid : undefined;',
    replace:
      '  if (!Number.isNaN(written)) rmSync(file, { force: true });\n  return wasRunning ? pid : undefined;',
    tests: FILES,
  },
  {
    name: 'operation: a second PostgreSQL starts on a running one’s files',
    promise: 'A PostgreSQL that outlived its service is stopped, even if its pid file is damaged.',
    file: 'server/src/platform/db/embedded-postmaster.ts',
    find: 'Number.isNaN(written) ? findPostmaster(cluster) : Math.abs(written)',
    replace: 'Number.isNaN(written) ? undefined : Math.abs(written)',
    tests: ['server/src/platform/db/embedded.test.ts'],
  },
  {
    name: 'operation: an unreadable lock counts as absent',
    promise: 'The service respects an unreadable lock, because its owner may be running.',
    file: 'server/src/platform/db/embedded-lock.ts',
    find: '  const text = readIfAny(path);\n  try {\n',
    replace: '  let text: string | undefined;\n  try {\n    text = readIfAny(path);\n',
    tests: FILES,
  },
  {
    name: 'operation: a refused first start leaves its cluster behind',
    promise: 'A refused start leaves nothing behind.',
    file: 'server/src/platform/db/embedded.ts',
    find: '    rmSync(unfinished, { recursive: true, force: true });\n    rmSync(passwordFile(dataDir), { force: true });\n',
    replace: '',
    tests: ['server/src/platform/db/embedded.test.ts'],
  },
  {
    name: 'operation: a changed database password is not noticed',
    promise: 'A start gives the database roles the password from the file.',
    file: 'server/src/platform/db/embedded-roles.ts',
    find: 'if (stored && readIfAny(marker(cluster)) === markOf(stored)) return;',
    replace: 'if (stored && readIfAny(marker(cluster)) !== undefined) return;',
    tests: ['server/src/platform/db/embedded.test.ts'],
  },
];
