import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const PYTHON_CLIENT = fileURLToPath(new URL('../python', import.meta.url));

/** `npm test` names one that can also build packages. */
export const python = process.env.PYTHON ?? 'python3';

/** A Python process that makes calls with the Python client. */
export interface PythonProcess extends AsyncDisposable {
  /** Resolves with the result. Throws a `CallFailed` with the error's fields. */
  call(request: PythonRequest): Promise<unknown>;
}

export interface PythonRequest {
  call: string;
  client?: string;
  class?: string;
  args?: Record<string, unknown>;
}

/** The error of a call, in any language. */
export class CallFailed extends Error {
  readonly details: Record<string, unknown>;

  constructor(details: Record<string, unknown>) {
    super(String(details.message));
    this.details = details;
  }
}

export async function startPython(): Promise<PythonProcess> {
  const { status, stderr } = spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
  if (status !== 0)
    throw new Error(`These tests need Python 3.9 or later: ${stderr ?? 'python3 is missing'}`);
  const child = spawn(python, ['-W', 'error', 'test/driver.py'], {
    cwd: PYTHON_CLIENT,
    // Without the proxies of the environment.
    env: { PATH: process.env.PATH, PYTHONPATH: 'src', PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  const exchange = async (request: PythonRequest): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('The Python process has ended');
    const { result, error } = JSON.parse(value);
    if (error) throw new CallFailed(error);
    return result;
  };
  return {
    call(request) {
      const next = last.then(() => exchange(request));
      last = next.catch(() => undefined);
      return next;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
