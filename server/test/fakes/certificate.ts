/** Creates self-signed certificates (RFC 5280) at run time, so that the repository holds no private key. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const ecdsaWithSha256 = der(0x30, oid('2a8648ce3d040302'));

/** PEM of a key and of a self-signed certificate for these host names. `subjectKey`: another key that the certificate is about. */
export function selfSigned(names: string[], subjectKey?: KeyObject): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // OpenSSL finds an issuer by its name, so each certificate has a different one.
  const name = `Sixdigit tests ${randomBytes(8).toString('hex')}`;
  const subject = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(name)))));
  const validity = der(
    0x30,
    der(0x17, Buffer.from('200101000000Z')),
    der(0x17, Buffer.from('491231235959Z')),
  );
  const isAuthority = extension('551d13', der(0x30, der(0x01, Buffer.from([0xff]))));
  const hostNames = extension('551d11', der(0x30, ...names.map((name) => der(0x82, Buffer.from(name)))));
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    subject,
    validity,
    subject,
    (subjectKey ?? publicKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, isAuthority, hostNames)),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = der(0x30, content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function extension(id: string, value: Buffer): Buffer {
  return der(0x30, oid(id), der(0x04, value));
}
