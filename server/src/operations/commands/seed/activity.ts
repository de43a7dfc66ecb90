import type { AuditAction, AuditActor } from '@sixdigit/contract/audit.ts';
import type { Needs } from '../../../platform/platform.ts';
import type { SeedConnection } from './connections.ts';
import { bytea, idAt } from './history.ts';
import { BOUGHT, CHARGE_MS, GIFT } from './purchases.ts';
import { OLD_APP_DAYS } from './sends.ts';
import { EXPIRY_SECONDS } from './story.ts';

/** The demo account's audit log, in the form in which the service writes it, and the sessions that are still open. */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SESSION_DAYS = 30;

export interface Device {
  ip_address: string;
  user_agent: string;
}
export const LAPTOP: Device = {
  ip_address: '203.0.113.7',
  user_agent:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};
const PHONE: Device = {
  ip_address: '198.51.100.23',
  user_agent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
};
const DESKTOP: Device = {
  ip_address: '192.0.2.41',
  user_agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
};
const STRANGER: Device = {
  ip_address: '198.51.100.200',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

/** The days since each sign-in. Of its sessions, two are open and the others were ended by signing out. */
const SIGN_INS: readonly [days: number, device: Device, isOpen?: true][] = [
  [40.2, LAPTOP],
  [36.3, DESKTOP],
  [33.1, PHONE],
  [30.25, LAPTOP],
  [24.6, DESKTOP],
  [18.4, LAPTOP],
  [12.45, LAPTOP],
  [9.35, LAPTOP],
  [5.2, PHONE, true],
  [1.05, LAPTOP, true],
];

interface Entry {
  at: Date;
  action: AuditAction;
  actor?: AuditActor;
  device?: Device;
  subject?: string;
  before?: object;
  after?: object;
  count?: number;
}

interface Account {
  account_id: string;
  since: Date;
  keys: readonly { name: string; mode: string; created_at: Date }[];
  connections: readonly SeedConnection[];
  endpoints: readonly ({ name: string; url: string; created_at: Date; last_sent_at: Date } & Record<
    string,
    unknown
  >)[];
  /** the verification that an operator looked at */
  revealed: { id: string; at: Date };
  /** the balance before and after an operator's gift */
  gift: { before: object; after: object };
}

export function activityOf(app: Needs<'clock' | 'random'>, account: Account) {
  const { account_id } = account;
  const now = app.clock.now().getTime();
  return {
    audit_entries: [...entriesOf(account, now)]
      .sort((one, other) => one.at.getTime() - other.at.getTime())
      .map(({ at, action, actor = 'owner', device, subject = '', before, after, count = 1 }) => ({
        id: idAt(at),
        account_id,
        person_id: device ? account_id : null,
        created_at: at,
        actor,
        action,
        subject,
        before: before ?? null,
        after: after ?? null,
        ip_address: device?.ip_address ?? null,
        user_agent: device?.user_agent ?? null,
        count,
      })),
    sessions: SIGN_INS.filter(([, , isOpen]) => isOpen).map(([days, device]) => {
      const at = new Date(now - days * DAY_MS);
      const used = new Date(now - 0.04 * days * DAY_MS);
      return {
        id: idAt(at),
        person_id: account_id,
        refresh_hash: bytea(app.random.bytes(32)),
        created_at: at,
        proven_at: at,
        last_used_at: used,
        expires_at: new Date(used.getTime() + SESSION_DAYS * DAY_MS),
        ...device,
      };
    }),
  };
}

function* entriesOf(
  { since, keys, connections, endpoints, revealed, gift }: Account,
  now: number,
): Generator<Entry> {
  const ago = (days: number) => new Date(now - days * DAY_MS);
  const later = (at: Date, ms: number) => new Date(at.getTime() + ms);
  yield { at: since, action: 'account.create', device: LAPTOP };
  yield { at: later(since, 1), action: 'sign_in.succeed', device: LAPTOP };
  yield {
    at: later(since, 6 * MINUTE_MS),
    action: 'profile.change',
    device: LAPTOP,
    before: { first_name: '', last_name: '' },
    after: { first_name: 'Dana', last_name: 'Morgan' },
  };
  yield {
    at: later(since, 9 * MINUTE_MS),
    action: 'settings.change',
    device: LAPTOP,
    before: { sender_name: '', default_expiry_seconds: 300 },
    after: { sender_name: 'Acme', default_expiry_seconds: EXPIRY_SECONDS },
  };
  for (const { name, mode, created_at } of keys)
    yield {
      at: created_at,
      action: 'api_key.create',
      device: LAPTOP,
      subject: name,
      after: keyValues(name, mode),
    };
  for (const { name, mode } of keys.filter((key) => key.name === 'Old mobile app'))
    yield {
      at: ago(OLD_APP_DAYS),
      action: 'api_key.delete',
      device: LAPTOP,
      subject: name,
      before: keyValues(name, mode),
    };
  for (const { name, system, created_at } of connections)
    yield {
      at: created_at,
      action: 'connection.create',
      device: LAPTOP,
      subject: name,
      after: {
        name,
        system,
        mode: 'live',
        message: null,
        language: null,
        code_pattern: null,
        code_expires_in: null,
        expires_at: null,
        allowed_networks: [],
        daily_credit_limit: null,
      },
    };
  for (const endpoint of endpoints) yield* entriesOfEndpoint(endpoint);
  for (const bought of BOUGHT) yield* entriesOfPurchase(bought, ago(bought.days));
  for (const [days, device, isOpen] of SIGN_INS) {
    yield { at: ago(days), action: 'sign_in.succeed', device };
    if (!isOpen) yield { at: ago(days - 0.2), action: 'session.end', device, subject: 'Signed out' };
  }
  yield {
    at: ago(17.3),
    action: 'sign_in.fail',
    actor: 'unknown',
    device: STRANGER,
    subject: 'Wrong password',
    count: 4,
  };
  yield {
    at: revealed.at,
    action: 'account.reveal',
    actor: 'operator',
    subject: `Verification ${revealed.id}`,
  };
  yield {
    at: ago(GIFT.days),
    action: 'credits.adjust',
    actor: 'operator',
    subject: `+${GIFT.credits} credits`,
    ...gift,
  };
}

const keyValues = (name: string, mode: string) => ({
  name,
  mode,
  scopes: ['otp:send', 'otp:verify', 'otp:read'],
  expires_at: null,
  allowed_networks: null,
  daily_credit_limit: null,
  note: '',
});

function* entriesOfEndpoint({
  name,
  url,
  created_at,
  last_sent_at,
  is_active,
  disabled_reason,
  ...endpoint
}: Account['endpoints'][number]): Generator<Entry> {
  const events = Object.entries(endpoint).filter(([field]) => field.startsWith('send_on_'));
  const after = { name, url: `${new URL(url).origin}/…`, is_active: true, ...Object.fromEntries(events) };
  yield { at: created_at, action: 'webhook.create', device: LAPTOP, subject: name, after };
  if (!is_active)
    yield {
      at: last_sent_at,
      action: 'webhook.disable',
      actor: 'system',
      subject: name,
      after: { reason: disabled_reason },
    };
}

function* entriesOfPurchase(bought: (typeof BOUGHT)[number], at: Date): Generator<Entry> {
  const { credits, cents, status } = bought;
  const subject = `Credit bundle: ${credits} credits`;
  const price = `$${(cents / 100).toFixed(2)}`;
  const charged = new Date(at.getTime() + CHARGE_MS);
  const card = 'Visa ending in 4242';
  yield {
    at,
    action: 'purchase.start',
    device: LAPTOP,
    subject,
    after: { credits, price, with_saved_card: false },
  };
  if (status === 'failed')
    yield { at: charged, action: 'purchase.fail', subject, after: { price, reason: bought.failure } };
  if (status !== 'succeeded') return;
  yield { at: charged, action: 'purchase.complete', subject, after: { credits, price, card } };
  yield { at: new Date(charged.getTime() + 1), action: 'card.save', subject: card };
}
