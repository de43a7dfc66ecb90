import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { apiUrl } from '../request.ts';
import type { Channel, SendInput } from '../shapes.ts';
import { Sixdigit, type SixdigitClient, SixdigitError } from '../sixdigit.ts';
import { followLogs, forwardWebhooks } from './follow.ts';
import { ask } from './prompt.ts';
import { useProxy } from './proxy.ts';
import { type Access, accessIn, fileOf, LoginFileError, storeLogin } from './settings.ts';

export const USAGE = `Usage: sixdigit <command> [options]

  login [--url <url>]          Store the service's URL and an API key, which is read from the terminal
                               or standard input. Only this user can read the file.
  send <recipient>             Send a code. An email address gets an email, a phone number an SMS.
      --channel <channel>      sms, voice, email, whatsapp or telegram
      --channels <channels>    channels to try in turn, such as sms,voice, or auto for the account's plan
      --wait <seconds>         with channels: 15 to 900 until the next one starts
      --message <text>         text with {code}
      --subject <text>         of an email
      --expires-in <seconds>   60 to 3600
      --locale <tag>           language of the service's text, such as pt-BR
      --template <name>        a template of the account, instead of a message
      --variable <key=value>   a value for the template; repeat it for several
      --app-hash <hash>        SMS: the 11 characters that tell Android your app
      --domain <host>          SMS: the sign-in page on which browsers offer the code
      --client-ip <address>    of the end user, for the rules against fraud
      --code-length <digits>   up to 10, not below the account's
      --max-attempts <number>  1 to 10; more than usual need a longer code
      --purpose <name>         what the code is for, such as login
      --metadata <key=value>   a label of your own; repeat it for several
      --limit <name=value>     what a limit of the account counts; repeat it for several
      --idempotency-key <key>  repetitions with this key send one message
  verify <otp_id> [code]       Verify a code, which is read from standard input if left out. A recipient
                               stands for its newest open verification, with --purpose if it has one.
  resend <otp_id>              Send the same code again.
      --channel <channel>      another channel to the same recipient. Without it, the next channel of a
                               plan, or else that of the send
      --client-ip, --limit, --idempotency-key  as for send
  status <otp_id>              Show a verification.
  cancel <otp_id>              Close a verification.
  logs --follow                Show the requests of all keys as they happen.
  listen --forward-to <url>    Forward webhooks to a local address, signed as the service sends them.
      --webhook <id>           only those of one endpoint

  logs and listen need a key with the scope events:read.

  --version                    Print the version of this command.
  --json                       Print the result or the error as one line of JSON.
  --url <url>                  Use this service instead of the stored one.

SIXDIGIT_URL and SIXDIGIT_API_KEY take precedence over the stored login.
HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply, except to this machine.

Exit codes: 0 success, 1 refused by the service, 2 wrong usage or a login file that cannot
be read or written, 3 code not verified, 4 no login or invalid API key, 5 service unreachable
or unavailable. They tell what happened at the service, even if nobody reads the output.`;

export const EXIT = { ok: 0, refused: 1, usage: 2, notVerified: 3, noAccess: 4, unreachable: 5 } as const;

class UsageError extends Error {}

const versionOf = (): string =>
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
  url: { type: 'string' },
  channel: { type: 'string' },
  channels: { type: 'string' },
  wait: { type: 'string' },
  message: { type: 'string' },
  subject: { type: 'string' },
  'expires-in': { type: 'string' },
  locale: { type: 'string' },
  template: { type: 'string' },
  variable: { type: 'string', multiple: true },
  'app-hash': { type: 'string' },
  domain: { type: 'string' },
  'client-ip': { type: 'string' },
  'code-length': { type: 'string' },
  'max-attempts': { type: 'string' },
  purpose: { type: 'string' },
  metadata: { type: 'string', multiple: true },
  limit: { type: 'string', multiple: true },
  'idempotency-key': { type: 'string' },
  follow: { type: 'boolean', default: false },
  'forward-to': { type: 'string' },
  webhook: { type: 'string' },
} as const;

type Values = ReturnType<typeof read>['values'];

const read = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });

