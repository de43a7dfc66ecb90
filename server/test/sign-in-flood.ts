import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Floods the service with calls that hash a password from a separate thread, so that it does not block the service's event loop.
 * The message `stop` ends it and returns its counts.
 */
export interface FloodOrder {
  url: string;
  networks: 'one /32 of IPv6' | '200 networks';
  /** by default sign-ins, of which every second one is for this account and the others for unknown addresses */
  email: string;
  /** instead of sign-ins, made in turns */
  calls?: readonly FloodCall[];
  perSecond: number;
  /** After this many refusals, the thread posts `refused`, because the service then has more work than it can hash. */
  announceAfter?: number;
}

export interface FloodCall {
  method: string;
  /** on the host of `url` */
  path: string;
  bearer?: string;
  body: object;
}

export interface FloodReport {
  statuses: Record<number, number>;
  perSecond: number;
}

/** More would measure the machine's sockets instead of the service. */
const IN_FLIGHT = 200;
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
const { url, networks, email, perSecond, announceAfter, calls } = workerData as FloodOrder;

const addressOf = (n: number): string =>
  networks === '200 networks'
    ? `${20 + (n % 200)}.${(n >> 2) & 255}.${n & 255}.9`
    : `2001:db8:${(n % 60_000).toString(16)}:${(n % 251).toString(16)}::1`;

const signInOf = (n: number): FloodCall => ({
  method: 'POST',
  path: new URL(url).pathname,
  body: { email: n % 2 === 0 ? email : `nobody.${n}@people.test`, password: `guess number ${n}` },
});

const guess = (n: number): Promise<number> =>
  new Promise((resolve) => {
    const { method, path, bearer, body } = calls?.[n % calls.length] ?? signInOf(n);
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': addressOf(n),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    };
    const outgoing = request(new URL(path, url), { method, agent, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on('error', () => resolve(0));
    outgoing.end(JSON.stringify(body));
  });

const statuses: Record<number, number> = {};
const beganMs = performance.now();
let sent = 0;
let inFlight = 0;
const timer = setInterval(() => {
  const due = ((performance.now() - beganMs) / 1_000) * perSecond;
  for (; sent < due && inFlight < IN_FLIGHT; sent += 1) {
    inFlight += 1;
    void guess(sent).then((status) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 429 && statuses[429] === announceAfter) parentPort?.postMessage('refused');
      inFlight -= 1;
      reportAtTheEnd();
    });
  }
}, 5);

let ratePerSecond: number | undefined;
parentPort?.on('message', () => {
  clearInterval(timer);
  ratePerSecond = (sent / (performance.now() - beganMs)) * 1_000;
  reportAtTheEnd();
});

/** After the last response, the service's queue is also empty. */
function reportAtTheEnd(): void {
  if (ratePerSecond === undefined || inFlight > 0) return;
  agent.destroy();
  const report: FloodReport = { statuses, perSecond: ratePerSecond };
  parentPort?.postMessage(report);
  parentPort?.close();
}
