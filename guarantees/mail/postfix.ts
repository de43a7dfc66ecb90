import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const POSTFIX = '/usr/sbin/postfix';
const FOLDER = join(import.meta.dirname, '../../deploy/postfix');

export interface Mailer {
  /** lines of its log that match */
  logged(pattern: RegExp): string[];
}

interface PostfixOptions {
  port: number;
  /** the mail server of all recipients */
  receiverPort: number;
  bounceDomain: string;
  /** where bounces go, with the secret */
  bouncesUrl: string;
}

/** Debian's Postfix with its own configuration and queue, which passes bounces on as docs/email.md says. Needs root. */
export function startPostfix(cleanup: AsyncDisposableStack, options: PostfixOptions): Mailer {
  if (!existsSync(POSTFIX) || process.getuid?.() !== 0)
    throw new Error('Install Postfix (apt-get install postfix), and run this as root.');
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-postfix-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  // Postfix's own users read it.
  chmodSync(folder, 0o755);
  for (const name of ['etc', 'queue', 'data']) mkdirSync(join(folder, name));
  execFileSync('chown', ['postfix', join(folder, 'data')]);
  copyFileSync(join(FOLDER, 'sixdigit-bounce'), join(folder, 'sixdigit-bounce'));
  chmodSync(join(folder, 'sixdigit-bounce'), 0o755);
  const secret = join(folder, 'bounces.conf');
  writeFileSync(secret, `url = "${options.bouncesUrl}"\n`, { mode: 0o600 });
  execFileSync('chown', ['nobody', secret]);
  writeFileSync(join(folder, 'etc/main.cf'), mainOf(folder, options));
  writeFileSync(join(folder, 'etc/master.cf'), masterOf(folder, options));
  writeFileSync(
    join(folder, 'etc/never-notify'),
    `/^(RCPT TO: *<[^>]*@${options.bounceDomain.replaceAll('.', '\\.')}>).*/ $1 NOTIFY=NEVER\n`,
  );
  writeFileSync(
    join(folder, 'etc/recipients'),
    `/^(bounce\\+[0-9a-f]{56}|complaints)@${options.bounceDomain.replaceAll('.', '\\.')}$/ OK\n`,
  );
  const postfix = (action: string) =>
    execFileSync(POSTFIX, ['-c', join(folder, 'etc'), action], { stdio: 'pipe' });
  postfix('start');
  cleanup.defer(() => void postfix('stop'));
  return {
    logged: (pattern) =>
      readFileSync(join(folder, 'mail.log'), 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line)),
  };
}

/** Mails are retried and given up within seconds instead of days. */
const mainOf = (folder: string, { receiverPort, bounceDomain }: PostfixOptions): string =>
  [
    'compatibility_level = 3.6',
    `queue_directory = ${folder}/queue`,
    `data_directory = ${folder}/data`,
    'command_directory = /usr/sbin',
    'daemon_directory = /usr/lib/postfix/sbin',
    'mail_owner = postfix',
    'setgid_group = postdrop',
    `maillog_file = ${folder}/mail.log`,
    `maillog_file_prefixes = ${folder}`,
    'myhostname = mail.sixdigit.example',
    'mydestination =',
    'alias_maps =',
    'local_recipient_maps =',
    'inet_interfaces = 127.0.0.1',
    'inet_protocols = ipv4',
    'mynetworks = 127.0.0.0/8',
    'smtp_dns_support_level = disabled',
    `relayhost = [127.0.0.1]:${receiverPort}`,
    `relay_domains = ${bounceDomain}`,
    `transport_maps = inline:{ {${bounceDomain} = sixdigit:} }`,
    `smtpd_command_filter = regexp:${folder}/etc/never-notify`,
    `relay_recipient_maps = regexp:${folder}/etc/recipients`,
    'sixdigit_destination_recipient_limit = 1',
    'sixdigit_destination_concurrency_limit = 2',
    'minimal_backoff_time = 1s',
    'maximal_backoff_time = 2s',
    'queue_run_delay = 1s',
    'delay_warning_time = 1s',
    'maximal_queue_lifetime = 8s',
    'bounce_queue_lifetime = 8s',
    '',
  ].join('\n');

const masterOf = (folder: string, { port }: PostfixOptions): string =>
  [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'pickup unix n - n 60 1 pickup',
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 1 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'verify unix - - n - 1 verify',
    'flush unix n - n 1000? 0 flush',
    'proxymap unix - - n - - proxymap',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'showq unix n - n - - showq',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'discard unix - - n - - discard',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'postlog unix-dgram n - n - 1 postlogd',
    'sixdigit unix - n n - 2 pipe',
    `  flags=q user=nobody argv=${folder}/sixdigit-bounce ${folder}/bounces.conf \${recipient}`,
    '',
  ].join('\n');