/** Runs a command. Results go to standard output, everything else to standard error. Resolves with the exit code. */
export async function run(args: readonly string[], env: Record<string, string | undefined>): Promise<number> {
  const isJson = args.includes('--json');
  try {
    const { values, positionals } = read(args);
    const [name, ...rest] = positionals;
    if (values.help || name === 'help') return print(USAGE);
    if (values.version) return print(versionOf());
    useProxy(env);
    const command = name === undefined ? undefined : COMMANDS[name];
    if (!command) throw new UsageError(name === undefined ? 'Name a command.' : `Unknown command: ${name}`);
    const done = await command(rest, values, env);
    if (!done) return EXIT.ok;
    return print(values.json ? JSON.stringify(done.result) : done.sentence);
  } catch (error) {
    return fail(error, isJson);
  }
}

interface Done {
  result: object;
  sentence: string;
}

/** Without a result, the command has printed while it ran. */
type Command = (
  args: string[],
  values: Values,
  env: Record<string, string | undefined>,
) => Promise<Done | undefined>;

const COMMANDS: Record<string, Command> = {
  async login(args, values, env) {
    expectArguments(args, 0, 0);
    const url = apiUrlOf(values.url ?? env.SIXDIGIT_URL ?? (await ask('Base URL: ')));
    const api_key = env.SIXDIGIT_API_KEY || (await ask('API key: ', { isSecret: true }));
    await checkKey(new Sixdigit({ baseUrl: url, apiKey: api_key }));
    const file = fileOf(env);
    storeLogin(file, { url, api_key });
    return { result: { url, file }, sentence: `Logged in to ${url}. The key is in ${file}.` };
  },

  async send(args, values, env) {
    const [recipient = ''] = expectArguments(args, 1, 1);
    const input: SendInput = {
      ...channelsIn(values, recipient),
      recipient,
      message: values.message,
      subject: values.subject,
      locale: values.locale,
      template: values.template,
      variables: pairsIn(values.variable),
      app_hash: values['app-hash'],
      domain: values.domain,
      client_ip: values['client-ip'],
      expires_in: numberIn(values['expires-in']),
      code_length: numberIn(values['code-length']),
      max_attempts: numberIn(values['max-attempts']),
      purpose: values.purpose,
      metadata: pairsIn(values.metadata),
      limits: pairsIn(values.limit),
    };
    const sent = await client(values, env).send(input, { idempotencyKey: values['idempotency-key'] });
    return {
      result: sent,
      sentence: `Sent to ${sent.recipient}.\nVerify it with: sixdigit verify ${sent.otp_id}`,
    };
  },

  async verify(args, values, env) {
    const [named = '', given] = expectArguments(args, 1, 2);
    const sixdigit = client(values, env);
    const of = /@|^\+/.test(named) ? { recipient: named, purpose: values.purpose } : { otp_id: named };
    const verified = await sixdigit.verify({ ...of, code: given ?? (await ask('Code: ')) });
    return { result: verified, sentence: 'Verified.' };
  },

  async resend(args, values, env) {
    const [otp_id = ''] = expectArguments(args, 1, 1);
    const input = {
      channel: values.channel as Channel | undefined,
      client_ip: values['client-ip'],
      limits: pairsIn(values.limit),
    };
    const options = { idempotencyKey: values['idempotency-key'] };
    const sent = await client(values, env).resend(otp_id, input, options);
    return { result: sent, sentence: `Sent again to ${sent.recipient}.` };
  },

  async status(args, values, env) {
    const [otp_id = ''] = expectArguments(args, 1, 1);
    const state = await client(values, env).get(otp_id);
    return { result: state, sentence: lines(state) };
  },

  async cancel(args, values, env) {
    const [otp_id = ''] = expectArguments(args, 1, 1);
    const state = await client(values, env).cancel(otp_id);
    return { result: state, sentence: 'Canceled.' };
  },

  async logs(args, values, env) {
    expectArguments(args, 0, 0);
    if (!values.follow) throw new UsageError('Add --follow: the command shows requests as they happen.');
    const access = accessOf(values, env);
    await untilStopped((signal) => followLogs({ access, isJson: values.json, signal }));
    return undefined;
  },

  async listen(args, values, env) {
    expectArguments(args, 0, 0);
    const target = values['forward-to'];
    if (target === undefined) throw new UsageError('Add --forward-to with the address of your receiver.');
    if (!URL.canParse(target) || !/^https?:$/.test(new URL(target).protocol))
      throw new UsageError(`Not a URL: ${target}`);
    const access = accessOf(values, env);
    const { json: isJson, webhook } = values;
    await untilStopped((signal) => forwardWebhooks({ access, isJson, signal, target, webhook }));
    return undefined;
  },
};

