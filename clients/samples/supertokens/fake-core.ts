import { listen } from '../../../server/test/fakes/http-listener.ts';

export interface FakeCore extends AsyncDisposable {
  url: string;
  /** The codes in the order in which the core made them. */
  codes: string[];
}

const DEVICE = { preAuthSessionId: 'session', deviceId: 'device' };

/** The core of SuperTokens, a Java program, as far as sending codes needs it. It knows one device. */
export async function fakeCore(): Promise<FakeCore> {
  const codes: string[] = [];
  let phoneNumber = '';
  const newCode = (body: { phoneNumber?: string }) => {
    const userInputCode = String(100_000 + codes.length);
    codes.push(userInputCode);
    phoneNumber = body.phoneNumber ?? phoneNumber;
    const code = { userInputCode, codeId: userInputCode, linkCode: 'link', timeCreated: 0 };
    return { ...DEVICE, ...code, codeLifetime: 900_000 };
  };
  const calls: Record<string, (body: object) => object> = {
    'GET /apiversion': () => ({ versions: ['5.4'] }),
    'GET /public/recipe/multitenancy/tenant/v2': () => ({ tenantId: 'public', thirdParty: {} }),
    'GET /public/users/by-accountinfo': () => ({ users: [] }),
    'GET /public/recipe/signinup/codes': () => ({
      devices: [{ ...DEVICE, failedCodeInputAttemptCount: 0, phoneNumber, codes: [] }],
    }),
    'POST /public/recipe/signinup/code': newCode,
  };
  const { origin, close } = await listen(({ method, path, text }) => {
    const call = calls[`${method} ${path.replace(/\?.*/, '')}`];
    if (!call) return { status: 404, body: { path } };
    return { status: 200, body: { status: 'OK', ...call(text ? JSON.parse(text) : {}) } };
  });
  return { url: origin, codes, [Symbol.asyncDispose]: close };
}
