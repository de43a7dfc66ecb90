import {
  CarrierRecord,
  FEEDBACK_PLACEHOLDERS,
  LookupRecord,
  MESSAGE_PLACEHOLDERS,
  type Proof,
} from '@sixdigit/contract/operator/carrier-record.ts';
import type { z } from 'zod';
import { placeholdersOf, textsOf } from './fill.ts';
import { STATES } from './reports.ts';

/** Of a carrier or a look-up. */
interface Field {
  name: string;
  isSecret?: true;
}

type Read<R> = { record: R } | { problems: string[] };

/** Reads the record of a custom carrier. The problems are sentences for the operator. */
export const readRecord = (text: string, fields: readonly Field[]): Read<CarrierRecord> =>
  readText(text, CarrierRecord, (record) => recordProblems(record, fields));

/** Reads the record of a custom look-up. */
export const readLookupRecord = (text: string, fields: readonly Field[]): Read<LookupRecord> =>
  readText(text, LookupRecord, (record) => lookupRecordProblems(record, fields));

function readText<R>(text: string, schema: z.ZodType<R>, problemsOf: (record: R) => string[]): Read<R> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { problems: ['The record is not valid JSON.'] };
  }
  const read = schema.safeParse(given);
  if (!read.success)
    return {
      problems: read.error.issues
        .slice(0, 5)
        .map(({ path, message }) => `${path.join('.') || 'The record'}: ${message.replace(/\.$/, '')}.`),
    };
  const problems = problemsOf(read.data);
  return problems.length > 0 ? { problems } : { record: read.data };
}

const ALLOWED_IN_ADDRESSES = ['to', 'to_digits', 'id', 'provider_id'];
const ALLOWED_IN_HEADERS = ['id', 'reference'];
const OWN_HEADERS = /^(host|content-length|transfer-encoding|connection|upgrade|expect|te|trailer)$/i;
const SECRET_MEMBERS = /^(api_?-?key|auth_?-?token|access_?-?token|token|password|passwd|pwd|secret)$/i;
const SECRET_HEADERS = /auth|api-?key|token|secret|cookie|password/i;

/** What a schema cannot express: placeholders, where secrets may go, and maps of statuses that contradict themselves. */
export function recordProblems(record: CarrierRecord, fields: readonly Field[]): string[] {
  const { send, reports, inbound } = record;
  const placeholders = Object.keys(MESSAGE_PLACEHOLDERS);
  const { problems, used, names } = requestProblems(record, fields, placeholders);
  if (!used.some((name) => ['text', 'code', 'html'].includes(name)))
    problems.push('send.body must contain {text}.');
  if (![...used, ...placeholdersOf(send.url)].some(isNumber)) problems.push('send.body must contain {to}.');

  for (const [where, proof] of [
    ['reports.proof', reports?.proof],
    ['inbound.proof', inbound?.proof],
  ] as const)
    if (proof) problems.push(...proofProblems(where, proof, names));
  if (reports) problems.push(...reportProblems(reports, used));
  problems.push(...feedbackProblems(record, fields));
  const { unsuppress } = record;
  if (unsuppress && ![unsuppress.url, ...textsOf(unsuppress.body)].flatMap(placeholdersOf).includes('to'))
    problems.push('unsuppress.url or unsuppress.body must contain {to}.');
  return [...new Set(problems)].slice(0, 10);
}

function feedbackProblems({ send, feedback }: CarrierRecord, fields: readonly Field[]): string[] {
  if (!feedback) return [];
  const placeholders = Object.keys(FEEDBACK_PLACEHOLDERS);
  const { problems, used } = requestProblems({ send: feedback }, fields, placeholders, {
    part: 'feedback',
    home: send.url,
  });
  if (![...used, ...placeholdersOf(feedback.url)].some((name) => name === 'provider_id' || name === 'id'))
    problems.push('feedback.url or feedback.body must contain {provider_id}.');
  return problems;
}

const HOST = /^(\{api_url\}|https?:\/\/[\w.-]+(?::\d+)?)(?:[/?]|$)/;

/** The placeholders of a look-up besides its fields. */
const NUMBER_PLACEHOLDERS = ['to', 'to_digits', 'to_number'];
const isNumber = (name: string): boolean => NUMBER_PLACEHOLDERS.includes(name);

export function lookupRecordProblems(record: LookupRecord, fields: readonly Field[]): string[] {
  const { problems, used } = requestProblems(record, fields, NUMBER_PLACEHOLDERS);
  if (![...used, ...placeholdersOf(record.send.url)].some(isNumber))
    problems.push('send.url or send.body must contain {to}.');
  return [...new Set(problems)].slice(0, 10);
}

