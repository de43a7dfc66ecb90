import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeJwt,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { Provider } from 'oidc-provider';

/** A user of an identity provider. */
export interface ProviderUser {
  subject: string;
  email?: string;
  email_verified?: boolean | string;
  given_name?: string;
  family_name?: string;
}

type Mode =
  | 'answers'
  | 'closes'
  | 'is silent'
  | 'sends slowly'
  | 'sends too much'
  | 'fails'
  | 'sends HTML'
  | 'redirects';

/** An OpenID provider on loopback: the package `oidc-provider`, in front of which a test can put faults. */
export interface IdentityProvider extends AsyncDisposable {
  issuer: string;
  client_id: string;
  client_secret: string;
  /** how the server reacts to the calls of the client; the path is that of the call, or all */
  faults: Map<'*' | '/.well-known/openid-configuration' | '/token' | '/jwks' | '/me', Mode>;
  /** changes the responses of these paths; a text is sent as a JWT */
  changes: Map<'/token' | '/jwks' | '/me', (body: Json) => unknown>;
  /** Signs with the provider's key, which the header does not name. */
  sign(claims: JWTPayload): Promise<string>;
  /** changes the claims of each ID token, which is then signed with the provider's key */
  forge: ((claims: JWTPayload) => JWTPayload) | undefined;
  /** how the changed tokens are signed */
  signature: 'right' | 'of another key' | 'none';
  /** The redirect URLs that are registered for the client. Undefined: each that begins with the given one. */
  redirectUrls: readonly string[] | undefined;
  /** changes the discovery document */
  describe:
    | ((document: Record<string, unknown>) => Record<string, unknown> | Promise<Record<string, unknown>>)
    | undefined;
  /** the paths of the calls that arrived */
  calls: string[];
  /** New keys, without the old ones. */
  rotateKeys(): Promise<void>;
  /** From now on, the provider's page signs this user in without asking. */
  signsIn(user: ProviderUser): void;
  /** As a browser, signs the user in on the page of the URL. Returns the parameters of the callback, with the account in its path. */
  signIn(url: string, user: ProviderUser): Promise<Record<string, string>>;
}

type Json = Record<string, unknown>;

const HUGE = 2 * 1024 * 1024;

