import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { loadDeployment } from './deployment.ts';
import { forgetEarly } from './early.ts';
import { exchange } from './wire.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  forgetEarly();
});

/** The page has asked for the user with Alice's token. Returns the calls made since. */
async function withEarlyCall() {
  globalThis.early = {
    token: 'of Alice',
    config: Promise.resolve(Response.json({ api_url: '/api/v1' })),
    calls: { '/api/v1/users/me': Promise.resolve(Response.json({ from: 'early' })) },
  };
  const fetched = vi.fn(async () => Response.json({ from: 'call' }));
  vi.stubGlobal('fetch', fetched);
  await loadDeployment();
  expect(fetched).not.toHaveBeenCalled();
  return fetched;
}

test('an early response serves one call', async () => {
  const fetched = await withEarlyCall();
  expect(await exchange(getMe, {}, 'of Alice')).toEqual({ from: 'early' });
  expect(fetched).not.toHaveBeenCalled();
  expect(await exchange(getMe, {}, 'of Alice')).toEqual({ from: 'call' });
});

test('an early response serves no call with another token', async () => {
  await withEarlyCall();
  expect(await exchange(getMe, {}, 'of Bob')).toEqual({ from: 'call' });
  expect(await exchange(getMe, {})).toEqual({ from: 'call' });
});

test('an early response serves no call after the first screen', async () => {
  await withEarlyCall();
  forgetEarly();
  expect(await exchange(getMe, {}, 'of Alice')).toEqual({ from: 'call' });
});

test('no early response is used after the deployment was read again', async () => {
  await withEarlyCall();
  vi.stubGlobal('fetch', async () => Response.json({ api_url: '/api/v1', from: 'call' }));
  await loadDeployment();
  expect(await exchange(getMe, {}, 'of Alice')).toMatchObject({ from: 'call' });
});

test('the deployment is read again after it failed early', async () => {
  globalThis.early = { token: 'of Alice', config: Promise.reject(new Error('offline')), calls: {} };
  vi.stubGlobal('fetch', async () => Response.json({ api_url: '/again' }));
  await expect(loadDeployment()).rejects.toThrow('offline');
  expect(await loadDeployment()).toEqual({ api_url: '/again' });
});
