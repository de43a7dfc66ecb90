import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/**
 * A software authenticator. It creates the attestation and assertion data of WebAuthn (Level 3, 6.1 and 6.5) with an ES256 key.
 * A test can make it deviate from the standard.
 */
export interface SoftwarePasskey {
  id: string;
  /** The result of `navigator.credentials.create()` for these options, as JSON. */
  create(options: Options, dishonest?: Dishonest): Created;
  /** The result of `navigator.credentials.get()` for these options, as JSON. */
  get(options: Options, dishonest?: Dishonest): Got;
  /** the counter of the last signature; 0 for an authenticator that does not count */
  counter: number;
}

interface Options {
  challenge: string;
  [option: string]: unknown;
}

interface Dishonest {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  isUserVerified?: boolean;
  userHandle?: string;
  /** a passkey that is synced */
  isSynced?: boolean;
}

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_FLAGS = 0x08 | 0x10;
const HAS_CREDENTIAL = 0x40;

export function softwarePasskey(
  origin: string,
  {
    userHandle,
    counts = false,
    isSynced = false,
  }: { userHandle?: string; counts?: boolean; isSynced?: boolean } = {},
): SoftwarePasskey & { userHandle: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  const passkey = {
    id: b64(id),
    counter: 0,
    userHandle: userHandle ?? '',
    create(options: Options, dishonest: Dishonest = {}): Created {
      const user = options.user as { id: string } | undefined;
      passkey.userHandle = user?.id ?? '';
      const credential = Buffer.concat([Buffer.alloc(16), u16(id.length), id, coseKey(publicKey)]);
      const authData = Buffer.concat([
        head(origin, { isSynced, ...dishonest }, HAS_CREDENTIAL, passkey.counter),
        credential,
      ]);
      return {
        id: b64(id),
        rawId: b64(id),
        type: 'public-key',
        response: {
          clientDataJSON: b64(clientData('webauthn.create', origin, options, dishonest)),
          attestationObject: b64(attestation(authData)),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      };
    },
    get(options: Options, dishonest: Dishonest = {}): Got {
      if (counts) passkey.counter += 1;
      const client = clientData('webauthn.get', origin, options, dishonest);
      const authData = head(origin, { isSynced, ...dishonest }, 0, passkey.counter);
      const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey);
      return {
        id: b64(id),
        rawId: b64(id),
        type: 'public-key',
        response: {
          clientDataJSON: b64(client),
          authenticatorData: b64(authData),
          signature: b64(signature),
          userHandle: dishonest.userHandle ?? passkey.userHandle,
        },
        clientExtensionResults: {},
      };
    },
  };
  return passkey;
}

interface Created {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string; transports: string[] };
  clientExtensionResults: Record<string, never>;
}

interface Got {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string };
  clientExtensionResults: Record<string, never>;
}

const clientData = (type: string, origin: string, { challenge }: Options, dishonest: Dishonest): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: dishonest.type ?? type,
      challenge: dishonest.challenge ?? challenge,
      origin: dishonest.origin ?? origin,
      crossOrigin: false,
    }),
  );

/** Hash of the relying party, flags and counter. */
function head(origin: string, dishonest: Dishonest, flags: number, counter: number): Buffer {
  const verified = dishonest.isUserVerified === false ? 0 : USER_VERIFIED;
  const synced = dishonest.isSynced ? BACKUP_FLAGS : 0;
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const rpId = dishonest.rpId ?? new URL(origin).hostname;
  return Buffer.concat([sha256(rpId), Buffer.of(flags | USER_PRESENT | verified | synced), count]);
}

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

/** COSE_Key of RFC 9053 in CBOR: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coordinate = (text: string) => Buffer.concat([Buffer.of(0x58, 0x20), Buffer.from(text, 'base64url')]);
  return Buffer.concat([
    Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21),
    coordinate(x),
    Buffer.of(0x22),
    coordinate(y),
  ]);
}

/** The attestation object in CBOR: {"fmt": "none", "attStmt": {}, "authData": bytes}. */
function attestation(authData: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
  return Buffer.concat([
    Buffer.of(0xa3),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.of(0xa0),
    text('authData'),
    Buffer.of(0x59),
    u16(authData.length),
    authData,
  ]);
}