export async function startIdentityProvider(redirectUri: string, port = 0): Promise<IdentityProvider> {
  const server = createServer((request, response) => void receive(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const users = new Map<string, ProviderUser>();
  let signing = ''; // the subject that signs in next
  let key: { jwk: JWK; private: CryptoKey };
  let provider: Provider;

  const fake: IdentityProvider = {
    issuer,
    client_id: 'sixdigit',
    client_secret: 'a-secret-of-the-tests-that-is-long-enough',
    faults: new Map(),
    forge: undefined,
    signature: 'right',
    describe: undefined,
    redirectUrls: undefined,
    changes: new Map(),
    calls: [],
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(key.private),
    async rotateKeys() {
      const pair = await generateKeyPair('RS256', { extractable: true });
      const kid = crypto.randomUUID();
      key = { jwk: { ...(await exportJWK(pair.privateKey)), kid, alg: 'RS256' }, private: pair.privateKey };
      provider = providerWith(key.jwk);
      provider.Client.prototype.redirectUriAllowed = (url: string) =>
        fake.redirectUrls?.includes(url) ?? url.startsWith(redirectUri);
    },
    signsIn(user) {
      users.set(user.subject, user);
      signing = user.subject;
    },
    async signIn(url, user) {
      fake.signsIn(user);
      return browse(url, redirectUri);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  const providerWith = (jwk: JWK): Provider =>
    quietly(
      () =>
        new Provider(issuer, {
          clients: [
            {
              client_id: fake.client_id,
              client_secret: fake.client_secret,
              redirect_uris: [redirectUri],
              token_endpoint_auth_method: 'client_secret_post',
            },
          ],
          jwks: { keys: [jwk] },
          cookies: { keys: ['a key of the tests'] },
          claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
          conformIdTokenClaims: false,
          features: { devInteractions: { enabled: false } },
          interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
          ttl: {
            AccessToken: 60,
            AuthorizationCode: 60,
            IdToken: 60,
            Interaction: 60,
            Session: 60,
            Grant: 60,
          },
          async findAccount(_context, subject) {
            const { subject: _, ...claims } = users.get(subject) ?? {};
            return { accountId: subject, claims: async () => ({ sub: subject, ...claims }) };
          },
          async loadExistingGrant(context) {
            const grant = new context.oidc.provider.Grant({
              clientId: context.oidc.client?.clientId ?? '',
              accountId: context.oidc.session?.accountId ?? '',
            });
            grant.addOIDCScope('openid email profile');
            await grant.save();
            return grant;
          },
        }),
    );

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    fake.calls.push(path);
    const fault = fake.faults.get('*') ?? fake.faults.get(path as '/token') ?? 'answers';
    if (fault !== 'answers') return spoil(response, fault);
    if (path.startsWith('/interaction/'))
      return provider.interactionFinished(request, response, { login: { accountId: signing } });
    const change = fake.changes.get(path as '/token');
    if (path === '/token' && fake.forge) keepBody(response, reissued);
    if (change)
      keepBody(response, async (body) => {
        const changed = await change(JSON.parse(body) as Json);
        if (typeof changed === 'string') response.setHeader('content-type', 'application/jwt');
        return typeof changed === 'string' ? changed : JSON.stringify(changed);
      });
    if (path === '/.well-known/openid-configuration' && fake.describe)
      keepBody(response, async (body) => JSON.stringify(await fake.describe?.(JSON.parse(body))));
    await provider.callback()(request, response);
  }

  async function reissued(body: string): Promise<string> {
    const tokens = JSON.parse(body) as { id_token?: string };
    if (!tokens.id_token) return body;
    const claims = fake.forge?.(decodeJwt(tokens.id_token)) ?? {};
    if (fake.signature === 'none')
      return JSON.stringify({ ...tokens, id_token: new UnsecuredJWT(claims).encode() });
    const header = { alg: 'RS256', kid: key.jwk.kid ?? '' };
    const signer = fake.signature === 'right' ? key.private : (await generateKeyPair('RS256')).privateKey;
    return JSON.stringify({
      ...tokens,
      id_token: await new SignJWT(claims).setProtectedHeader(header).sign(signer),
    });
  }

  await fake.rotateKeys();
  return fake;
}

/** The package writes hints for operators of real providers to the console. */
function quietly<T>(make: () => T): T {
  const { info, warn } = console;
  Object.assign(console, { info: () => undefined, warn: () => undefined });
  try {
    return make();
  } finally {
    Object.assign(console, { info, warn });
  }
}

function spoil(response: ServerResponse, mode: Exclude<Mode, 'answers'>): void {
  if (mode === 'closes') response.socket?.destroy();
  if (mode === 'fails') response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
  if (mode === 'sends HTML')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Maintenance</h1>');
  if (mode === 'redirects') response.writeHead(302, { location: '/elsewhere' }).end();
  if (mode === 'sends slowly') {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  }
  if (mode === 'sends too much')
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"a":"${'a'.repeat(HUGE)}"}`);
}

/** Changes the body of a response before it is sent. */
function keepBody(response: ServerResponse, change: (body: string) => Promise<string>): void {
  const end = response.end.bind(response);
  response.end = ((chunk?: unknown) => {
    const body = chunk === undefined ? '' : Buffer.from(chunk as string | Uint8Array).toString();
    void change(body).then((changed) => {
      response.setHeader('content-length', Buffer.byteLength(changed));
      end(changed);
    });
    return response;
  }) as typeof response.end;
}

/** Follows redirects with cookies until one leads to the callback. */
async function browse(start: string, callback: string): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; step < 10; step += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The provider showed a page: ${await response.text()}`);
    const next = new URL(location, url);
    if (!next.href.startsWith(callback)) {
      url = next.href;
      continue;
    }
    const account_id = next.pathname.slice(new URL(callback).pathname.length + 1);
    return { ...Object.fromEntries(next.searchParams), ...(account_id && { account_id }) };
  }
  throw new Error('The provider redirects without end');
}
