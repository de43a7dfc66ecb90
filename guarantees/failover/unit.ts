import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync, readFileSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

const UNITS = '/lib/systemd/system';

/** The machine that a unit runs on. */
interface Host {
  readonly name: string;
  readonly folder: string;
  /** The command line that runs a program there. */
  inside(command: readonly string[]): string[];
}

/** A unit of Debian with the drop-ins of the machine, started as systemd would start it. */
export class Unit {
  readonly #machine: Host;
  readonly #name: string;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(machine: Host, name: string) {
    this.#machine = machine;
    this.#name = name;
    this.#log = createWriteStream(join(machine.folder, `${name}.log`));
  }

  start(): void {
    this.#isWanted = true;
    if (this.#child) return;
    const settings = this.#settings();
    const one = (key: string): string | undefined => settings.get(key)?.at(-1);
    const user = one('User') ?? 'root';
    const environment = (settings.get('Environment') ?? []).map((line) => `export ${line}\n`);
    const files = (settings.get('EnvironmentFile') ?? [])
      .map((path) => path.replace(/^-/, '').replace('%p', this.#name))
      .map((path) => `if [ -r ${path} ]; then set -a; . ${path}; set +a; fi\n`);
    const limit = one('LimitNOFILE') ?? 1024;
    const script = `${environment.join('').replaceAll('%H', this.#machine.name)}${files.join('')}if (ulimit -n ${limit}) 2> /dev/null; then ulimit -n ${limit}; fi
exec setpriv --reuid=${user} --regid=${user} --init-groups -- ${one('ExecStart')}`;
    const [program, ...args] = this.#machine.inside(['sh', '-ec', script]);
    const child = spawn(program as string, args, {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.pipe(this.#log, { end: false });
    this.#child = child;
    child.once('exit', (code, signal) => {
      this.#child = undefined;
      this.#log.write(`-- ended: ${signal ?? code}\n`);
      const isRestarted = one('Restart') === 'always';
      if (isRestarted) setTimeout(() => this.#isWanted && this.start(), Number(one('RestartSec')) * 1_000);
    });
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** All values of each setting. A later value of a simple setting replaces the earlier ones. */
  #settings(): Map<string, string[]> {
    const dropIns = join(this.#machine.folder, `etc/systemd/system/${this.#name}.service.d`);
    const names = existsSync(dropIns) ? readdirSync(dropIns).sort() : [];
    const files = [`${UNITS}/${this.#name}.service`, ...names.map((name) => join(dropIns, name))];
    const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const settings = new Map<string, string[]>();
    for (const line of lines) {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (key && value) settings.set(key, [...(settings.get(key) ?? []), value]);
    }
    return settings;
  }
}
