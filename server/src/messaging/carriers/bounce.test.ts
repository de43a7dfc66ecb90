import { expect, test } from 'vitest';
import { statusMail } from '../../../test/fakes/bounces.ts';
import { expectQuick, repeated, UNITS } from '../../../test/linear-time.ts';
import { headOf, isReport, readBounce, recipientsIn } from './bounce.ts';

const to = 'bounce+0@bounces.sixdigit.test';
const read = async (mail: string) => {
  const raw = Buffer.from(mail);
  const head = headOf(raw);
  return {
    isReport: isReport(head),
    recipients: recipientsIn(head),
    bounce: await readBounce(raw).catch(() => null),
  };
};

test('mails of repeated texts are read in linear time', async () => {
  const genuine = statusMail({ to, recipient: 'alice@example.com' });
  const cuts = [
    'To: ',
    'Content-Type: ',
    'message/delivery-status\r\n\r\n',
    'rfc822; ',
    'smtp; ',
    'Your code',
  ];
  for (const cut of cuts)
    for (const unit of UNITS) {
      const mail = genuine.replace(cut, () => cut + repeated(unit, 200_000));
      await expectQuick(`${JSON.stringify(unit)} after ${cut}`, () => read(mail));
    }
}, 120_000);

test('a mail of short lines, as large as may be, is read in a fraction of a second', async () => {
  const quoted = [repeated('x\r\n', 1024 * 1024 - 2_000)];
  await expectQuick('a megabyte of short lines', async () => {
    const { bounce } = await read(statusMail({ to, recipient: 'alice@example.com' }, {}, quoted));
    expect(bounce).toMatchObject({ mail: 'hard_bounce', status: '5.1.1', bounced: 'alice@example.com' });
  });
});