/** Of the address, the headers, the credentials and the body. The credentials go to no other host than `home`'s, the address of sends. */
function requestProblems(
  {
    send,
    check,
    unsuppress,
  }: Partial<Pick<CarrierRecord, 'check' | 'unsuppress'>> & {
    send: CarrierRecord['send'] | LookupRecord['send'];
  },
  fields: readonly Field[],
  placeholders: readonly string[],
  { part, home }: { part: 'send' | 'feedback'; home: string } = { part: 'send', home: send.url },
): { problems: string[]; used: string[]; names: string[] } {
  const names = fields.map(({ name }) => name);
  const secrets = fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  const problems: string[] = [];
  const only = (where: string, template: string, allowed: readonly string[]) => {
    for (const name of placeholdersOf(template))
      if (!allowed.includes(name)) problems.push(`${where} must not contain {${name}}.`);
  };
  const needsSecret = (where: string, template: string) => {
    only(where, template, names);
    if (!placeholdersOf(template).some((name) => secrets.includes(name)))
      problems.push(
        `${where} must be the placeholder of a secret field, so that the secret is stored encrypted.`,
      );
  };

  const open = names.filter((name) => !secrets.includes(name) && name !== 'record');
  for (const [where, url] of [
    [`${part}.url`, send.url],
    ['check.url', check?.url],
    ['unsuppress.url', unsuppress?.url],
  ] as const) {
    if (url === undefined) continue;
    const secret = placeholdersOf(url).find((name) => secrets.includes(name));
    if (secret)
      problems.push(
        `${where} must not contain the secret {${secret}}: addresses are logged. Use auth instead.`,
      );
    else
      only(
        where,
        url,
        where === 'check.url'
          ? open
          : [...open, ...ALLOWED_IN_ADDRESSES.filter((name) => placeholders.includes(name))],
      );
    if (!HOST.test(url))
      problems.push(`${where} must begin with {api_url} or with a host, such as https://api.example.com.`);
    else if (HOST.exec(url)?.[1] !== HOST.exec(home)?.[1])
      problems.push(`${where} must begin as send.url does, because it has the same credentials.`);
  }
  for (const [name, template] of Object.entries(send.headers ?? {})) {
    if (OWN_HEADERS.test(name)) problems.push(`${part}.headers must not set ${name}.`);
    if (SECRET_HEADERS.test(name)) needsSecret(`${part}.headers.${name}`, template);
    else
      only(`${part}.headers.${name}`, template, [
        ...names,
        ...ALLOWED_IN_HEADERS.filter((one) => placeholders.includes(one)),
      ]);
  }
  if (send.auth?.type === 'basic') {
    only('send.auth.username', send.auth.username, names);
    needsSecret('send.auth.password', send.auth.password);
  } else if (send.auth?.type === 'aws4') {
    only('send.auth', `${send.auth.key_id}${send.auth.region}${send.auth.service}`, names);
    needsSecret('send.auth.secret', send.auth.secret);
  } else if (send.auth)
    needsSecret('send.auth', send.auth.type === 'bearer' ? send.auth.token : send.auth.value);

  const body = textsOf(send.body).join('\n');
  only(`${part}.body`, body, [...names, ...placeholders]);
  only('unsuppress.body', textsOf(unsuppress?.body ?? {}).join('\n'), [...open, 'to']);
  for (const [where, one] of [
    [`${part}.body`, send.body],
    ['unsuppress.body', unsuppress?.body],
  ] as const)
    for (const name of literalSecrets(one))
      problems.push(
        `${where}.${name} must be the placeholder of a secret field, so that the secret is stored encrypted.`,
      );
  return { problems, used: placeholdersOf(body), names };
}

/** Members that look like credentials and are not placeholders. The audit log would show them. */
function literalSecrets(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && SECRET_MEMBERS.test(name) && placeholdersOf(value).length === 0
      ? [name]
      : literalSecrets(value),
  );
}

function proofProblems(where: string, proof: Proof, names: readonly string[]): string[] {
  const keys =
    proof.type === 'basic'
      ? `${proof.username}${proof.password}`
      : proof.type === 'jwt'
        ? proof.secret
        : proof.type === 'sns'
          ? proof.topic
          : proof.key;
  const wrong = placeholdersOf(keys).filter((name) => !names.includes(name));
  if (placeholdersOf(keys).length === 0 || wrong.length > 0)
    return [`${where} must take its key from a field, such as {signing_key}.`];
  if (!('over' in proof)) return [];
  const parts = ['body', 'body_sha256', 'url', 'form', 'timestamp', 'nonce'];
  const signed = placeholdersOf(proof.over);
  if (proof.timestamp && !signed.includes('timestamp'))
    return [`${where}.over must contain {timestamp}, or anybody could renew an old report.`];
  const unknown = signed.filter((name) => !parts.includes(name));
  return unknown.map((name) => `${where}.over must not contain {${name}}.`);
}

const CLEARLY_DELIVERED = /^(delivered|read|delivrd|delivered_to_handset)$/i;
const CLEARLY_NOT = /^(undelivered|undeliv|failed|rejected|rejectd|expired|undeliverable)$/i;

function reportProblems(
  { statuses, is_registered, reference, our_id }: NonNullable<CarrierRecord['reports']>,
  used: readonly string[],
): string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const [status, meaning] of Object.entries(statuses)) {
    const other = seen.get(status.toLowerCase());
    if (other !== undefined && other !== meaning)
      problems.push(`reports.statuses has two meanings for ${status}.`);
    seen.set(status.toLowerCase(), meaning);
    // Such a map would return credits for delivered messages, or keep those of lost ones.
    if (
      (STATES[meaning] === 'undelivered' && CLEARLY_DELIVERED.test(status)) ||
      (STATES[meaning] === 'delivered' && CLEARLY_NOT.test(status))
    )
      problems.push(`reports.statuses must not read ${status} as ${meaning}.`);
  }
  if (is_registered && !(reference && used.includes('reference')) && !(our_id && used.includes('id')))
    problems.push('Reports at a registered address must return {reference} or {id} of the request.');
  if (!is_registered && !used.includes('report_url'))
    problems.push('send.body must contain {report_url}, or reports.is_registered must be true.');
  return problems;
}
