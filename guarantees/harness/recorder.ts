import { request } from 'node:http';

/** The recorder sends requests at a steady rate and records every response. A run then audits the acknowledged ones. */
export interface Acknowledged {
  otp_id: string;
  account_id: string;
  recipient: string;
  key: string;
  /** of the API that acknowledged it */
  port: number;
  at_ms: number;
}

export interface Recorder {
  acknowledged: Map<string, Acknowledged>;
  verified: Set<string>;
  /** responses by status; `lost` counts requests without one */
  answers: Map<string, number>;
  waits: number[];
}

/** The shortest wait, so that steps start during a run. */
const PLAN = { channels: ['sms', 'voice'], wait_seconds: 15 };

interface Person {
  account_id: string;
  key: string;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  retryAfter: string | undefined;
}

export function ask(port: number, path: string, key: string, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent: false,
        timeout: 30_000,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          'x-api-key': key,
        },
      },
      (response) => {
        let received = '';
        response.on('data', (chunk) => {
          received += String(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          const parsed = received === '' ? {} : (JSON.parse(received) as Record<string, unknown>);
          resolve({
            status: response.statusCode ?? 0,
            body: parsed,
            retryAfter: response.headers['retry-after'],
          });
        });
      },
    );
    call.on('timeout', () => call.destroy(new Error('timeout')));
    call.on('error', reject);
    call.end(text);
  });
}

/**
 * Sends on schedule, round robin over the APIs, until `stop` aborts. `more` is added to every request body. Recipients are numbered from
 * `first`, so that the loads of one run share no recipient. Every third send has a plan, whose call follows if the SMS is not verified.
 */
export function startRecorder(
  ports: readonly number[],
  people: readonly Person[],
  perSecond: number,
  stop: AbortSignal,
  { first = 0, ...more }: { first?: number; expires_in?: number } = {},
): { recorder: Recorder; done: Promise<void> } {
  const recorder: Recorder = { acknowledged: new Map(), verified: new Set(), answers: new Map(), waits: [] };
  const open = new Set<Promise<void>>();
  let n = first;
  const note = (what: string) => recorder.answers.set(what, (recorder.answers.get(what) ?? 0) + 1);
  const sendOne = async () => {
    const person = people[n % people.length] as Person;
    const port = ports[n % ports.length] as number;
    const recipient = `+1${['212', '415', '305', '617'][n % 4]}${2_000_000 + n}`;
    n++;
    const began = performance.now();
    try {
      const channels = n % 3 === 0 ? PLAN : { channel: 'sms' };
      const message = { ...channels, recipient, ...more };
      const { status, body, retryAfter } = await ask(port, '/api/v1/otp/send/', person.key, message);
      recorder.waits.push(performance.now() - began);
      note(status === 503 && retryAfter === undefined ? '503 without Retry-After' : String(status));
      if (status === 201) {
        const otp_id = String(body.otp_id);
        recorder.acknowledged.set(otp_id, { ...person, otp_id, recipient, port, at_ms: Date.now() });
      }
    } catch {
      note('lost');
    }
  };
  const done = (async () => {
    const began = performance.now();
    let planned = 0;
    while (!stop.aborted) {
      const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
      for (; planned < due; planned++) {
        const one = sendOne().finally(() => open.delete(one));
        open.add(one);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(open);
  })();
  return { recorder, done };
}

/** Sends once through each API. Returns whether all accepted, and records the accepted ones. */
export async function sendRecorded(
  ports: readonly number[],
  person: Person,
  { acknowledged }: Recorder,
): Promise<boolean> {
  const statuses = ports.map(async (port) => {
    const recipient = `+1303${2_000_000 + Math.floor(Math.random() * 7_000_000)}`;
    const message = { channel: 'sms', recipient };
    const { status, body } = await ask(port, '/api/v1/otp/send/', person.key, message);
    const otp_id = String(body.otp_id);
    if (status === 201) acknowledged.set(otp_id, { ...person, otp_id, recipient, port, at_ms: Date.now() });
    return status;
  });
  return (await Promise.all(statuses)).every((status) => status === 201);
}

/**
 * Verifies every second message that the carrier received, starting at the index `from`, retries until it has a final response, and
 * records successes.
 */
export async function verifyArrivals(
  { messages }: { readonly messages: readonly { id: string; code: string }[] },
  {
    recorder,
    ports,
    stop,
    from = 0,
  }: { recorder: Recorder; ports: readonly number[]; stop: AbortSignal; from?: number },
): Promise<void> {
  const open = new Set<Promise<void>>();
  const note = (what: string) => {
    const name = `verify ${what}`;
    recorder.answers.set(name, (recorder.answers.get(name) ?? 0) + 1);
  };
  const verifyOne = async (otp_id: string, code: string, turn: number) => {
    for (let tries = 0; !stop.aborted; tries++) {
      const key = recorder.acknowledged.get(otp_id)?.key;
      // A message can arrive before the response to its send. After a kill, that response never comes.
      if (key === undefined && tries > 20) return note('unacknowledged');
      if (key !== undefined) {
        const port = ports[(turn + tries) % ports.length] as number;
        const answer = await ask(port, '/api/v1/otp/verify/', key, { otp_id, code }).catch(() => undefined);
        note(answer === undefined ? 'lost' : `${answer.status} ${answer.body.reason ?? ''}`.trim());
        if (answer?.status === 200) recorder.verified.add(otp_id);
        if (answer && answer.status !== 503 && answer.status !== 429) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  for (let seen = from; !stop.aborted; ) {
    for (; seen < messages.length; seen++) {
      const message = messages[seen];
      if (!message || seen % 2 === 1) continue;
      const one = verifyOne(message.id, message.code, seen).finally(() => open.delete(one));
      open.add(one);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await Promise.all(open);
}
