import type { Route } from '@sixdigit/contract/route.ts';
import fc from 'fast-check';
import { z } from 'zod';
import { type Owner, TEST_CARD } from './belongings.ts';
import { hostile, hostileText } from './hostile.ts';

/** Requests with hostile parts: valid ones with parts replaced, so that they pass the first check. */

/** A valid value for every field of every body. */
export const validFields = (alice: Owner, endpoint: string): Record<string, unknown> => ({
  allowed_networks: ['0.0.0.0/0', '::/0'],
  account_id: alice.account_id,
  login_hint: 'ann@example.com',
  session_hours: 24,
  shared_redirect: false,
  seed: 7,
  to_account_id: alice.account_id,
  rule: 'prefix_velocity',
  thresholds: { limit: 5 },
  allow: [{ kind: 'number', value: '+14155550101' }],
  api_key: alice.api_key_id,
  authentication: 'completed',
  auto_purchase_amount: 500,
  auto_purchase_enabled: true,
  auto_purchase_threshold: 50,
  card: TEST_CARD,
  channel: 'sms',
  channels: ['sms', 'voice'],
  wait_seconds: 60,
  default: { channels: ['sms'], wait_seconds: 60 },
  countries: [{ country: 'DE', channels: ['sms'], wait_seconds: 60 }],
  client_id: 'sixdigit',
  client_ip: '203.0.113.7',
  client_secret: alice.client_secret,
  code: '123456',
  confirm_password: alice.password,
  credential: {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON: 'e30', attestationObject: 'oA', authenticatorData: 'AA', signature: 'AA' },
    clientExtensionResults: {},
  },
  credits: 100,
  current_password: alice.password,
  daily_credit_limit: 1_000_000,
  domain: 'shop.example.com',
  default_expiry_seconds: 300,
  default_message: 'Code: {code}',
  default_otp_length: 6,
  default_role: 'viewer',
  default_subject: 'Your code',
  deny: [{ kind: 'address', value: '203.0.113.0/24' }],
  email: alice.email,
  exempt_person_id: null,
  expires_at: '2030-01-31T12:00:00Z',
  expires_in: 300,
  first_name: 'Zoe',
  invitation: 'i'.repeat(43),
  iss: 'https://id.example.com',
  issuer: 'https://id.example.com',
  is_active: true,
  keep_current: true,
  kind: 'prefix',
  link_token: 'l'.repeat(43),
  last_name: 'Zett',
  list: 'deny',
  login_token: 'b'.repeat(43),
  low_balance_threshold: 10,
  default_language: 'de',
  language_by_country: true,
  locale: 'pt-BR',
  app_hash: 'FA+9qCX9VSu',
  metadata: { order: '4711' },
  template: 'welcome',
  variables: { order: '4711' },
  texts: [{ channel: 'sms', locale: 'en', text: 'Code: {code}', subject: null }],
  dlt: { entity_id: '1701158019630577568', template_id: '1107158091234567890' },
  text: 'Code: {code}',
  limits: { 'signup-ip': '203.0.113.7' },
  proof: 'e30=',
  require_proof: 'never',
  max_sends: 5,
  period_seconds: 60,
  code_length: 8,
  max_attempts: 3,
  purpose: 'login',
  live_keys_need_admin: true,
  message: 'Your code: {code}',
  mode: 'live',
  monthly_credit_limit: 1_000_000,
  name: 'A name',
  note: 'A note',
  otp_id: alice.open_otp_id,
  password: alice.password,
  payment_intent_id: alice.payment_intent_id,
  payment_method_id: alice.payment_method_id,
  phone_number: '4155550199',
  price_usd_cents: 200,
  reason: 'manual',
  recipient: '+14155550100',
  recipients: [{ recipient: '+14155550100', verified_at: '2026-01-31T12:00:00Z' }],
  known_days: 90,
  lookups: { from_credits: 1 },
  recovery_code: '0123-4567-89AB-CDEF',
  method: 'authenticator',
  provider_error: 'access_denied',
  refresh: alice.refresh,
  reply_to_email: 'zoe@people.test',
  role: 'viewer',
  required: false,
  rules: { prefix_velocity: { mode: 'monitor', limit: 40 } },
  save_payment_method: true,
  scopes: ['otp:send', 'otp:verify', 'otp:read'],
  secret: 'a secret of mine',
  send_on_delivered: true,
  send_on_expired: true,
  send_on_step: false,
  send_on_failed: true,
  send_on_sent: true,
  send_on_verified: true,
  sender_name: 'Zoe’s shop',
  since: '2026-01-31T12:00:00Z',
  service_notices: true,
  session_token: 's'.repeat(43),
  token: 't'.repeat(43),
  state: 's'.repeat(43),
  subject: 'Your code',
  time_zone: 'Europe/Paris',
  two_factor_enabled: true,
  two_factor_method: 'email',
  url: endpoint,
  verified: true,
  valid_days: 7,
  valid_hours: 24,
  system: 'webhook',
  code_expires_in: 600,
  language: 'de',
  code_pattern: 'PIN: {code}',
  value: '+1415555',
});

