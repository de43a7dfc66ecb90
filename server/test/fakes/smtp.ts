import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { freePort } from '../free-ports.ts';
import { Arrivals } from './arrivals.ts';

/**
 * A mail server on loopback that stores every accepted mail, parsed. The recipient's local part up to a `+` chooses its behavior:
 * `hang+3@example.com`. It accepts any other address.
 */
export type SmtpBehaviour =
  | 'accept'
  /** 550 to RCPT TO. */
  | 'refuse'
  /** 450 to RCPT TO. */
  | 'defer'
  /** 554 after the whole message. */
  | 'reject'
  /** 421 after the whole message. */
  | 'busy'
  /** Breaks the connection at RCPT TO. */
  | 'drop'
  /** Stores the mail and never responds. */
  | 'hang'
  /** Stores the mail and then closes the connection. */
  | 'reset'
  /** Stores the mail and refuses it with 554, echoing its text. */
  | 'echo';

const behaviours: readonly string[] = ['refuse', 'defer', 'reject', 'busy', 'drop', 'hang', 'reset', 'echo'];

export interface ReceivedMail extends Email {
  envelope: { from: string; to: string[] };
  raw: string;
  /** the digits in the text */
  code: string;
  isEncrypted: boolean;
  /** the name in EHLO */
  hello: string;
  user: string | undefined;
}

export interface SmtpFakeOptions {
  /** `starttls` and `implicit` use a self-signed certificate. */
  tls?: 'none' | 'starttls' | 'implicit';
  /** the login that clients must use */
  login?: { user: string; pass: string };
  host?: string;
  port?: number;
}

export class SmtpFake implements AsyncDisposable {
  readonly #mails = new Arrivals<ReceivedMail>();
  readonly #options: SmtpFakeOptions;
  readonly #sockets = new Map<number, Socket>();
  #server: SMTPServer | undefined;
  /** number of connections opened so far */
  connections = 0;
  /** Overrides the address's behavior while set, such as `'drop'` for an outage. */
  everyone: SmtpBehaviour | undefined;

  constructor(options: SmtpFakeOptions) {
    this.#options = options;
  }

  async start(port?: number): Promise<this> {
    const { tls = 'none', login } = this.#options;
    const server = new SMTPServer({
      logger: false,
      secure: tls === 'implicit',
      disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
      authOptional: !login,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      closeTimeout: 1,
      onAuth: (auth, _session, done) => {
        const isRight = auth.username === login?.user && auth.password === login?.pass;
        done(
          isRight ? null : reply(535, 'Authentication failed'),
          isRight ? { user: auth.username } : undefined,
        );
      },
      onRcptTo: (address, session, done) => {
        const behaviour = this.#behaviourOf(address.address);
        if (behaviour === 'refuse') return done(reply(550, 'No such mailbox'));
        if (behaviour === 'defer') return done(reply(450, 'Try again later'));
        if (behaviour === 'drop') return this.#break(session);
        done();
      },
      onData: (stream, session, done) => {
        this.#take(stream, session, done).catch(done);
      },
    });
    // Behaviors reset connections on purpose.
    server.on('error', () => {});
    server.server.on('connection', (socket: Socket) => {
      const { remotePort = 0 } = socket;
      this.connections += 1;
      this.#sockets.set(remotePort, socket);
      socket.once('close', () => this.#sockets.delete(remotePort));
    });
    server.listen(port ?? (await freePort()), this.#options.host ?? '127.0.0.1');
    await once(server.server, 'listening');
    this.#server = server;
    return this;
  }

  get port(): number {
    if (!this.#server) throw new Error('The fake mail server is not running');
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** For SMTP_URL, with the login where there is one. */
  get url(): string {
    const { tls, login, host = '127.0.0.1' } = this.#options;
    const user = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.pass)}@` : '';
    return `${tls === 'implicit' ? 'smtps' : 'smtp'}://${user}${host}:${this.port}`;
  }

  get mails(): readonly ReceivedMail[] {
    return this.#mails.all;
  }

  mailsTo(address: string): ReceivedMail[] {
    return this.mails.filter((mail) => mail.envelope.to.includes(address));
  }

  async waitForMailTo(address: string): Promise<ReceivedMail> {
    const [mail] = await this.#mails.waitFor(1, ({ envelope }) => envelope.to.includes(address));
    if (!mail) throw new Error('unreachable');
    return mail;
  }

  clear(): void {
    this.#mails.clear();
  }

  /** Closes every open connection, like a restart of the mail server. */
  hangUp(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  async #take(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const to = session.envelope.rcptTo.map(({ address }) => address);
    const behaviour = this.#behaviourOf(to[0] ?? '');
    if (behaviour === 'reject') return done(reply(554, 'Message refused'));
    if (behaviour === 'busy') return done(reply(421, 'Closing down'));

    const raw = Buffer.concat(chunks);
    const email = await PostalMime.parse(raw);
    const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
    this.#mails.push({
      ...email,
      envelope: { from, to },
      raw: raw.toString(),
      // The port in an address is not a code.
      code: /(?<![\d:])\d{4,8}/.exec(email.text ?? '')?.[0] ?? '',
      isEncrypted: session.secure,
      hello: String(session.hostNameAppearsAs),
      user: typeof session.user === 'string' ? session.user : undefined,
    });
    if (behaviour === 'hang') return;
    if (behaviour === 'echo') return done(reply(554, `Refused: ${email.text?.replace(/\s+/g, ' ')}`));
    if (behaviour === 'reset') return this.#break(session);
    done();
  }

  #behaviourOf(address: string): SmtpBehaviour {
    const [local = ''] = address.split(/[+@]/);
    return this.everyone ?? (behaviours.includes(local) ? (local as SmtpBehaviour) : 'accept');
  }

  #break(session: SMTPServerSession): void {
    this.#sockets.get(session.remotePort)?.resetAndDestroy();
  }

  /** Stops listening until `start(port)`. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(resolve);
    this.hangUp();
    await promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export function startSmtp(options: SmtpFakeOptions = {}): Promise<SmtpFake> {
  return new SmtpFake(options).start(options.port);
}

function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
