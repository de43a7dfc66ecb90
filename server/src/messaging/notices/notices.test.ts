import { beforeEach, expect, test } from 'vitest';
import { hunt, placesOfLog } from '../../../test/canary-hunt.ts';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { memberOf } from '../../../test/members.ts';
import { testWorker } from '../../../test/worker.ts';
import { noticeJobs } from './jobs.ts';
import {
  type NoticeContents,
  notifyAccount,
  notifyMember,
  notifyMembers,
  type Post,
  postNotice,
  sealOf,
} from './notices.ts';
import { claimNotices, deleteNotice, putNoticeBack } from './queries.ts';

const service = fixture(() =>
  serviceWithCarriers(['http'], {
    EMAIL_CARRIERS: 'http',
    SMS_CARRIERS: 'http',
    BRAND_NAME: 'Acme Codes',
    STRIPE_SECRET_KEY: 'sk_test_none',
    STRIPE_PUBLISHABLE_KEY: 'pk_test_none',
    STRIPE_WEBHOOK_SECRET: 'whsec_none',
  }),
);
beforeEach(async () => {
  // Its breaker closes again after a probe that succeeds.
  service.http.everyone = undefined;
  await service.clock.advance(10_000);
  await post({ recipient: someone() });
  await round();
  service.http.clear();
});

let counter = 0;
const someone = (behaviour = 'accept') => `${behaviour}+${counter++}@people.test`;

const post = (given: Partial<Post> & { recipient: string | null }) =>
  service.app.db.transaction((tx) =>
    postNotice(tx, service.app, { channel: 'email', contents: { kind: 'passwordChanged' }, ...given }),
  );
const waiting = async () =>
  (await service.app.db.one<{ count: number }>('select count(*) from notices')).count;
/** One round, without waiting for what is due later. */
const round = async (job = noticeJobs(service.app)[0], worker = service.worker) => {
  await job?.run(worker);
  await job?.idle?.();
};

test('a notice is dispatched as a mail from the service and then deleted', async () => {
  const recipient = someone();
  await post({ recipient });
  await round();
  const [mail, ...more] = service.http.messagesTo(recipient);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({
    channel: 'email',
    subject: 'Your password was changed',
    sender_name: 'Acme Codes',
    code: '',
  });
  expect(mail?.text).toContain('The password of your Acme Codes account was changed.');
  expect(mail?.html).toContain('Acme Codes');
  expect(await waiting()).toBe(0);
});

test('a notice has its code in the text, never in the subject', async () => {
  const recipient = someone();
  await post({ recipient, code: '314159', contents: { kind: 'signInCode', expiresInSeconds: 300 } });
  await round();
  const [mail] = service.http.messagesTo(recipient);
  expect(mail).toMatchObject({ code: '314159', subject: 'Your Acme Codes sign-in code' });
  expect(mail?.text).toContain('314159');
  expect(mail?.text).toContain('5 minutes');
});

test('a notice fits into one SMS', async () => {
  const [code, news] = ['+14155550101', '+14155550102'];
  await post({
    channel: 'sms',
    recipient: code,
    code: '271828',
    contents: { kind: 'signInCode', expiresInSeconds: 300 },
  });
  await post({ channel: 'sms', recipient: news });
  await round();
  expect(service.http.messagesTo(code)[0]?.text).toBe(
    'Your Acme Codes verification code is: 271828. Never share it with anyone.',
  );
  expect(service.http.messagesTo(news)[0]?.text).toBe('Acme Codes: Your password was changed');
});

test('a notice is stored encrypted until its dispatch', async () => {
  const recipient = someone();
  await post({ recipient, code: '161803', contents: { kind: 'signInCode', expiresInSeconds: 300 } });
  const { row } = await service.app.db.one<{ row: string }>(
    'select row_to_json(n)::text as row from notices n',
  );
  const secrets = [
    { kind: 'recipient', text: recipient },
    { kind: 'code', text: '161803' },
  ];
  expect(hunt(secrets, [{ name: 'row', text: row }])).toEqual([]);
  await round();
});

