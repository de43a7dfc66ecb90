import { createPasswords, foundAccount, hasAccounts, insertPerson } from '../../../accounts/accounts.ts';
import { createKey } from '../../../api-keys/api-keys.ts';
import type { Carriers } from '../../../messaging/carriers/carriers.ts';
import { apiBase } from '../../../platform/config.ts';
import { addFact, findFact, setFact } from '../../../platform/db/facts.ts';
import type { Needs } from '../../../platform/platform.ts';

/**
 * The demo account of a sandbox. The first start creates it with an API key, so that the printed commands work as pasted. Its
 * password and key are stored sealed; `npm start -- demo` prints them again.
 */
export interface DemoAccount {
  email: string;
  password: string;
  api_key: string;
}

type App = Needs<'db' | 'config' | 'random' | 'vault'> & {
  carriers: Pick<Carriers, 'isSimulated' | 'sendsToPhones'>;
};

const FACT = 'demo_account';
const EMAIL = 'developer@example.com';
const RECIPIENT = '+14155552671';

/**
 * Creates the demo account if this sandbox has no account yet, and returns it. Returns undefined if any account exists, if real
 * messages are sent, or if other machines can reach the deployment. If several processes start at once, only one creates it.
 */
export async function createDemoAccount(app: App): Promise<DemoAccount | undefined> {
  const { sandbox, isPublic } = app.config;
  if (!sandbox || isPublic || !app.carriers.isSimulated('sms') || (await hasAccounts(app.db)))
    return undefined;
  const password = app.random.bytes(12).toString('base64url');
  const password_hash = await createPasswords().hash(password, {
    room: 'open',
    client: { networks: ['demo'] },
  });
  return app.db.transaction(async (tx) => {
    if (!(await addFact(tx, FACT, ''))) return undefined;
    const account_id = app.random.uuid();
    const account = { email: EMAIL, username: 'developer', password_hash, phone_number: '' };
    if (!(await insertPerson(tx, { ...account, id: account_id, is_phone_proven: false }))) return undefined;
    await foundAccount(tx, app, account_id);
    const { key } = await createKey(app, tx, { account_id, name: 'Demo' });
    const demo = { email: EMAIL, password, api_key: key };
    await setFact(tx, FACT, app.vault.seal(JSON.stringify(demo), FACT).toString('base64'));
    return demo;
  });
}

/** The lines to print for a demo account: sign-in data, and two commands that send and verify a code. */
export function demoLines({ config }: Needs<'config'>, { email, password, api_key }: DemoAccount): string[] {
  const url = config.publicUrl ?? '';
  const call = (path: string) =>
    `curl -s ${apiBase(config)}${path} -H "X-API-Key: ${api_key}" -H "Content-Type: application/json"`;
  const field = (name: string) => `grep -o '"${name}":"[^"]*"' | head -n 1 | cut -d '"' -f 4`;
  const inbox = `curl -s "${url}/sandbox/messages?recipient=${encodeURIComponent(RECIPIENT)}"`;
  return [
    `Demo account: ${email}, password ${password}`,
    `API key:      ${api_key}`,
    '',
    'Send a code, then verify it with the code from the sandbox inbox:',
    '',
    `SENT=$(${call('/otp/send/')} -d '{"channel": "sms", "recipient": "${RECIPIENT}"}'); echo "$SENT"`,
    '',
    `${call('/otp/verify/')} -d "{\\"otp_id\\": \\"$(echo "$SENT" | ${field('otp_id')})\\", \\"code\\": \\"$(${inbox} | ${field('code')})\\"}"; echo`,
  ];
}

/** `npm start -- demo`: prints the demo account again. Returns the exit code. */
export async function demoCommand(
  app: Needs<'db' | 'config' | 'vault'>,
  print: (line: string) => void,
): Promise<number> {
  const stored = await findFact(app.db, FACT);
  if (!stored) {
    print(
      'There is no demo account: only the first start of a sandbox that has no other account creates one.',
    );
    return 1;
  }
  const demo = JSON.parse(app.vault.open(Buffer.from(stored.value, 'base64'), FACT)) as DemoAccount;
  for (const line of demoLines(app, demo)) print(line);
  return 0;
}
