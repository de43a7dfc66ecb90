import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Starts the `server.mjs` in a folder, as its documentation says, and waits until it prints its address. */
export async function startSample(folder: string, env: Record<string, string>) {
  const child = spawn(process.execPath, ['--conditions=@sixdigit/source', 'server.mjs'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: first = '' } = await lines.next();
  const url = String(first).replace('Listening on ', '');
  return {
    /** what it prints next */
    nextLine: async () => (await lines.next()).value,
    async post(path: string, body: object | string, headers: Record<string, string> = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = { 'content-type': 'application/json' };
      const response = await fetch(url + path, {
        method: 'POST',
        body: text,
        headers: { ...type, ...headers },
      });
      const answer = await response.text();
      return { status: response.status, body: answer.startsWith('{') ? JSON.parse(answer) : answer };
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
