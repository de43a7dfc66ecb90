import { afterEach, describe, expect, test, vi } from 'vitest';

const values = new Map<string, string>();
const usable = {
  getItem: (name: string) => values.get(name) ?? null,
  setItem: (name: string, value: string) => void values.set(name, value),
  removeItem: (name: string) => void values.delete(name),
};
const fail = (): never => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};

/** How browsers refuse to store anything. */
const refusals: Record<string, () => void> = {
  'throws on access': () => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, { get: fail, configurable: true });
  },
  'has no storage': () => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(globalThis, name, { value: null, configurable: true });
  },
  'throws on each use': () => stub({ getItem: fail, setItem: fail, removeItem: fail }),
  'has no room': () => stub({ ...usable, setItem: fail }),
};

function stub(storage: object): void {
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(globalThis, name, { value: storage, configurable: true });
}

async function loaded() {
  vi.resetModules();
  return import('./site-data.ts');
}

const REPLACED = ['localStorage', 'sessionStorage', 'document'];
const before = REPLACED.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
afterEach(() => {
  values.clear();
  for (const [index, name] of REPLACED.entries()) {
    const own = before[index];
    if (own) Object.defineProperty(globalThis, name, own);
    else Reflect.deleteProperty(globalThis, name);
  }
});

describe.each(Object.entries(refusals))('a browser that %s', (_, refuse) => {
  test('a browser without usable storage counts as blocked, and its values last as long as the page', async () => {
    refuse();
    const { siteData, tabData, isSiteDataBlocked } = await loaded();
    expect(isSiteDataBlocked()).toBe(true);
    for (const store of [siteData, tabData]) {
      expect(store.get('name')).toBeNull();
      expect(store.set('name', 'one')).toBe(false);
      expect(store.set('name', 'two')).toBe(false);
      expect(store.get('name')).toBe('two');
      store.set('name', null);
      expect(store.get('name')).toBeNull();
    }
  });

  test('a browser without usable storage loads every module that stores values', async () => {
    refuse();
    vi.resetModules();
    const { isSignedIn, keepTokens, dropTokens } = await import('./session.ts');
    const { remember, remembered } = await import('../ui/remembered.ts');
    const { showTimesIn, zoneName } = await import('../ui/dates.ts');
    expect(isSignedIn()).toBe(false);
    keepTokens({ access: 'a', refresh: 'r' });
    dropTokens();
    expect(isSignedIn()).toBe(false);
    remember('choice', 'yes');
    expect(remembered('choice')).toBe('yes');
    showTimesIn('America/New_York');
    expect(zoneName()).toBe('America/New_York');
    showTimesIn(null);
  });
});

test('a browser with usable storage stores values and does not count as blocked', async () => {
  stub(usable);
  const { siteData, isSiteDataBlocked } = await loaded();
  expect(isSiteDataBlocked()).toBe(false);
  expect(siteData.set('name', 'one')).toBe(true);
  expect(values).toEqual(new Map([['name', 'one']]));
  expect(siteData.get('name')).toBe('one');
});

test('a value that does not fit also removes the value stored before', async () => {
  stub(usable);
  const { siteData } = await loaded();
  siteData.set('token', 'old');
  stub({ ...usable, setItem: fail });
  siteData.set('token', 'new');
  expect(siteData.get('token')).toBe('new');
  expect(values.has('token')).toBe(false);
});

test('in a frame without access to cookies, reading and writing them does not throw', async () => {
  Object.defineProperty(globalThis, 'document', {
    value: Object.defineProperty({}, 'cookie', { get: fail, set: fail }),
    configurable: true,
  });
  const { hasCookie, setCookie } = await loaded();
  expect(hasCookie('a=b')).toBe(false);
  expect(() => setCookie('a=b')).not.toThrow();
});
