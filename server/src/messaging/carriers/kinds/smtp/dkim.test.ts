import { createHash, createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { carrierMessage, dispatchOnce } from '../../../../../test/carrier-message.ts';
import { startNameServer } from '../../../../../test/fakes/dns.ts';
import { startSmtp } from '../../../../../test/fakes/smtp.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { dkimKey, dkimRecord, newDkimKey, publicKeyIn } from './dkim.ts';
import { smtpCarrier } from './send.ts';
import { checkSenderDomain } from './sender-domain.ts';

const server = fixture(async () => {
  const smtp = await startSmtp();
  return Object.assign(smtp, { [Symbol.asyncDispose]: () => smtp.close() });
});
const dns = fixture(startNameServer);
const dkim = { selector: 'otp1', key: newDkimKey() };
const DOMAIN = 'sixdigit.example';
const record = dkimRecord(dkim, DOMAIN);

const send = (recipient: string) =>
  dispatchOnce(
    smtpCarrier({ url: server.url, from: `Zoë <codes@${DOMAIN}>`, brandName: 'Sixdigit', dkim }),
    carrierMessage({
      channel: 'email',
      recipient,
      text: 'Ihr Bestätigungscode: 123456  \n\n.\n',
      subject: 'Bestätigung',
      html: '<p>123456</p>',
    }),
  );

/** Relaxed canonical forms of RFC 6376, section 3.4, without the library. */
const relaxedHeader = (line: string): string => {
  const [, name = '', value = ''] = /^([^:]+):([\s\S]*)$/.exec(line) ?? [];
  return `${name.toLowerCase().trim()}:${value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()}`;
};
const relaxedBody = (body: string): string =>
  `${body
    .split('\r\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trimEnd())
    .join('\r\n')
    .replace(/(?:\r\n)*$/, '')}\r\n`;

function isSigned(raw: string, publicKey: string): boolean {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw.slice(0, end).split(/\r\n(?![ \t])/);
  const own = lines.find((line) => /^DKIM-Signature:/i.test(line)) ?? '';
  const tags = new Map(
    own
      .slice(own.indexOf(':') + 1)
      .split(';')
      .map((part): [string, string] => {
        const at = part.indexOf('=');
        return [part.slice(0, at).trim(), part.slice(at + 1).replace(/\s/g, '')];
      }),
  );
  const hash = createHash('sha256')
    .update(relaxedBody(raw.slice(end + 4)))
    .digest('base64');
  if (tags.get('bh') !== hash || tags.get('d') !== DOMAIN || tags.get('s') !== 'otp1') return false;
  const signed = (tags.get('h') ?? '').split(':').flatMap((name) => {
    const line = lines.findLast((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    return line === undefined ? [] : [relaxedHeader(line)];
  });
  const text = [...signed, relaxedHeader(own).replace(/b=[^;]*$/, 'b=')].join('\r\n');
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from(text), key, Buffer.from(tags.get('b') ?? '', 'base64'));
}

test('a mail is signed with the key of the record, in the name of the sender’s domain', async () => {
  expect(await send('alice@example.com')).toMatchObject({ kind: 'accepted' });
  const { raw } = await server.waitForMailTo('alice@example.com');
  const publicKey = publicKeyIn(record.value) ?? '';
  expect(isSigned(raw, publicKey)).toBe(true);
  expect(isSigned(raw.replace('Subject:', 'Subject: x'), publicKey)).toBe(false);
  expect(raw).toMatch(/^From:.*codes@sixdigit\.example/m);
});

test('a signed mail that the server never took is a definite refusal', async () => {
  expect(await send('drop@example.com')).toMatchObject({ kind: 'refused' });
});

test.each(['', 'x', 'AAAA', Buffer.from('not a key').toString('base64')])('%j is not a key', (text) => {
  expect(dkimKey(text)).toBeUndefined();
});

const check = (using: typeof dkim | undefined = dkim) =>
  checkSenderDomain(DOMAIN, { dkim: using, servers: [dns.address] });
const levels = async () => (await check()).map(({ level, says }) => `${level}: ${says}`);

test('the doctor says what receivers find about the sender’s domain', async () => {
  dns.records.clear();
  expect(await levels()).toEqual([
    expect.stringMatching(/^warning: .*no SPF record/),
    expect.stringMatching(/^problem: .*has no DKIM record/),
    expect.stringMatching(/^warning: .*no DMARC record/),
  ]);
  dns.records.set(DOMAIN, ['v=spf1 mx ~all', 'another=text']);
  dns.records.set(record.name, [record.value]);
  dns.records.set(`_dmarc.${DOMAIN}`, ['v=DMARC1; p=reject']);
  expect((await check()).map(({ level }) => level)).toEqual(['ok', 'ok', 'ok']);
  dns.records.set(DOMAIN, ['v=spf1 +all']);
  dns.records.set(record.name, [dkimRecord({ ...dkim, key: newDkimKey() }, DOMAIN).value]);
  expect(await levels()).toEqual([
    expect.stringMatching(/^problem: .*allows every server/),
    expect.stringMatching(/^problem: .*another DKIM key/),
    'ok: sixdigit.example has a DMARC record with the policy reject.',
  ]);
  dns.records.set(DOMAIN, ['v=spf1 mx ~all', 'v=spf1 a -all']);
  expect((await levels())[0]).toMatch(/^problem: .*2 SPF records/);
  dns.mode = 'fails';
  expect(await levels()).toEqual([expect.stringMatching(/^warning: .*cannot be looked up/)]);
  dns.mode = 'answers';
});
