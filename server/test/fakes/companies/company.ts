import { randomUUID } from 'node:crypto';
import { type Callback, type HttpListener, type Incoming, listen, type Reply } from '../http-listener.ts';
import type { Company, Said, TakenMessage } from './wire.ts';

/** A running fake of a message company. It refuses requests that the company would refuse. */
export interface CompanyFake extends AsyncDisposable {
  url: string;
  messages: TakenMessage[];
  requests: number;
  /** Overrides the response to requests with the right credentials. */
  answer: ((message: TakenMessage) => Reply) | undefined;
  messageTo(recipient: string): TakenMessage;
  /** A report about a message. `word` is any status text. */
  report(message: TakenMessage, meaning: Said, options?: Reported): Callback;
  /** The callback for a body, signed as the company signs. */
  callback(url: string, body: unknown, options?: Reported): Callback;
}

export interface Reported {
  /** Where the company sends it, unless the message names an address. */
  url?: string;
  word?: string;
  forged?: boolean;
  unsigned?: boolean;
  at?: Date;
}

export async function startCompany(company: Company, now: () => Date): Promise<CompanyFake> {
  const fake: CompanyFake = {
    url: '',
    messages: [],
    requests: 0,
    answer: undefined,
    messageTo(recipient) {
      const found = fake.messages.filter(({ to }) => to === recipient).at(-1);
      if (!found) throw new Error(`${company.kind} got no message to ${recipient}`);
      return found;
    },
    report(message, meaning, options = {}) {
      const word = options.word ?? company.words[meaning] ?? '';
      const body = company.report(message, word, options.word === undefined ? meaning : undefined);
      const url = options.url ?? message.report_url ?? '';
      return fake.callback(url, company.batch ? company.batch([body]) : body, options);
    },
    callback(url, content, { forged = false, unsigned = false, at = now() } = {}) {
      const body = company.isForm
        ? new URLSearchParams(content as Record<string, string>).toString()
        : JSON.stringify(company.seal ? company.seal(content, { at, forged: forged || unsigned }) : content);
      const type = company.isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      const signature = unsigned ? {} : company.sign?.({ url, body, at, forged });
      return { url, headers: { 'content-type': type, ...signature }, body };
    },
    [Symbol.asyncDispose]: () => listener.close(),
  };
  const receive = (request: Incoming): Reply | Promise<Reply> => {
    fake.requests += 1;
    if (!company.isAuthorized(request.headers)) return { status: 401, body: {} };
    const about = company.about?.(request);
    if (about) return about;
    if (request.method === 'GET') return { status: request.path.includes('missing') ? 404 : 200, body: {} };
    if (request.method !== 'POST' || !company.path.test(request.path))
      return { status: 404, body: { wrong: request.path } };
    const read = company.read(request);
    const message = { ...read, id: read.id ?? randomUUID() };
    fake.messages.push(message);
    return fake.answer?.(message) ?? company.accepted(message);
  };
  const listener: HttpListener = await listen(receive);
  fake.url = listener.origin;
  return fake;
}
