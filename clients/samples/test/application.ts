import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A running sample. */
export interface Application extends AsyncDisposable {
  url: string;
  /** The next line of its standard output. */
  nextLine(): Promise<string>;
}

interface Program {
  command: string;
  args: string[];
  cwd: string;
  env?: Record<string, string | undefined>;
}

/** Starts a sample's program, and waits for the line with its address. */
export async function startApplication({ command, args, cwd, env = {} }: Program): Promise<Application> {
  // Without the proxies and the keys of the environment.
  const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH, ...env } });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const { stdout, stderr } = child;
  let output = '';
  let found: (url: string) => void;
  const url = new Promise<string>((resolve) => {
    found = resolve;
  });
  for (const stream of [stdout, stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      const [address] = /http:\/\/127\.0\.0\.1:\d+(?=\D)/.exec(output) ?? [];
      if (address) found(address);
    });
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const fail = ended.then(() => Promise.reject(new Error(`${command} has ended: ${output}`)));
  fail.catch(() => undefined);
  return {
    url: await Promise.race([url, fail]),
    async nextLine() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command} has ended: ${output}`);
      return value;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

export interface Page {
  status: number;
  text: string;
  headers: Headers;
}

/** A person's browser: it keeps cookies. */
export class Browser {
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #url: string;
  readonly cookies = new Map<string, string>();

  constructor(url: string, fetchPage: (request: Request) => Promise<Response> = (request) => fetch(request)) {
    this.#url = url;
    this.#fetch = fetchPage;
  }

  async open(path: string, init: RequestInit = {}): Promise<Page> {
    const request = new Request(this.#url + path, { ...init, redirect: 'manual' });
    const cookies = [...this.cookies].map((cookie) => cookie.join('=')).join('; ');
    if (cookies) request.headers.set('cookie', cookies);
    const response = await this.#fetch(request);
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** What an application's script sends. */
  postJson(path: string, fields: object): Promise<Page> {
    return this.open(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
  }

  /** Fills in the form of the sign-in page, with its hidden fields. */
  async postForm(path: string, fields: Record<string, string>): Promise<Page> {
    const { text } = await this.open('/sign-in');
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g)];
    const body = new URLSearchParams(fields);
    for (const [, name = '', value = ''] of hidden) body.set(name, value);
    return this.open(path, { method: 'POST', body });
  }
}

/** Browsers of people who use a program. */
export const browsersOf = (application: Application) => (): Browser => new Browser(application.url);
