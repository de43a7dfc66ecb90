import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * One customer at full load, in a separate thread so that it does not disturb the measurement. `stop` ends it and returns the
 * counts.
 */
export interface TiltOrder {
  url: string;
  calls: { method: string; path: string; headers: Record<string, string>; body: string | null }[];
  connections: number;
}

export interface TiltReport {
  requests: number;
  statuses: Record<number, number>;
  /** durations of the slowest calls in milliseconds, the slowest first */
  slowest: [call: string, ms: number][];
}

const { url, calls, connections } = workerData as TiltOrder;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const report: TiltReport = { requests: 0, statuses: {}, slowest: [] };
const longest = new Map<string, number>();
let isStopping = false;
const STREAM_MS = 500;
const SLOWEST = 3;

const ask = ({ method, path, headers, body }: TiltOrder['calls'][number]): Promise<number> =>
  new Promise((resolve) => {
    const call = request(url + path, { method, agent, headers }, (answer) => {
      answer.resume();
      answer.once('close', () => resolve(answer.statusCode ?? 0));
      // The stream of live rows never ends.
      if (answer.headers['content-type']?.startsWith('text/event-stream'))
        setTimeout(() => answer.destroy(), STREAM_MS);
    });
    call.once('error', () => resolve(0));
    call.end(body ?? undefined);
  });

const lanes = Array.from({ length: connections }, async (_, lane) => {
  for (let n = lane; !isStopping; n += connections) {
    const call = calls[n % calls.length];
    if (!call) return;
    const beganMs = performance.now();
    const status = await ask(call);
    const name = `${call.method} ${call.path.split('?')[0]}`;
    longest.set(name, Math.max(longest.get(name) ?? 0, performance.now() - beganMs));
    report.requests += 1;
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
  }
});

parentPort?.once('message', () => {
  isStopping = true;
  void Promise.all(lanes).then(() => {
    agent.destroy();
    report.slowest = [...longest].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
    parentPort?.postMessage(report);
  });
});
