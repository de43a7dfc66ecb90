/** Attacks on the addresses of connections, which only a secret protects. */

import { createHmac } from 'node:crypto';
import { listConnections, type SystemName } from '@sixdigit/contract/connection-list.ts';
import { createConnection, rotateConnection, updateConnection } from '@sixdigit/contract/connections.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { Webhook } from 'standardwebhooks';
import { quantile } from '../harness/load.ts';
import { type Attack, many, paced, statusesOf, until } from './attack.ts';
import type { Target, Tenant } from './target.ts';
import { startTilt } from './tilt.ts';

interface Connected {
  id: string;
  secret: string;
}

async function connect(target: Target, { bearer }: Tenant, system: SystemName): Promise<Connected> {
  const { status, body } = await paced(() =>
    target.call(createConnection, { bearer, body: { system, name: `Connection to ${system}` } }),
  );
  if (status !== 201) throw new Error(`The connection got ${status}`);
  return { id: String(body.id), secret: String(body.secret) };
}

interface Signed {
  headers: Record<string, string>;
  body: string;
}

const supabase = (secret: string, body: string, at = new Date()): Signed => {
  const id = crypto.randomUUID();
  const signature = new Webhook(secret.replace('v1,whsec_', '')).sign(id, at, body);
  return {
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    },
    body,
  };
};

const zitadel = (secret: string, body: string, at = new Date()): Signed => {
  const seconds = Math.floor(at.getTime() / 1000);
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { headers: { 'zitadel-signature': `t=${seconds},v1=${mac}` }, body };
};

const SIGNERS = { supabase, zitadel } as const;
const bodyOf = {
  supabase: (to: string, code: string) =>
    JSON.stringify({
      metadata: { uuid: crypto.randomUUID() },
      user: { phone: to.slice(1) },
      sms: { otp: code },
    }),
  zitadel: (to: string, code: string) =>
    JSON.stringify({ contextInfo: { recipientPhoneNumber: to }, args: { code } }),
} as const;