test('a notice of a rolled-back transaction is never sent', async () => {
  const recipient = someone();
  const undone = service.app.db.transaction(async (tx) => {
    await postNotice(tx, service.app, {
      channel: 'email',
      recipient,
      contents: { kind: 'passwordChanged' },
    });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await round();
  expect(service.http.messagesTo(recipient)).toEqual([]);
});

test('a notice without a recipient is dropped', async () => {
  await post({ recipient: null });
  const before = service.http.requests;
  await round();
  expect(service.http.requests).toBe(before);
  expect(await waiting()).toBe(0);
});

test('a notice to an account goes to its address, or is dropped if the account was deleted', async () => {
  const { account_id, email } = await service.customer('Alice');
  const tell = () =>
    service.app.db.transaction((tx) =>
      notifyAccount(tx, service.app, account_id, { kind: 'passwordChanged' }),
    );
  await tell();
  await round();
  expect(service.http.messagesTo(email)).toHaveLength(1);
  await service.app.db.run('update people set email = null where id = $1', [account_id]);
  await tell();
  expect(await waiting()).toBe(0);
});

test('the links of a notice name its account if a member has several, and a link with a token stays as it is', async () => {
  const account = await service.customer('Anna');
  const dana = await memberOf(service, account, 'Dana', 'admin');
  const { account_id } = account;
  const origin = 'https://codes.example.com';
  const linkIn = async (contents: NoticeContents, to: { email: string }, send = notifyAccount) => {
    service.http.clear();
    await service.app.db.transaction((tx) => send(tx, service.app, account_id, contents));
    await round();
    return /https:\S+/.exec(service.http.messagesTo(to.email)[0]?.text ?? '')?.[0];
  };
  const lowBalance = { kind: 'lowBalance', balance: 3, creditsUrl: `${origin}/credits` } as const;
  expect(await linkIn(lowBalance, account)).toBe(`${origin}/credits`);
  await service.app.db.run(`update accounts set slug = 'acme' where id = $1`, [account_id]);
  expect(await linkIn(lowBalance, account)).toBe(`${origin}/a/acme/credits`);
  expect(await linkIn(lowBalance, dana)).toBe(`${origin}/a/acme/credits`);
  const membersUrl = `${origin}/team`;
  const made = { kind: 'ownerMade', account: 'Acme', email: dana.email, membersUrl } as const;
  expect(await linkIn(made, dana, notifyMembers)).toBe(`${origin}/a/acme/team`);
  const role = { kind: 'roleChanged', account: 'Acme', role: 'admin', dashboardUrl: `${origin}/` } as const;
  const toDana: typeof notifyAccount = (tx, app, id, contents) =>
    notifyMember(tx, app, { account_id: id, person_id: dana.person_id }, contents);
  expect(await linkIn(role, dana, toDana)).toBe(`${origin}/a/acme/`);
  expect(service.http.messagesTo(account.email)).toEqual([]);
  const unblockUrl = `${origin}/protection/unblock?token=dG9rZW4`;
  const rule = 'prefix_velocity';
  const blocked = {
    kind: 'destinationBlocked',
    destination: 'France',
    rule,
    blocked: 4,
    unblockUrl,
  } as const;
  expect(await linkIn(blocked, dana)).toBe(unblockUrl);
});

test('a notice is not sent to an opted-out number', async () => {
  const recipient = '+14155550103';
  await service.app.db.run('insert into opt_outs (fingerprint) values ($1)', [
    service.app.vault.fingerprint('opt-out', recipient),
  ]);
  await post({ channel: 'sms', recipient });
  await round();
  expect(service.http.messagesTo(recipient)).toEqual([]);
  expect(await waiting()).toBe(0);
});

test('a notice is retried with growing delays until a carrier accepts it', async () => {
  const recipient = someone();
  service.http.everyone = 'error';
  await post({ recipient });
  await round();
  expect(await waiting()).toBe(1);
  const before = service.http.requests;
  await round();
  expect(service.http.requests).toBe(before);
  // About two seconds, then about four: a jitter of 20 % varies them.
  await service.clock.advance(2_500);
  await round();
  expect(service.http.requests).toBe(before + 1);
  service.http.everyone = undefined;
  await service.clock.advance(1_000);
  await round();
  expect(service.http.messagesTo(recipient)).toEqual([]);
  await service.clock.advance(4_000);
  await round();
  expect(service.http.messagesTo(recipient)).toHaveLength(1);
  expect(await waiting()).toBe(0);
});

test('a notice is retried until it expires, after a day or with its code', async () => {
  const [news, code] = [someone(), someone()];
  service.http.everyone = 'error';
  await post({ recipient: news });
  const in5Minutes = new Date(service.app.clock.now().getTime() + 300_000).toISOString();
  await post({
    recipient: code,
    code: '123456',
    contents: { kind: 'signInCode', expiresInSeconds: 300 },
    expires_at: in5Minutes,
  });
  await round();
  service.http.everyone = undefined;
  await service.clock.advance(300_000);
  await round();
  expect(service.http.messagesTo(code)).toEqual([]);
  expect(service.http.messagesTo(news)).toHaveLength(1);
  service.http.everyone = 'error';
  const late = someone();
  await post({ recipient: late });
  await round();
  service.http.everyone = undefined;
  await service.clock.advance(24 * 3_600_000);
  await round();
  expect(service.http.messagesTo(late)).toEqual([]);
  expect(await waiting()).toBe(0);
});

test('a refusal of the recipient ends a notice immediately', async () => {
  for (const behaviour of ['unsubscribed', 'invalid']) {
    await post({ recipient: someone(behaviour) });
    await round();
    expect(await waiting()).toBe(0);
  }
});

test('a notice with an uncertain outcome is retried once with the same carrier', async () => {
  const recipient = someone('reset');
  await post({ recipient });
  await round();
  expect(await waiting()).toBe(1);
  await service.clock.advance(10_000);
  await round();
  expect(service.http.messagesTo(recipient)).toHaveLength(2);
  expect(service.http.messagesTo(recipient)[0]?.id).toBe(service.http.messagesTo(recipient)[1]?.id);
  expect(await waiting()).toBe(0);
});

const uuid = () => service.app.random.uuid();
const FIVE = { urgent: 5, ordinary: 5 };

test('several notice workers dispatch each notice once', async () => {
  const recipients = Array.from({ length: 60 }, () => someone());
  for (const recipient of recipients) await post({ recipient });
  const workers = [1, 2, 3].map(() => ({
    job: noticeJobs(service.app)[0],
    worker: testWorker(uuid()),
  }));
  await Promise.all(
    workers.map(async ({ job, worker }) => {
      for (let n = 0; n < 4; n += 1) await round(job, worker);
    }),
  );
  expect(service.http.messages.map(({ recipient }) => recipient).sort()).toEqual([...recipients].sort());
  expect(await waiting()).toBe(0);
});

test('a notice of a kind from a newer version stays as it is until a worker that knows it delivers it', async () => {
  const { db, vault } = service.app;
  const [recipient, other] = [someone(), someone()];
  const contents = { kind: 'planetMoved', planet: 'Mars' } as unknown as NoticeContents;
  await post({ recipient, contents });
  const row = () =>
    db.one<{ id: string; sealed: Buffer; tries: number }>('select id, sealed, tries from notices');
  const before = await row();
  for (let n = 0; n < 5; n += 1) {
    await round();
    await service.clock.advance(10_000);
  }
  expect(service.http.messagesTo(recipient)).toEqual([]);
  expect(await row()).toEqual(before);
  await post({ recipient: other });
  await round();
  expect(service.http.messagesTo(other)).toHaveLength(1);
  expect(await row()).toEqual(before);

  // What is new to the worker above is an unknown name. A worker that knows it reads a text under that name.
  const known = { recipient, contents: { kind: 'passwordChanged' } };
  await db.run('update notices set sealed = $1', [vault.seal(JSON.stringify(known), sealOf(before.id))]);
  await round();
  expect(service.http.messagesTo(recipient)).toEqual([]);
  await service.clock.advance(10_000);
  await round();
  expect(service.http.messagesTo(recipient)).toHaveLength(1);
  expect(await waiting()).toBe(0);
});

test('a notice that cannot be opened is tried any number of times and delays no other notice', async () => {
  const { db } = service.app;
  const [broken, other] = [someone(), someone()];
  await post({ recipient: broken });
  const { sealed } = await db.one<{ sealed: Buffer }>('select sealed from notices');
  // One try less than the column can count.
  await db.run(`update notices set sealed = 'a', tries = 32766`);
  const job = noticeJobs(service.app)[0];
  for (let n = 0; n < 5; n += 1) {
    await round(job);
    await round(job);
    await service.clock.advance(10_000);
  }
  await post({ recipient: other });
  await round(job);
  expect(service.http.messagesTo(other)).toHaveLength(1);
  await db.run('update notices set sealed = $1', [sealed]);
  await round(job);
  await service.clock.advance(10_000);
  await round(job);
  expect(service.http.messagesTo(broken)).toHaveLength(1);
  expect(await waiting()).toBe(0);
});

test('notice workers take over the claims of a dead worker, which changes nothing if it resumes', async () => {
  const { db } = service.app;
  const recipient = someone();
  await post({ recipient });
  const frozen = uuid();
  const [claimed] = await claimNotices(db, { worker: frozen, claim: uuid(), most: FIVE });
  await round();
  expect(service.http.messagesTo(recipient)).toEqual([]);

  await noticeJobs(service.app)[0]?.free?.([frozen]);
  const [taken] = await claimNotices(db, { worker: uuid(), claim: uuid(), most: FIVE });
  if (!claimed || !taken) throw new Error('not claimed');
  expect(await deleteNotice(db, claimed)).toBe(0);
  expect(await putNoticeBack(db, claimed, { seconds: 0, uncertain_at: null })).toBe(0);
  expect(await putNoticeBack(db, taken, { seconds: 0, uncertain_at: null })).toBe(1);
  await round();
  expect(service.http.messagesTo(recipient)).toHaveLength(1);
});

test('no log line about a notice contains a code or an address', async () => {
  const recipient = someone('refuse');
  await post({ recipient, code: '987654', contents: { kind: 'signInCode', expiresInSeconds: 300 } });
  await round();
  expect(hunt([{ kind: 'code', text: '987654' }], placesOfLog(service.logLines))).toEqual([]);
  expect(service.logLines.join('\n')).not.toContain(recipient);
});
