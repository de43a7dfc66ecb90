import type { Channel } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  type CarrierKind,
  type CarrierPreview,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { apiBase, type Config } from '../../../../platform/config.ts';
import { fieldsOf } from '../../../../platform/http/body.ts';
import type { FieldValues, Message } from '../../carrier.ts';
import { reportAddress } from '../../post.ts';
import { readRecord } from './check.ts';
import { recordOf, recordRequest, withDefaults } from './record.ts';
import { reportsOf } from './reports.ts';
import { feedbackRequestOf, type RecordRequest } from './request.ts';

interface Previewed {
  config: Config;
  now: Date;
  /** without secrets */
  values: FieldValues;
  /** the body of a report */
  sample: string | undefined;
}

/** What a record makes of an example message and of a sample report. Nothing is sent, and no secret is needed. */
export function previewOf(kind: CarrierKind, { config, now, values, sample }: Previewed): CarrierPreview {
  const { fields, preset } = CARRIER_KIND_FACTS[kind];
  const read = preset || kind !== 'custom' ? undefined : readRecord(values.record ?? '', fields);
  const problems = read && 'problems' in read ? read.problems : [];
  const record = problems.length > 0 || (!preset && kind !== 'custom') ? undefined : recordOf(kind, values);
  if (!record)
    return { request: null, feedback: null, problems, warning: null, reports: null, sample_problem: null };
  const known = withDefaults(kind, values);
  // The names of secrets, and of fields that a custom record may need, stand for their values.
  const named = Object.fromEntries(
    fields.map(({ name, isSecret, isOptional }) => [
      name,
      !isSecret && (known[name] || (isOptional && preset)) ? known[name] : `{${name}}`,
    ]),
  );
  named.feedback = known.feedback;
  if (!preset) named.api_url = known.api_url || 'https://api.example.com';
  const channel = fieldsChannel(kind);
  const message = exampleOf(config, now, channel);
  const request = recordRequest(record, named, {
    message,
    now,
    names: { brandName: config.brandName },
  });
  const { auth } = record.send;
  const right = { ...message, provider_message_id: 'the-id-of-the-message' };
  const feedback = known.feedback ? feedbackRequestOf(record, named, { right, now }) : undefined;
  for (const one of [request, feedback])
    if (one && auth?.type === 'basic')
      one.headers.authorization = `Basic base64(${auth.username.replace(/\{(\w+)\}/g, (all, name: string) => named[name as keyof typeof named] ?? all)}:${auth.password})`;
  const parsed = sample?.trim() ? bodyOf(sample.trim()) : undefined;
  return {
    request: shown(request),
    feedback: shown(feedback),
    problems: request ? [] : ['The request lacks a value. Fill in every field that it names.'],
    warning:
      request && record.reports && !reportAddress(apiBase(config), request.url.origin)
        ? 'The company cannot report deliveries, because PUBLIC_URL (or API_URL) is not a public address.'
        : null,
    reports:
      parsed && record.reports
        ? reportsOf(kind, record.reports, parsed.body).map(({ reference, ...report }) => ({
            provider_message_id: report.provider_message_id,
            otp_id: report.otp_id,
            has_reference: reference !== null,
            status: report.status ?? null,
            state: report.state,
            reason: report.reason,
            price: report.price ?? null,
            network: report.network ?? null,
          }))
        : null,
    sample_problem: sample?.trim() && !record.reports ? 'The record describes no reports.' : null,
  };
}

const shown = (request: RecordRequest | undefined) =>
  request ? { ...request, url: request.url.href.replace(/%7B(\w+)%7D/gi, '{$1}') } : null;

/** Companies send reports as JSON or as forms. */
function bodyOf(text: string): { body: unknown } {
  try {
    return { body: JSON.parse(text) };
  } catch {
    return { body: fieldsOf(text) };
  }
}

const fieldsChannel = (kind: CarrierKind): Channel =>
  CARRIER_KIND_FACTS[kind].serves[0] === 'email' ? 'email' : 'sms';

const exampleOf = (config: Config, now: Date, channel: Channel): Message => ({
  id: '01a1fc70-fdee-736c-b69f-fcfa3db1c769',
  channel,
  recipient: channel === 'email' ? 'someone@example.com' : '+14155552671',
  text: 'Your verification code is: 123456',
  code: '123456',
  ...(channel === 'email' && { subject: 'Your verification code', html: '<p>123456</p>' }),
  sender_name: config.brandName,
  expires_at: new Date(now.getTime() + 300_000),
  status_url: `${apiBase(config)}/carriers/name/status/`,
  reference: 'a-reference-that-only-this-company-gets',
});