/** Runs until the user stops the command, or its output is closed. */
async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop);
  process.stdout.on('error', stop);
  await work(controller.signal);
}

function accessOf({ url }: Values, env: Record<string, string | undefined>): Access {
  const { url: at, api_key } = accessIn(url ? { ...env, SIXDIGIT_URL: apiUrlOf(url) } : env);
  if (!at || !api_key)
    throw new SixdigitError('missing_api_key', 'Log in first: sixdigit login', { status: 401 });
  // Checks the key.
  void new Sixdigit({ baseUrl: at, apiKey: api_key });
  return { url: apiUrlOf(at), api_key: api_key.trim() };
}

function client(values: Values, env: Record<string, string | undefined>): SixdigitClient {
  const { url, api_key } = accessOf(values, env);
  return new Sixdigit({ baseUrl: url, apiKey: api_key });
}

/** Any other refusal comes after the check of the key. */
async function checkKey(sixdigit: SixdigitClient): Promise<void> {
  try {
    await sixdigit.get('00000000-0000-7000-8000-000000000000');
  } catch (error) {
    const isKnown =
      error instanceof SixdigitError && ['otp_not_found', 'missing_scope'].includes(error.reason);
    if (!isKnown) throw error;
  }
}

function apiUrlOf(text: string): string {
  try {
    return apiUrl(text);
  } catch {
    throw new UsageError(`Not a URL: ${text}`);
  }
}

function expectArguments(args: string[], least: number, most: number): string[] {
  if (args.length < least) throw new UsageError('An argument is missing.');
  if (args.length > most) throw new UsageError(`Unexpected argument: ${args[most]}`);
  return args;
}

/** One channel, by default that of the recipient, or a plan. */
function channelsIn({ channel, channels, wait }: Values, recipient: string): Partial<SendInput> {
  if (channels === undefined && wait === undefined)
    return { channel: (channel ?? (recipient.includes('@') ? 'email' : 'sms')) as Channel };
  return {
    channel: channel as Channel | undefined,
    channels: channels === 'auto' ? 'auto' : (channels?.split(',').map((one) => one.trim()) as Channel[]),
    wait_seconds: numberIn(wait),
  };
}

/** `order=4711` becomes a field with the name `order`. */
function pairsIn(pairs: readonly string[] | undefined): Record<string, string> | undefined {
  if (pairs === undefined) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`Not a pair such as order=4711: ${pair}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function numberIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const digits = text.normalize('NFKC').trim();
  if (!/^\d{1,9}$/.test(digits)) throw new UsageError(`Not a whole number: ${text}`);
  return Number(digits);
}

const lines = (state: object): string =>
  Object.entries(state)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(14)}${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join('\n');

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}

const NOT_VERIFIED = [
  'invalid_code',
  'otp_expired',
  'otp_closed',
  'otp_already_verified',
  'max_attempts_reached',
];

function fail(error: unknown, isJson: boolean): number {
  if (error instanceof SixdigitError) {
    const { reason, message, status, facts, fieldErrors, requestId } = error;
    const body = { error: message, reason, status, ...facts, request_id: requestId };
    const details = reason === 'invalid_fields' ? { ...body, field_errors: fieldErrors } : body;
    process.stderr.write(`${isJson ? JSON.stringify(details) : `${message} (${reason})`}\n`);
    return exitOf(error);
  }
  if (error instanceof LoginFileError) {
    const body = { error: error.message, reason: 'login_file' };
    process.stderr.write(`${isJson ? JSON.stringify(body) : error.message}\n`);
    return EXIT.usage;
  }
  // `parseArgs` names the wrong option, and `Sixdigit` the wrong setting.
  if (error instanceof UsageError || error instanceof TypeError) {
    const body = { error: error.message, reason: 'usage' };
    process.stderr.write(`${isJson ? JSON.stringify(body) : `${error.message}\nTry: sixdigit --help`}\n`);
    return EXIT.usage;
  }
  throw error;
}

function exitOf({ status, reason }: SixdigitError): number {
  if (NOT_VERIFIED.includes(reason)) return EXIT.notVerified;
  if (status === 401) return EXIT.noAccess;
  return status === 0 || status >= 500 || reason === 'unexpected_response' ? EXIT.unreachable : EXIT.refused;
}