/** A valid value for a path parameter. */
export const validParam = (alice: Owner, { path }: Route, name: string): string => {
  if (name === 'otp_id') return alice.open_otp_id;
  if (name === 'message_id') return alice.message_id;
  if (name === 'attempt_id') return alice.attempt_id;
  if (name === 'person_id') return alice.account_id;
  const [noun = ''] = path.split('/:id')[0]?.split('/').slice(-1) ?? [];
  const ids: Record<string, string> = {
    verifications: alice.verified_otp_id,
    passkeys: alice.session_id,
    'message-domains': alice.session_id,
    sessions: alice.session_id,
    'api-keys': alice.api_key_id,
    webhooks: alice.webhook_id,
    connections: alice.connection_id,
    limits: alice.limit_id,
    templates: alice.template_id,
    suppressed: alice.suppression_id,
    methods: alice.payment_method_id,
    history: alice.purchase_id,
    invitations: alice.session_id,
  };
  const id = ids[noun];
  if (!id) throw new Error(`Alice owns nothing for ${path}`);
  return id;
};

const SURPRISES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'id', 'account_id'];

const fields = new Map<z.ZodType, string[]>();

/** The fields of each schema are read often, and conversions are slow. */
export function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (!schema) return [];
  const known = fields.get(schema);
  if (known) return known;
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const found = Object.keys(properties);
  fields.set(schema, found);
  return found;
}

const quoted = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** JSON text with valid, hostile, missing, duplicate and undocumented fields. */
export function bodyText(route: Route, good: Record<string, unknown>): fc.Arbitrary<string> {
  const fields = fieldsOf(route.body);
  const changed = (name: string): fc.Arbitrary<[string, unknown][]> =>
    fc.oneof(
      { weight: 8, arbitrary: hostile.map((value): [string, unknown][] => [[name, value]]) },
      { weight: 1, arbitrary: fc.constant<[string, unknown][]>([]) },
      {
        weight: 1,
        arbitrary: hostile.map((value): [string, unknown][] => [
          [name, good[name]],
          [name, value],
        ]),
      },
    );
  const surprise = fc.option(fc.tuple(fc.constantFrom(...SURPRISES), hostile), { freq: 3, nil: undefined });
  const some = fc.oneof(
    { weight: 5, arbitrary: fc.subarray(fields, { maxLength: Math.min(1, fields.length) }) },
    { weight: 1, arbitrary: fc.subarray(fields) },
  );
  const object = some
    .chain((names) =>
      fc.tuple(
        fc.tuple(
          ...fields.map(
            (name): fc.Arbitrary<[string, unknown][]> =>
              names.includes(name) ? changed(name) : fc.constant([[name, good[name]]]),
          ),
        ),
        surprise,
      ),
    )
    .map(([all, extra]) => [...all.flat(), ...(extra ? [extra] : [])])
    .map((pairs) => `{${pairs.map(([name, value]) => `${quoted(name)}:${quoted(value)}`).join(',')}}`);
  return fc.oneof(
    { weight: 12, arbitrary: object },
    { weight: 1, arbitrary: hostile.map(quoted) },
    { weight: 1, arbitrary: object.map((text) => text.slice(0, -1)) },
    { weight: 1, arbitrary: object.map((text) => `${text}${text}`) },
    { weight: 1, arbitrary: hostileText },
    {
      weight: 1,
      arbitrary: fc.constantFrom('[', '{"a":', 'null', '""', '{}', '{"__proto__":{"x":1}}', '\ufeff{}'),
    },
  );
}

export const queryText = (route: Route): fc.Arbitrary<string> => {
  const names = ['page', 'page_size', 'search', 'ordering', ...fieldsOf(route.query), 'page[]', '__proto__'];
  const value = fc.oneof(
    fc.constantFrom('1', '-1', '0', '100', '101', '1e9', ' 1', '1.5', '', 'created_at', '-created_at', 'all'),
    hostileText,
  );
  const encoded = value.map((text) => encodeURIComponent(text.toWellFormed()));
  const raw = fc.constantFrom('%', '%zz', '%ff%fe', '%00', '%c3%28', '+', '%F0%9F%92%A9', '=', '&&');
  const pair = fc
    .tuple(fc.constantFrom(...names), fc.oneof({ weight: 5, arbitrary: encoded }, raw))
    .map(([name, text]) => `${name}=${text}`);
  return fc.array(pair, { maxLength: 4 }).map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''));
};

export const pathText = (alice: Owner, route: Route): fc.Arbitrary<string> => {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const value: fc.Arbitrary<string | undefined> = fc
    .oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 3, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed())) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('%', '%zz', '%00', '%ff', '...', '%2e%2ex', '%2f', '-', '*', ':id'),
      },
      { weight: 1, arbitrary: fc.uuid() },
    )
    // The client resolves dot segments, so the request would go to another route.
    .filter((text) => !text || !/^(\.|%2e){1,2}$/i.test(text));
  return fc
    .tuple(...names.map(() => value))
    .map((values) =>
      names.reduce(
        (path, name, n) => path.replace(`:${name}`, () => values[n] ?? validParam(alice, route, name)),
        route.path as string,
      ),
    );
};

const CONTENT_TYPES = [
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json/json',
  ';',
  'x',
];
export const contentType = fc.oneof(
  { weight: 9, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
);
export const idempotencyKey = fc.option(
  fc.constantFrom('k', 'a b', '\u00e9', 'x'.repeat(255), 'x'.repeat(256), '', ' ', '"'),
  { freq: 4, nil: undefined },
);
