/**
 * The database function calls of the previous version. During a rolling restart its processes use the functions of this
 * version, so these calls must work until the next release. schema.test.ts makes them in this order. Each release updates this
 * file to the calls of the released version.
 */
export interface PreviousCall {
  /** A parameter written as `$name` is passed as JSON text. */
  call: string;
  parameters?: Record<string, unknown>;
  /** The columns that the previous version reads. */
  columns: readonly string[];
}

export const PREVIOUS_VERSION = '0.1.0';

const account_id = '01920000-0000-7000-8000-00000000000a';
const api_key_id = '01920000-0000-7000-8000-00000000000b';
const id = '01920000-0000-7000-8000-00000000000c';
const claim = '01920000-0000-7000-8000-00000000000d';
const worker = '01920000-0000-7000-8000-00000000000e';
const recipient = '+14155550100';
const endpoint = '/api/v1/otp/send/';
const hash = '\\x0a0b';
const soon = '2090-01-01T00:00:00.000Z';
const before = '2024-09-20T00:00:00.000Z';

/** The rows that the calls expect. */
export const PEOPLE = `
  insert into accounts (id, email, username) values ('${account_id}', 'alice@example.com', 'alice');
  insert into balances (account_id, credits) values ('${account_id}', 10);
  insert into api_keys (id, account_id, name, prefix, hash, created_at)
    values ('${api_key_id}', '${account_id}', 'Default', 'sd_live_0000', '${hash}', clock_now());`;

const send = {
  account_id,
  id,
  api_key_id,
  channel: 'sms',
  recipient,
  country: 'US',
  recipient_hash: '0c0d',
  message: 'Your code: {code}',
  subject: null,
  segments: 1,
  cost_credits: 1,
  code_length: 6,
  code_hmac: '\\x01',
  code_sealed: '\\x02',
  at: before,
  expires_at: soon,
  log_id: '01920000-0000-7000-8000-000000000010',
  limits_key: false,
  ip_address: '192.0.2.1',
  client_ip: null,
  ms: 2,
};

const openRecipient = {
  account_id,
  recipient,
  code_hmac: '\\x01',
  code_sealed: '\\x02',
  code_length: 6,
  code_first_sent_at: before,
  code_until: soon,
  open_until: soon,
  open_ids: [id],
  tries_used: 0,
  sends: [1726790400000],
};

const stored = {
  account_id,
  endpoint,
  key: '\\x03',
  request: '\\x04',
  status: 201,
  response: { otp_id: id },
};

const verified = {
  account_id,
  id,
  allowed: ['pending', 'sent'],
  to: 'verified',
  event: 'verified',
  ip: '192.0.2.1',
  wipe: true,
  dequeue: true,
  verified: true,
};

export const previousCalls: readonly PreviousCall[] = [
  {
    call: `select * from admit_accounts('{${account_id}}')`,
    columns: ['account_id', 'asked', 'used'],
  },
  {
    call: `select * from admit_requests(array['${hash}'::bytea], '{1}', '{null}')`,
    columns: ['hash', 'asked', 'used', 'version', 'caller'],
  },
  {
    call: 'select lock_sends($items, true, true) as found',
    parameters: {
      items: [
        {
          account_id,
          recipient,
          recipient_hash: '0c0d',
          opt_out: ['\\x05'],
          idempotency_key: '\\x03',
          endpoint,
          id,
        },
      ],
    },
    columns: ['found'],
  },
  {
    call: 'select write_sends($sends, $recipients, $answers)',
    parameters: { sends: [send], recipients: [openRecipient], answers: [stored] },
    columns: ['write_sends'],
  },
  {
    call: `select * from claim_deliveries('${worker}', '${claim}', $wanted::jsonb)`,
    parameters: { wanted: [{ channel: 'sms', most: 10, carriers: ['twilio'] }] },
    columns: [
      ...[
        'id',
        'account_id',
        'channel',
        'sealed',
        'expires_at',
        'claim',
        'carrier',
        'refused_by',
        'uncertain',
      ],
      ...[
        'tries',
        'recipient',
        'status',
        'cost_credits',
        'message',
        'subject',
        'sender_name',
        'reply_to_email',
      ],
      ...['default_message', 'default_subject', 'seconds', 'now_ms'],
    ],
  },
  {
    call: 'select finish_deliveries($claims, $changes) as ended',
    parameters: {
      claims: [{ id, claim }],
      changes: [
        {
          account_id,
          id,
          allowed: ['pending'],
          to: 'sent',
          sent: true,
          event: 'sent',
          carrier: 'twilio',
          provider_message_id: 'SM1',
          note: 'Accepted by twilio',
          usual_dispatch: true,
        },
      ],
    },
    columns: ['ended'],
  },
  {
    call: 'select lock_verifies($items, true) as found',
    parameters: { items: [{ account_id, otp_id: id, idempotency_key: '\\x06', endpoint }] },
    columns: ['found'],
  },
  {
    call: 'select write_verifies($recipients, $changes, $answers, $logs)',
    parameters: {
      recipients: [{ account_id, recipient, tries_used: 1, open_ids: [], wrong_tries: [] }],
      changes: [verified],
      answers: [{ ...stored, key: '\\x06', status: 200 }],
      logs: [
        {
          account_id,
          id: '01920000-0000-7000-8000-000000000011',
          api_key_id,
          status: 200,
          ms: 1,
          channel: 'sms',
          recipient,
          otp_id: id,
          ip_address: '192.0.2.1',
          reason: null,
        },
      ],
    },
    columns: ['write_verifies'],
  },
  { call: `select lock_verifications('{${id}}')`, columns: ['lock_verifications'] },
  {
    call: 'select * from apply_changes($changes)',
    parameters: { changes: [{ account_id, id, allowed: ['verified'], note: 'Delivered', delivered: true }] },
    columns: ['id', 'previous_status', 'status', 'refunded'],
  },
  { call: 'select end_expired(100) as swept, wipe_codes(100) as wiped', columns: ['swept', 'wiped'] },
  {
    call: `select *, '${claim}'::uuid as claim from claim_webhook_deliveries('${worker}', '${claim}', 10, 4)`,
    columns: [
      ...['id', 'endpoint_id', 'account_id', 'tries', 'tries_before_replay', 'type', 'otp_id', 'body', 'url'],
      ...['secret', 'previous_secret', 'claim'],
    ],
  },
  {
    call: 'select name, is_silent, wait_seconds from claim_own_sms($claims)',
    parameters: { claims: [{ rank: 1, name: 'account', key: '0a', most: 5, seconds: 60, is_silent: false }] },
    columns: ['name', 'is_silent', 'wait_seconds'],
  },
  { call: `select ensure_partitions('2024-10-01'::date, 1)`, columns: ['ensure_partitions'] },
  {
    call: 'select clock_now() as now, uuid_floor(clock_now()) as floor, new_uuid() as id, start_of(day_of(new_uuid())) as day',
    columns: ['now', 'floor', 'id', 'day'],
  },
];

/** The statement with numbered parameters, and their values. */
export function statementOf({ call, parameters = {} }: PreviousCall): [string, string[]] {
  const values: string[] = [];
  const text = call.replaceAll(
    /\$([a-z]+)/g,
    (_, name: string) => `$${values.push(JSON.stringify(parameters[name]))}`,
  );
  return [text, values];
}
