import { afterEach, expect, test, vi } from 'vitest';
import { cancelAutofill, getAutofilledCredential, getCredential, localhostUrl } from './passkey.ts';

const requests = vi.hoisted((): object[] => []);
vi.mock('@simplewebauthn/browser', () => ({
  browserSupportsWebAuthnAutofill: async () => true,
  startAuthentication: async (request: object) => {
    requests.push(request);
    return { id: 'assertion' };
  },
  WebAuthnAbortService: { cancelCeremony: () => undefined },
}));
afterEach(() => vi.unstubAllGlobals());

test.each([
  ['http://127.0.0.1:3000/settings#security', 'http://localhost:3000/settings#security'],
  ['http://[::1]:3000/settings', 'http://localhost:3000/settings'],
  ['http://localhost:3000/settings', undefined],
  ['https://otp.example.com/settings', undefined],
  ['http://192.168.1.7:3000/settings', undefined],
  ['https://127.example.com/settings', undefined],
])('for passkeys, the page %s sends the user to %s', (href, expected) => {
  const { hostname } = new URL(href);
  expect(localhostUrl({ href, hostname })).toBe(expected);
});

test.each([
  ['nothing else', async () => undefined, [true]],
  ["the user's own request", () => getCredential({}), [undefined]],
  ['a page that the user left', cancelAutofill, []],
])('after %s, a late autofill of a passkey interrupts nothing', async (_, meanwhile, begun) => {
  requests.length = 0;
  vi.stubGlobal('window', {
    isSecureContext: true,
    PublicKeyCredential: class {},
    location: { hostname: 'otp.example.com' },
  });
  const found = await getAutofilledCredential(async () => {
    await meanwhile();
    return { options: {} };
  });
  expect(requests.map((request) => 'useBrowserAutofill' in request || undefined)).toEqual(begun);
  expect(found !== undefined).toBe(begun[0] === true);
});
