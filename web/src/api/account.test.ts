import { beforeEach, expect, test, vi } from 'vitest';
import type { KnownAccount } from './account.ts';

const acme: KnownAccount = { id: '01', slug: 'acme', name: 'Acme', role: 'owner' };
const beta: KnownAccount = { id: '02', slug: 'beta', name: 'Beta', role: 'viewer' };
const gamma: KnownAccount = { id: '03', slug: 'gamma', name: 'Gamma', role: 'owner' };

/** The module as a page at this address loads it, in a browser that has seen these accounts. */
async function opened(path: string, known: KnownAccount[], isSignedIn = true) {
  vi.resetModules();
  const values = new Map([['accounts', JSON.stringify(known)]]);
  const location = new URL(path, 'https://otp.example.com');
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  });
  vi.stubGlobal('window', {
    location,
    history: {
      state: null,
      replaceState: (_: unknown, __: string, to: string): void => {
        location.href = new URL(to, location).href;
      },
    },
    addEventListener: () => undefined,
  });
  const account = await import('./account.ts');
  account.beginTab(isSignedIn);
  const rewritten = (direction: 'input' | 'output', to: string): string =>
    account.accountRewrite[direction]({ url: new URL(to, location) }).pathname;
  return { ...account, location, rewritten };
}

beforeEach(() => vi.unstubAllGlobals());

test('a person with one account has plain addresses', async () => {
  const tab = await opened('/logs?page=2', [acme]);
  expect(tab.location.pathname).toBe('/logs');
  expect(tab.rewritten('output', '/credits')).toBe('/credits');
  expect(tab.tabAccount()).toBeUndefined();
  expect(tab.ofAccount('hint')).toBe('hint');
});

test('with a second account, a plain address leads to the account used last', async () => {
  const tab = await opened('/logs?page=2#end', [beta, acme]);
  expect(tab.location.href).toBe('https://otp.example.com/a/beta/logs?page=2#end');
  expect(tab.tabAccount()).toEqual(beta);
});

test.each(['/sign-in', '/terms', '/operator/accounts', '/invitations', '/sso/callback/abc'])(
  'the address %s names no account',
  async (path) => {
    const tab = await opened(path, [beta, acme]);
    expect(tab.location.pathname).toBe(path);
    expect((await opened('/a/acme', [acme, beta])).rewritten('output', path)).toBe(path);
  },
);

test('the router sees plain paths, and links name the account of the tab', async () => {
  const tab = await opened('/a/acme/logs', [beta, acme]);
  expect(tab.tabAccount()).toEqual(acme);
  expect(tab.rewritten('input', '/a/acme/logs')).toBe('/logs');
  expect(tab.rewritten('input', '/a/acme')).toBe('/');
  expect(tab.rewritten('output', '/')).toBe('/a/acme');
  expect(tab.rewritten('output', '/credits')).toBe('/a/acme/credits');
  expect(tab.knownAccounts()).toEqual([acme, beta]);
  expect(tab.ofAccount('hint')).toBe('hint_01');
});

test('accounts keep their order of use when they are read again, and new ones come last', async () => {
  const tab = await opened('/logs', [beta, acme]);
  const renamed = { ...beta, name: 'Beta Ltd' };
  tab.rememberAccounts([gamma, acme, renamed]);
  expect(tab.knownAccounts()).toEqual([renamed, acme, gamma]);
  expect(tab.tabAccount()).toEqual(renamed);
});

test('another account and a public page below an account are addresses that do not exist', async () => {
  const tab = await opened('/a/acme/logs', [acme, beta]);
  expect(tab.rewritten('input', '/a/beta/logs')).toBe('/a/beta/logs');
  expect(tab.rewritten('input', '/a/acme/sign-in')).toBe('/a/acme/sign-in');
});

test('the address of an account that the person has lost is an address that does not exist', async () => {
  const tab = await opened('/a/acme/logs', [acme, beta]);
  tab.rememberAccounts([beta]);
  expect(tab.tabAccount()).toEqual(acme);
  tab.loseAccount();
  expect(tab.rewritten('input', '/a/acme/logs')).toBe('/a/acme/logs');
  expect(tab.rewritten('output', '/')).toBe('/');
});

test('signing in leads to the account of the link, or else to the one used last', async () => {
  const tab = await opened('/sign-in', [beta, acme], false);
  expect(tab.leadingToAccount('/a/acme/logs')).toBe('/a/acme/logs');
  expect(tab.leadingToAccount('/logs?page=2')).toBe('/a/beta/logs?page=2');
  expect(tab.leadingToAccount('/invitations#abc')).toBe('/invitations#abc');
});
