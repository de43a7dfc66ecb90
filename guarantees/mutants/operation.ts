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
    name: 'operation: finished statements stay in memory',
    promise:
      'Memory does not hold the texts of finished statements until the next collection of the whole heap.',
    file: 'server/src/platform/db/sql.ts',
    find: 'client.query(text, params as unknown[], (error, result) => {',
    replace:
      'client.query(text, params as unknown[]).then((result) => [null, result] as const, (error) => [error, null] as never).then(([error, result]) => {',
    tests: ['server/src/platform/db/sql.test.ts'],
  },
  {
    name: 'operation: the image lacks a package that is imported late',
    promise: 'The image contains every package that the server imports.',
    file: 'server/package.json',
    find: '    "@simplewebauthn/server": "14.0.3",\n',
    replace: '',
    tests: PACKAGES,
  },
  {
    name: 'operation: the service loads before it handles signals',
    promise: 'A signal in the first moments stops the service.',
    file: 'server/src/main.ts',
    find: 'process.on(signal, stop)',
    replace: 'setTimeout(() => process.on(signal, stop), 5_000)',
    tests: ['server/src/main.test.ts'],
  },
  {
    name: 'operation: a stopped start goes on',
    promise: 'A service that is stopped while it starts begins nothing.',
    file: 'server/src/start.ts',
    find: '  if (stopping.aborted) return 0;\n  const databaseUrl',
    replace: '  const databaseUrl',
    tests: ['server/src/main.test.ts'],
  },
  {
    name: 'operation: a worker starts on a database without tables',
    promise: 'A start that the database prevents says why in a sentence.',
    file: 'server/src/start.ts',
    find: '  await refuseUnmigrated(db);\n',
    replace: '',
    tests: ['server/src/platform/db/start-problem.test.ts'],
  },
  {
    name: 'operation: everyone reads the metrics of a worker',
    promise: 'The metrics of a worker have the protection of those of an API.',
    file: 'server/src/operations/deployment/deployment.ts',
    find: 'if (!app.config.publicMetrics && !isOperator(app, request)) throw',
    replace:
      'if (!app.config.publicMetrics && !isOperator(app, request) && app.config.isPublic === undefined) throw',
    tests: WORKER_PORT,
  },
  {
    name: 'operation: a stopping worker is ready',
    promise: 'A stopping process is not ready.',
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
    name: 'operation: every scrape asks a database that hangs',
    promise: 'Scrapes of a database that hangs share one read.',
    file: 'server/src/platform/metrics.ts',
    find: 'reading ??= readAll(',
    replace: 'reading = readAll(',
    tests: METRICS,
  },
  {
    name: 'operation: local commits count as confirmed',
    promise: 'The doctor and a metric say how many standbys confirm each commit.',
    file: 'server/src/platform/db/standbys.ts',
    find: "in ('off', 'local') or",
    replace: "in ('off') or",
    tests: STANDBYS,
  },
  {
    name: 'operation: two standbys count as one',
    promise: 'The doctor and a metric say how many standbys confirm each commit.',
    file: 'server/src/platform/db/standbys.ts',
    find: '(?:(?:first|any)\\\\s+)?',
    replace: '(?:(?:first)\\\\s+)?',
    tests: STANDBYS,
  },
  {
    name: 'operation: a lost server key is replaced',
    promise: 'A lost server key is not replaced on a database that was written under it.',
    file: 'server/src/platform/security/secret-key.ts',
    find: 'if (!(await addFact(tx, KEY_ID, vaultOf(fresh).keyId))) return false;',
    replace: 'await addFact(tx, KEY_ID, vaultOf(fresh).keyId);',
    tests: KEYS,
  },
  {
    name: 'operation: an empty server key is used',
    promise: 'A start heals an empty key file, or refuses.',
    file: 'server/src/platform/security/secret-key.ts',
    find: "  if (text === '') return undefined;\n",
    replace: '',
    tests: KEYS,
  },
  {
    name: 'operation: a damaged pid file stays',
    promise: 'A start heals an empty or damaged postmaster.pid.',
    file: 'server/src/platform/db/embedded-postmaster.ts',
    find: '  rmSync(file, { force: true });\n  return wasRunning ? pid : undefined;',
    replace:
      '  if (!Number.isNaN(written)) rmSync(file, { force: true });\n  return wasRunning ? pid : undefined;',
    tests: FILES,
  },
  {
    name: 'operation: a second PostgreSQL starts on the files of one that runs',
    promise: 'A PostgreSQL that outlived its service is stopped, also if its pid file is damaged.',
    file: 'server/src/platform/db/embedded-postmaster.ts',
    find: 'Number.isNaN(written) ? findPostmaster(cluster) : Math.abs(written)',
    replace: 'Number.isNaN(written) ? undefined : Math.abs(written)',
    tests: ['server/src/platform/db/embedded.test.ts'],
  },
  {
    name: 'operation: an unreadable lock counts as none',
    promise: 'A lock that cannot be read may have a living holder.',
    file: 'server/src/platform/db/embedded-lock.ts',
    find: '  const text = readIfAny(path);\n  try {\n',
    replace: '  let text: string | undefined;\n  try {\n    text = readIfAny(path);\n',
    tests: FILES,
  },
  {
    name: 'operation: a refused first start leaves its cluster',
    promise: 'A refused start leaves nothing behind.',
    file: 'server/src/platform/db/embedded.ts',
    find: '    rmSync(unfinished, { recursive: true, force: true });\n    rmSync(passwordFile(dataDir), { force: true });\n',
    replace: '',
    tests: ['server/src/platform/db/embedded.test.ts'],
  },
  {
    name: 'operation: a changed password of the database is not noticed',
    promise: 'A start sets the password of the file, whatever the roles had.',
    file: 'server/src/platform/db/embedded-roles.ts',
    find: 'if (stored && readIfAny(marker(cluster)) === markOf(stored)) return;',
    replace: 'if (stored && readIfAny(marker(cluster)) !== undefined) return;',
    tests: ['server/src/platform/db/embedded.test.ts'],
  },
];
