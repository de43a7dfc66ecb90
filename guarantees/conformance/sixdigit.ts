import { parseArgs } from 'node:util';
import { allSystems } from './systems.ts';

const HELP = `Creates a connection for each system in a Sixdigit account, in mode Test, and prints settings for run.ts.

  node guarantees/conformance/sixdigit.ts --base https://otp.example.com --token <access token of a session> > settings.json`;

interface Endpoint {
  kind: string;
  url: string;
}

const { values } = parseArgs({ options: { base: { type: 'string' }, token: { type: 'string' } } });
const { base, token } = values;

/** Calls the API. Throws if the response is not a success. */
async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} got ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

/** Twilio's form of an id. */
const sidOf = (id: string): string => `AC${id.replaceAll('-', '')}`;
const NAME = 'Conformance';

async function settings(): Promise<object> {
  const systems: Record<string, object> = {};
  for (const { id: system, versions, needs = [] } of allSystems()) {
    if (!versions) continue;
    const { id, endpoints, secret } = await call<{ id: string; endpoints: Endpoint[]; secret: string }>(
      'POST',
      '/connections/',
      { system, name: NAME, mode: 'test' },
    );
    systems[system] = {
      ...Object.fromEntries(endpoints.map(({ kind, url }) => [kind, new URL(url).pathname])),
      secret,
      ...(needs.includes('account_sid') ? { account_sid: sidOf(id) } : {}),
    };
  }
  const { results } = await call<{ results: { id: string }[] }>('GET', '/accounts/');
  const keyOf = async (name: string): Promise<string> =>
    (await call<{ key: string }>('POST', '/api-keys/', { name: `${NAME} ${name}`, mode: 'test' })).key;
  return {
    base,
    systems: {
      ...systems,
      'twilio-verify': {
        api: '/compat/twilio',
        account_sid: sidOf(results[0]?.id ?? ''),
        secret: await keyOf('of Twilio Verify'),
      },
      camara: { api: '/compat/camara/one-time-password-sms/v1', secret: await keyOf('of CAMARA') },
    },
    messages: {
      url: '/api/v1/test-inbox/?search={recipient}',
      headers: { authorization: `Bearer ${token}` },
      list: 'results',
    },
  };
}

if (base === undefined || token === undefined) {
  process.stderr.write(`${HELP}\n`);
  process.exitCode = 2;
} else process.stdout.write(`${JSON.stringify(await settings(), null, 2)}\n`);
