import { connect } from 'node:net';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { type Attack, countsOf, many } from './attack.ts';
import { networkAddress, type Person, type Target } from './target.ts';

/** Attacks by what proxies pass on: addresses in every form, and requests that never end. */
const LONGEST_MS = 35_000;

const forms: readonly ((n: number) => Record<string, string>)[] = [
  (n) => ({ 'x-forwarded-for': `${networkAddress(n)}:5${n}` }),
  (n) => ({ 'x-forwarded-for': `[2001:db8:${n}::7]:443` }),
  (n) => ({ 'x-forwarded-for': `"${networkAddress(n)}"` }),
  (n) => ({ 'x-forwarded-for': `unknown, ::ffff:${networkAddress(n)}` }),
  (n) => ({ 'x-forwarded-for': `_hidden${n}` }),
];

async function signsIn(target: Target, { email }: Person, password: string, headers: Record<string, string>) {
  return (await target.call(signIn, { body: { email, password }, headers })).status;
}

/** Sends a byte a second. Returns the status line, and how long the connection lasted. */
function drip(port: number, head: string): Promise<{ line: string; ms: number }> {
  return new Promise((resolve) => {
    const began = performance.now();
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 1_000);
    const giveUp = setTimeout(() => socket.destroy(), 2 * LONGEST_MS);
    socket.once('close', () => {
      clearInterval(timer);
      clearTimeout(giveUp);
      resolve({ line: received.split('\r\n')[0] ?? '', ms: performance.now() - began });
    });
  });
}

export const dressedAddresses: Attack[] = [
  {
    name: 'wrong passwords of 100 strangers whose addresses arrive with ports, brackets, quotes and as unknown',
    promise: 'the owner signs in from behind the same proxy',
    async run(target) {
      const owner = await target.signUp(networkAddress(2_900));
      if (typeof owner === 'number') throw new Error(`The sign-up got ${owner}`);
      const wrong = await many(100, 4, (n) =>
        signsIn(target, owner, `guess ${n}`, forms[n % forms.length]?.(2_910 + n) ?? {}),
      );
      const right: number[] = [];
      for (const [n, form] of forms.slice(0, 4).entries())
        right.push(await signsIn(target, owner, owner.password, form(3_050 + n)));
      return {
        measured: `strangers: ${countsOf(wrong)}; the owner: ${right.join(', ')}`,
        holds: right.every((status) => status === 200),
      };
    },
  },
  {
    name: '20 requests of one byte a second, in the head and in the body',
    promise: 'each gets 408 and loses its connection within 35 s',
    async run({ port }) {
      const head = `POST ${API_BASE}${signIn.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`;
      const all = await many(20, 20, (n) => drip(port, n % 2 ? head : `${head}\r\n{`));
      const late = all.filter(({ line }) => line.includes(' 408 '));
      const longest = Math.max(...all.map(({ ms }) => ms));
      return {
        measured: `${late.length} of ${all.length} got 408, the last connection ended after ${(longest / 1_000).toFixed(1)} s`,
        holds: late.length === all.length && longest <= LONGEST_MS,
      };
    },
  },
];