async function ask(
  target: Target,
  { id }: Pick<Connected, 'id'>,
  { headers, body }: Signed,
): Promise<number> {
  const answer = await fetch(`${target.url}${API_BASE}/in/${id}/sms`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}

const sentTo = (target: Target, recipient: string): number =>
  target.carrier.messages.filter((message) => message.recipient === recipient).length;

const untilSent = (target: Target, recipient: string) =>
  until('the message', () => (sentTo(target, recipient) > 0 ? true : undefined));

/** Bodies whose readers took quadratic time, in the form that each of them expects. */
const BLANKS = ' '.repeat(64 * 1024);
const HEAVY = [
  `{"text":"a","to":"${BLANKS}`,
  `{"text":"a","to":${BLANKS}`,
  `{"key":"${'"'.repeat(16_000)}`,
  `{"text":"${'","to":"'.repeat(2_000)}`,
  '['.repeat(16_000),
  `{"a":${'{"a":'.repeat(3_000)}`,
  '1'.repeat(16_000),
].flatMap((body) => [body, body.slice(0, 16 * 1024)]);

/** The longest wait for a response of /healthz during the work. */
async function longestWaitMs(target: Target, work: () => Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false];
  const watch = async () => {
    while (!isOver) {
      const from = performance.now();
      await (await fetch(`${target.url}/healthz`)).arrayBuffer();
      longest = Math.max(longest, performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const watching = watch();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  return longest;
}

export const connections: Attack[] = [
  {
    name: 'the largest bodies of blanks, quotes, brackets and repeated fields without a secret, at the address of each kind of connection after a rotation',
    promise: 'each is refused, and nobody waits a second for /healthz',
    async run(target) {
      const { bearer, ...tenant } = await target.tenant();
      const statuses: number[] = [];
      const ms = await longestWaitMs(target, async () => {
        for (const system of ['keycloak', 'supabase', 'zitadel', 'webhook', 'kratos'] as const) {
          const connection = await connect(target, { ...tenant, bearer }, system);
          await paced(() =>
            target.call(rotateConnection, {
              bearer,
              params: { id: connection.id },
              body: { valid_hours: 1 },
            }),
          );
          for (const body of HEAVY) statuses.push(await ask(target, connection, { headers: {}, body }));
        }
      });
      return {
        measured: `${statusesOf(statuses)}; /healthz within ${ms.toFixed(0)} ms`,
        holds: ms < 1_000 && statuses.every((status) => [401, 413, 429].includes(status)),
      };
    },
  },
  {
    name: 'a secret without a key (whsec_!!!!) and one of a single byte, entered for a connection that verifies signatures',
    promise: 'neither is stored, and a request with a signature gets 401',
    async run(target) {
      const tenant = await target.tenant();
      const { bearer } = tenant;
      const statuses: number[] = [];
      const asked: number[] = [];
      for (const system of ['supabase', 'webhook'] as const) {
        const { id } = await connect(target, tenant, system);
        for (const secret of ['whsec_!!!!!!!!!!!!', 'whsec_AA==========', 'v1,whsec_!!!!!!!!!!!!'])
          statuses.push(
            (await paced(() => target.call(updateConnection, { bearer, params: { id }, body: { secret } })))
              .status,
          );
        asked.push(
          await ask(
            target,
            { id },
            supabase('v1,whsec_AAAAAAAAAAAAAAAAAAAAAAAA', bodyOf.supabase('+1', '1')),
          ),
        );
      }
      return {
        measured: `entered: ${statusesOf(statuses)}; asked: ${statusesOf(asked)}`,
        holds: statuses.every((status) => status === 400) && asked.every((status) => status === 401),
      };
    },
  },
  {
    name: 'forged, replayed and re-dated signatures',
    promise:
      'forged and re-dated ones get 401; a replay sends nothing more; only the genuine request is sent',
    async run(target) {
      const tenant = await target.tenant();
      const results: string[] = [];
      let holds = true;
      for (const system of ['supabase', 'zitadel'] as const) {
        const connection = await connect(target, tenant, system);
        const sign = SIGNERS[system];
        const [to, victim] = [target.phone(), target.phone()];
        const genuine = sign(connection.secret, bodyOf[system](to, '246802'));
        const statuses = [await ask(target, connection, genuine)];
        await untilSent(target, to);
        const old = new Date(Date.now() - 600_000);
        const late = sign(connection.secret, bodyOf[system](victim, '135135'), old);
        const fresh = sign('v1,whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', bodyOf[system](victim, '135135'));
        const forged: Signed[] = [
          fresh,
          late,
          // Another body under a genuine signature.
          { ...genuine, body: bodyOf[system](victim, '135135') },
          // A new date on an old signature.
          {
            ...late,
            headers: Object.fromEntries(
              Object.entries(late.headers).map(([name, value]) => [
                name,
                name === 'zitadel-signature'
                  ? value.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1000)}`)
                  : name === 'webhook-timestamp'
                    ? String(Math.floor(Date.now() / 1000))
                    : value,
              ]),
            ),
          },
          { headers: {}, body: bodyOf[system](victim, '135135') },
        ];
        const refused = await many(forged.length, 5, (n) => ask(target, connection, forged[n] as Signed));
        const replays = await many(10, 10, () => ask(target, connection, genuine));
        statuses.push(...replays);
        // A later message has passed through the whole service.
        await target.call(sendOtp, {
          apiKey: tenant.key,
          body: { channel: 'sms', recipient: target.phone() },
        });
        const [sent, stolen] = [sentTo(target, to), sentTo(target, victim)];
        results.push(
          `${system}: ${statusesOf(statuses)}, forged ${statusesOf(refused)}, ${sent} and ${stolen} messages`,
        );
        holds &&= sent === 1 && stolen === 0 && refused.every((status) => status === 401);
      }
      return { measured: results.join('; '), holds };
    },
  },
  {
    name: "one connection's secret at another's address, of the same and of another account, and a deleted one's",
    promise: 'each gets 401 or 404 and sends nothing; the refusals are counted',
    async run(target) {
      const [alice, bob] = [await target.tenant(), await target.tenant()];
      const [one, two] = [await connect(target, alice, 'supabase'), await connect(target, alice, 'supabase')];
      const his = await connect(target, bob, 'supabase');
      const victim = target.phone();
      const statuses: number[] = [];
      for (const [at, secret] of [
        [one, two.secret],
        [two, his.secret],
        [his, one.secret],
        [{ id: crypto.randomUUID() }, one.secret],
      ] as const)
        statuses.push(await ask(target, at, supabase(secret, bodyOf.supabase(victim, '777777'))));
      const counted = async () =>
        (
          (await target.call(listConnections, { bearer: alice.bearer })).body.results as {
            wrong_signatures: number;
          }[]
        )
          .map(({ wrong_signatures }) => wrong_signatures)
          .join();
      for (let n = 0; n < 20 && (await counted()) !== '1,1'; n += 1)
        await new Promise((resolve) => setTimeout(resolve, 500));
      const wrong = await counted();
      return {
        measured: `${statusesOf(statuses)}; counted: ${wrong}; ${sentTo(target, victim)} messages`,
        holds: statuses.join() === '401,401,401,404' && wrong === '1,1' && sentTo(target, victim) === 0,
      };
    },
  },
  {
    name: 'a flood of wrong and of right signatures over one connection, 16 in parallel, during 200 sends over a connection of another account',
    promise:
      'wrong ones get 401 and send nothing, the limits of its key hold, and the other connection is never refused; its p99 is at most 1.5 × that without the flood',
    async run(target) {
      const [alice, bob] = [await target.tenant(), await target.tenant()];
      const flooded = await connect(target, alice, 'zitadel');
      const other = await connect(target, bob, 'zitadel');
      const victim = target.phone();
      const send = async (n: number) => {
        const signed = zitadel(other.secret, bodyOf.zitadel(target.phone(), String(100_000 + n)));
        const from = performance.now();
        const status = await ask(target, other, signed);
        return { status, ms: performance.now() - from };
      };
      const calls = Array.from({ length: FLOOD_CALLS }, (_, n) => {
        // Neighbors in the list go to different lanes.
        const isRight = Math.floor(n / 8) % 2 === 0;
        const body = bodyOf.zitadel(isRight ? target.phone() : victim, String(100_000 + n));
        const { headers } = zitadel(isRight ? flooded.secret : 'wrong', body);
        return {
          method: 'POST',
          path: `${API_BASE}/in/${flooded.id}/sms`,
          headers: { 'content-type': 'application/json', ...headers },
          body,
        };
      });
      const flood = () => startTilt({ url: target.url, calls, connections: 16 });
      // In each process, the first calls compile code and plan statements.
      const warming = await flood();
      await paceOf(send, 40);
      await warming.stop();
      const before = await paceOf(send, 100);
      const tilt = await flood();
      const during = await paceOf(send, 200);
      const { requests, statuses } = await tilt.stop();
      const after = await paceOf(send, 100);
      const quiet = [...before, ...after];
      const [usual, slowed] = [p99Of(quiet), p99Of(during)];
      const sent = [...quiet, ...during].map(({ status }) => status);
      return {
        measured: `${(slowed / usual).toFixed(1)} ×: p99 ${usual.toFixed(0)} → ${slowed.toFixed(0)} ms; the other connection: ${statusesOf(sent)}; the flood: ${requests} requests, ${Object.entries(
          statuses,
        )
          .map(([status, times]) => `${times} × ${status}`)
          .join(', ')}; ${sentTo(target, victim)} messages of wrong ones`,
        holds:
          slowed <= 1.5 * usual &&
          sent.every((status) => status === 200) &&
          Object.keys(statuses).every((status) => ['200', '401', '429'].includes(status)) &&
          (statuses[429] ?? 0) > 0 &&
          sentTo(target, victim) === 0,
      };
    },
  },
];

/** More than a flood of ten seconds makes; a signature is valid for five minutes. */
const FLOOD_CALLS = 16_000;

interface Sent {
  status: number;
  ms: number;
}

async function paceOf(send: (n: number) => Promise<Sent>, times: number): Promise<Sent[]> {
  const all: Sent[] = [];
  for (let n = 0; n < times; n += 1) {
    all.push(await send(n));
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  return all;
}

const p99Of = (sent: readonly Sent[]): number =>
  quantile(
    sent.map(({ ms }) => ms),
    0.99,
  );
