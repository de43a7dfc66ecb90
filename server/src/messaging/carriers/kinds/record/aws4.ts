import { createHash, createHmac } from 'node:crypto';
import { encoded } from './fill.ts';

/** Signs a request for AWS, Signature Version 4 (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html). */
interface Aws4 {
  keyId: string;
  secret: string;
  region: string;
  service: string;
  now: Date;
}

interface Unsigned {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The headers of the signature. Those of the request are signed, with the host. */
export function aws4Headers(
  { method, url, headers, body }: Unsigned,
  { keyId, secret, region, service, now }: Aws4,
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const all = Object.entries({ ...headers, host: url.host, 'x-amz-date': time })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim()])
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const names = all.map(([name]) => name).join(';');
  const query = [...url.searchParams]
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&');
  const lines = all.map(([name, value]) => `${name}:${value}\n`).join('');
  const path = url.pathname.split('/').map(encoded).join('/');
  const canonical = [method, path, query, lines, names, sha256(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString(
    'hex',
  );
  return {
    'x-amz-date': time,
    authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
