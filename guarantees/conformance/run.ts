import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runConformance } from './conformance.ts';
import { readSettings, type Settings } from './settings.ts';
import { SettingsError } from './settings-error.ts';
import { allSystems } from './systems.ts';
import { tableOf } from './table.ts';

const HELP = `Sends the requests of auth systems to an implementation, and prints which checks pass.

  node guarantees/conformance/run.ts --settings file.json [--base https://otp.example.com]

  --settings file  addresses and secrets of the systems (README.md)
  --base address   replaces "base" in the settings
  --only a,b       only these systems
  --rate n         requests per second and system (default 20)
  --wait seconds   how long messages may take (default 10)
  --json           the report as JSON
  --list           the systems and their versions

Exit code: 0 if everything passes, 1 if something fails, 2 for wrong options or settings.`;

const OPTIONS = {
  settings: { type: 'string' },
  base: { type: 'string' },
  only: { type: 'string' },
  rate: { type: 'string', default: '20' },
  wait: { type: 'string', default: '10' },
  json: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS, allowPositionals: false });
  const systems = allSystems();
  if (values.help) return print(HELP);
  if (values.list)
    return print(
      systems
        .flatMap(({ id, name, versions = [], flows = [] }) => [
          `${id} (${name})`,
          ...[...versions, ...flows].map((one) => `  ${one.kind.padEnd(5)}  ${one.name}`),
        ])
        .join('\n'),
    );
  if (values.settings === undefined) throw new SettingsError('Set the settings file with --settings.');
  const settings = only(readSettings(fileOf(values.settings), systems, values.base), values.only);
  const report = await runConformance(settings, {
    perSecond: positive(values.rate, '--rate'),
    waitMs: positive(values.wait, '--wait') * 1000,
  });
  print(values.json ? JSON.stringify(report, null, 2) : tableOf(report));
  return report.failed === 0 ? 0 : 1;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function fileOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SettingsError(`Cannot read the settings in ${path}: ${(error as Error).message}`);
  }
}

function only(settings: Settings, names: string | undefined): Settings {
  if (names === undefined) return settings;
  const wanted = names.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !settings.systems.some(({ system }) => system.id === name));
  if (unknown !== undefined) throw new SettingsError(`The settings have no system "${unknown}".`);
  return { ...settings, systems: settings.systems.filter(({ system }) => wanted.includes(system.id)) };
}

function positive(text: string, name: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new SettingsError(`${name} must be a number above 0.`);
  return value;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage =
    error instanceof SettingsError || String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
  if (!isUsage) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
