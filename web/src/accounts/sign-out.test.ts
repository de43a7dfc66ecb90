import { afterEach, expect, test, vi } from 'vitest';
import { loadDeployment } from '../api/deployment.ts';
import { endOnServer } from './sign-out.ts';

afterEach(() => void vi.unstubAllGlobals());

test('signing out ends the session at the service, and a failure of that call is ignored', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ api_url: '/api/v1' }));
  await loadDeployment();
  const calls = vi.fn(async (..._: Parameters<typeof fetch>) => Response.json({}, { status: 500 }));
  vi.stubGlobal('fetch', calls);
  await endOnServer('a refresh token');
  expect(calls.mock.calls.map(([url, init]) => [url, init?.method, init?.body])).toEqual([
    ['/api/v1/auth/logout', 'POST', JSON.stringify({ refresh: 'a refresh token' })],
  ]);
});
