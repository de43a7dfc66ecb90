/** Sends mails through Postfix to a mail server with every kind of answer, and compares what Sixdigit shows. */

import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { createTransport } from 'nodemailer';
import { addressKey } from '../../server/src/messaging/carriers/carriers.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { systemRandom } from '../../server/src/platform/security/random.ts';
import { createVault } from '../../server/src/platform/security/vault.ts';
import { automaticReply } from '../../server/test/fakes/bounces.ts';
import { FIRST_CREDITS, fillAccounts, switchRulesOff } from '../harness/accounts.ts';
import { SECRET_KEY, startDatabase, startFleet } from '../harness/processes.ts';
import { type Check, check, none, runScenarios, shown, until } from '../harness/run.ts';
import { type Mailer, startPostfix } from './postfix.ts';
import { KINDS, type Kind, type Receiver, startReceiver } from './receiver.ts';

const API_PORT = 31_700;
const POSTFIX_PORT = 31_725;
const BOUNCE_DOMAIN = 'bounces.sixdigit.example';
const EACH = 20;
const WAIT_MS = 60_000;

await runScenarios([
  {
    name: 'bounces',
    about: `${EACH * KINDS.length} mails through Postfix, with every kind of bounce`,
    run: bounces,
  },
]);

interface Sent {
  kind: Kind;
  recipient: string;
  otp_id: string;
  key: string;
}

function send(service: string, { key, recipient }: Pick<Sent, 'key' | 'recipient'>): Promise<Response> {
  return fetch(`${service}${API_BASE}${sendOtp.path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'email', recipient }),
  });
}

async function* bounces(cleanup: AsyncDisposableStack): AsyncIterable<Check> {
  const { url, db, dataDir } = await startDatabase(cleanup);
  const accounts = await fillAccounts(url, { accounts: 1, keysEach: EACH });
  await switchRulesOff(url, accounts);
  const service = `http://127.0.0.1:${API_PORT}`;
  const vault = createVault(SECRET_KEY, [], systemRandom(systemClock));
  const receiver = await startReceiver(cleanup, POSTFIX_PORT);
  const postfix = startPostfix(cleanup, {
    port: POSTFIX_PORT,
    receiverPort: receiver.port,
    bounceDomain: BOUNCE_DOMAIN,
    bouncesUrl: `${service}${API_BASE}/carriers/smtp/bounces/?key=${addressKey({ vault }, 'smtp')}`,
  });
  const fleet = await startFleet(
    { apis: 1, workers: 1, firstPort: API_PORT },
    {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      SECRET_KEY,
      PUBLIC_URL: service,
      SMTP_URL: `smtp://127.0.0.1:${POSTFIX_PORT}`,
      EMAIL_FROM: 'codes@sixdigit.example',
      BOUNCE_DOMAIN,
      LOG_LEVEL: 'warn',
    },
  );
  cleanup.defer(() => fleet.stop());

  const sent: Sent[] = [];
  for (let n = 0; n < EACH; n += 1)
    for (const kind of KINDS) {
      const { key = '' } = accounts[(n * KINDS.length + sent.length) % accounts.length] ?? {};
      const recipient = `${kind.name}+${n}@remote.example`;
      const answer = await send(service, { key, recipient });
      const { otp_id } = (await answer.json()) as { otp_id?: string };
      sent.push({ kind, recipient, otp_id: otp_id ?? '', key });
    }
  yield check(
    'sends',
    `${EACH * KINDS.length}`,
    String(sent.length),
    sent.every(({ otp_id }) => otp_id.length === 36),
  );

  const right = async () => {
    const rows = await db.rows<{ id: string; status: string; note: string }>(
      `select v.id, v.status, coalesce((select h.notes from status_history h where h.otp_id = v.id order by h.changed_at desc limit 1),
         'Accepted by ' || v.carrier, '') as note from verifications v`,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return sent.filter(({ kind, otp_id }) => {
      const row = byId.get(otp_id);
      return row?.status === kind.status && kind.note.test(row.note);
    });
  };
  const ms = await until(WAIT_MS, async () => (await right()).length === sent.length);
  const rightIds = new Set((await right()).map(({ otp_id }) => otp_id));
  for (const kind of KINDS) {
    const own = sent.filter((one) => one.kind === kind && rightIds.has(one.otp_id)).length;
    yield check(`${kind.name}`, `${EACH} × ${kind.status}, ${kind.note.source}`, String(own), own === EACH);
  }
  yield shown('time until the last is shown', `${(ms / 1000).toFixed(1)} s`);
  yield* consequences({ service, sent, receiver, postfix, db });
  yield* silence({ fleet, sent, receiver, postfix });
}

interface Outcome {
  service: string;
  sent: readonly Sent[];
  receiver: Receiver;
  postfix: Mailer;
  db: Awaited<ReturnType<typeof startDatabase>>['db'];
}

async function* consequences({ service, sent, receiver, postfix, db }: Outcome): AsyncIterable<Check> {
  const delayed = await db.one<{ n: number }>(
    `select count(distinct otp_id)::integer as n from status_history where notes like 'Delayed%'`,
  );
  yield check('delays shown', `≥ ${EACH}`, String(delayed.n), delayed.n >= EACH);
  const failed = sent.filter(({ kind }) => kind.status === 'failed').length;
  const { credits } = await db.one<{ credits: number }>('select credits::integer from balances');
  const spent = FIRST_CREDITS - credits;
  yield check('credits spent', String(sent.length - failed), String(spent), spent === sent.length - failed);
  const tooLarge = receiver.refused.filter((reply) => reply.startsWith('552')).length;
  yield check('mails of 20 MB refused by Postfix', String(EACH), String(tooLarge), tooLarge === EACH);
  let wrong = 0;
  for (const { kind, recipient, key } of sent) {
    const answer = await send(service, { key, recipient });
    if ((answer.status === 400) !== Boolean(kind.isSuppressed)) wrong += 1;
  }
  yield none('addresses that are suppressed or not against the rule', wrong, sent.length);
  const known = new Set(sent.map(({ recipient }) => recipient));
  yield none('mails to anybody else', receiver.accepted.filter((one) => !known.has(one)).length);
  yield none(
    'bounces that Postfix could not pass on',
    postfix.logged(/relay=sixdigit.*status=(bounced|deferred)/).length,
  );
}

/** While Sixdigit is stopped, Postfix gives up an automatic reply, and must not tell its sender. */
async function* silence({
  fleet,
  sent,
  receiver,
  postfix,
}: Pick<Outcome, 'sent' | 'receiver' | 'postfix'> & {
  fleet: Awaited<ReturnType<typeof startFleet>>;
}): AsyncIterable<Check> {
  await fleet.stop();
  const before = receiver.accepted.length;
  const to = `bounce+${sent[0]?.otp_id.replaceAll('-', '')}${'0'.repeat(24)}@${BOUNCE_DOMAIN}`;
  const person = 'person@remote.example';
  const transport = createTransport({
    host: '127.0.0.1',
    port: POSTFIX_PORT,
    secure: false,
    ignoreTLS: true,
  });
  await transport.sendMail({
    envelope: { from: person, to },
    raw: automaticReply({ to, recipient: person }),
  });
  transport.close();
  const expired = () => postfix.logged(/from=<person@remote\.example>, status=expired/).length;
  await until(WAIT_MS, async () => expired() > 0);
  yield check(
    'a reply that Postfix gave up while Sixdigit was stopped',
    '1',
    String(expired()),
    expired() === 1,
  );
  await until(3_000, async () => receiver.accepted.length > before);
  yield none('mails to its sender', receiver.accepted.length - before);
}
