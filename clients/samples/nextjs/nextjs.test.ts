import { afterAll, beforeAll, vi } from 'vitest';
import { Browser } from '../test/application.ts';
import { surroundings, testSignIn } from '../test/sign-in.ts';
import { GET } from './app/route.ts';
import { POST as send } from './app/sign-in/route.ts';
import { POST as verify } from './app/sign-in/verify/route.ts';

const around = surroundings();
beforeAll(() => {
  const env = { ...around.env(), SESSION_SECRET: 'a secret of the sessions, with 32 characters' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  // The outage is for the operator's log.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** As Next.js finds them by their files. */
const ROUTES: Record<string, (request: Request) => Promise<Response>> = {
  'GET /': GET,
  'POST /sign-in': send,
  'POST /sign-in/verify': verify,
};
const serve = async (request: Request): Promise<Response> => {
  const handler = ROUTES[`${request.method} ${new URL(request.url).pathname}`];
  return handler ? handler(request) : new Response(null, { status: 404 });
};

testSignIn(
  {
    name: 'Next.js',
    browser: () => new Browser('http://app.test', serve),
    post: (person, path, fields) => person.postJson(path, fields),
  },
  around,
);
