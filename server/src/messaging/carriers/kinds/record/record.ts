import type { CarrierRecord } from '@sixdigit/contract/operator/carrier-record.ts';
import {
  CARRIER_KIND_FACTS,
  type CarrierFieldName,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import type { CallbackRequest, FieldValues, Message, RightCode, Signed } from '../../carrier.ts';
import { parseMailbox, type SenderNames } from '../../email-address.ts';
import { refusal, setupFault } from '../../faults.ts';
import {
  type CarrierSetup,
  carrierKind,
  type FieldContext,
  type FieldProblems,
  fieldUrlProblems,
  type Kind,
} from '../../kind.ts';
import { postingCarrier, reportAddress } from '../../post.ts';
import { senderFor, senderProblems, shownSender } from '../../senders.ts';
import { confirmationOf, isOfTopic, isTopic } from '../../sns.ts';
import { androidAppsProblem } from '../whatsapp/android-apps.ts';
import { readRecord } from './check.ts';
import { filled, placeholdersOf, textsOf } from './fill.ts';
import { outcomeOf } from './outcome.ts';
import { coversBody, ed25519Key, hasKey, isProved } from './proof.ts';
import { inboundTextsOf, reportsOf } from './reports.ts';
import { feedbackRequestOf, messageValues, type RecordRequest, requestOf } from './request.ts';
import { unsuppressOf } from './unsuppress.ts';

/** A kind of carrier that is a record: a preset, or one that an operator wrote. */
export const recordKind = (kind: CarrierKind): Kind =>
  carrierKind({
    create: (setup) => createRecordCarrier(kind, setup),
    fieldProblems: (values, context) => problemsOf(kind, values, context),
    callbacks: {
      namesBy: 'reference',
      isSigned: (request, values) => isSigned(kind, request, values),
      readReports(body, values) {
        const reports = recordOf(kind, values)?.reports;
        return reports ? reportsOf(kind, reports, body) : [];
      },
      challenge: (values) => recordOf(kind, values)?.reports?.challenge,
      confirmation: (body, values) => confirmationOf(body, values.topic_arn ?? ''),
      ...(servesInbound(kind) && {
        inbound: {
          read(body: unknown, values: FieldValues) {
            const inbound = recordOf(kind, values)?.inbound;
            return inbound ? inboundTextsOf(inbound, body) : [];
          },
          comesWithReports: (values: FieldValues) =>
            recordOf(kind, values)?.inbound?.comes_with_reports ?? false,
          // Some companies send the body of the response to the sender.
          reply: () => ({ type: 'text/plain; charset=utf-8', body: '' }),
        },
      }),
    },
  });

const presetOf = (kind: CarrierKind): CarrierRecord | undefined => CARRIER_KIND_FACTS[kind].preset?.record;

const servesInbound = (kind: CarrierKind): boolean => {
  const preset = presetOf(kind);
  return preset === undefined || preset.inbound !== undefined;
};

/** The record of a preset, or the one in the fields; undefined if that one is not valid, or if the kind is a program. */
export function recordOf(kind: CarrierKind, values: FieldValues): CarrierRecord | undefined {
  const preset = presetOf(kind);
  if (preset || kind !== 'custom') return preset;
  const text = values.record ?? '';
  if (!readRecords.has(text)) {
    if (readRecords.size >= MOST_READ) readRecords.clear();
    const read = readRecord(text, CARRIER_KIND_FACTS[kind].fields);
    readRecords.set(text, 'record' in read ? read.record : undefined);
  }
  return readRecords.get(text);
}

/** A request that claims to be a report must not cost the reading of a record. */
const readRecords = new Map<string, CarrierRecord | undefined>();
const MOST_READ = 50;

/** The values of the fields, with the defaults of empty ones. */
export const withDefaults = (kind: CarrierKind, values: FieldValues): FieldValues =>
  Object.fromEntries(
    CARRIER_KIND_FACTS[kind].fields.map((field) => [
      field.name,
      values[field.name] || (field.default && filled(field.default, values, encodeURIComponent)),
    ]),
  );

function createRecordCarrier(
  kind: CarrierKind,
  { values, clock, name, channels, reach, brandName, defaultName }: CarrierSetup,
) {
  const { label, serves, fields } = CARRIER_KIND_FACTS[kind];
  const company = { label: kind === 'custom' ? 'The carrier' : label, kind };
  const record = recordOf(kind, values);
  const known = withDefaults(kind, values);
  const secrets = fields.flatMap((field) => (field.isSecret ? (values[field.name] ?? []) : []));
  const carrier = postingCarrier({
    name,
    label: company.label,
    channels: channels ?? serves,
    clock,
    reach,
    // A mail's sender has the account's name.
    senderFor: (message) =>
      message.channel === 'email' ? undefined : shownSender(senderFor(message, known)),
    request: (message) =>
      record &&
      recordRequest(record, known, { message, now: clock.now(), names: { brandName, defaultName } }),
    outcome: (status, text, message, headers) =>
      record
        ? outcomeOf(record, company, { status, text, message, headers })
        : refusal(setupFault(`${company.label} has a record that this version cannot read`)),
    words: (text) => maskedSecrets(text, secrets),
    feedback: values.feedback && record ? feedbackOf(record, company, known, clock) : undefined,
  });
  const unsuppress = unsuppressOf(record, {
    ...{ name, values: known, reach },
    masked: (text) => maskedSecrets(text, secrets),
    now: () => clock.now(),
  });
  return unsuppress ? { ...carrier, unsuppress } : carrier;
}

function feedbackOf(
  record: CarrierRecord,
  company: { label: string; kind: CarrierKind },
  values: FieldValues,
  clock: CarrierSetup['clock'],
) {
  const { feedback } = record;
  const { accept: _, id: __, ...send } = record.send;
  return (
    feedback && {
      needsCode: textsOf(feedback.body).flatMap(placeholdersOf).includes('code'),
      request: (right: RightCode) => feedbackRequestOf(record, values, { right, now: clock.now() }),
      outcome: (status: number, text: string, message: RightCode) =>
        outcomeOf({ send: { ...send, id: feedback.id } }, company, { status, text, message }),
    }
  );
}

/** A company may quote the request, whose headers can contain secrets in base64, such as a password with its user name. */
export function maskedSecrets(text: string, secrets: readonly string[]): string {
  const hasSecret = (shown: string) => secrets.some((secret) => shown.includes(secret));
  const plain = secrets
    .flatMap(spellingsOf)
    .reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  return plain.replace(/(?:[\w+/-]|\\\/){4,}={0,2}/g, (token) =>
    hasSecret(Buffer.from(token.replaceAll('\\/', '/'), 'base64').toString()) ? HIDDEN : token,
  );
}

/** As itself, in JSON, in JSON that escapes slashes, and in an address. */
function spellingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(secret)];
}

const HIDDEN = '•••';

/** The request for a message. A company on the internet gets no private address for reports, because it could refuse the message. */
export function recordRequest(
  record: CarrierRecord,
  values: FieldValues,
  given: { message: Message; now: Date; names: SenderNames },
): RecordRequest | undefined {
  const { message, now } = given;
  const from = senderFor(message, values);
  const filledIn = messageValues(record, { ...values, from }, given);
  const request = requestOf(record, filledIn, now);
  if (!request || typeof filledIn.report_url !== 'string') return request;
  return reportAddress(filledIn.report_url, request.url.origin)
    ? request
    : requestOf(record, { ...filledIn, report_url: undefined }, now);
}

/**
 * With a proof and its key, only proved requests count. Otherwise, the address or each report must contain a secret that only the
 * company knows.
 */
function isSigned(
  kind: CarrierKind,
  request: CallbackRequest,
  values: FieldValues,
): Signed | Promise<Signed> {
  const record = recordOf(kind, values);
  const part = record?.[request.purpose];
  if (!part) return false;
  const isSecret = needsSecret(part);
  if (isSecret && !request.hasAddressKey) return false;
  const { proof } = part;
  if (proof?.type === 'sns')
    return isOfTopic(request.body, { topic: values.topic_arn ?? '', now: request.now, sns: request.sns });
  if (proof && hasKey(proof, values)) {
    if (!isProved(proof, request, values)) return false;
    return coversBody(proof) || 'sender';
  }
  return request.hasAddressKey || 'unproved';
}

const needsSecret = (part: CarrierRecord['reports'] | CarrierRecord['inbound']): boolean =>
  part !== undefined && 'secret_address' in part && part.secret_address === true;

/** Whether an operator registers the address for reports at the company. */
export const registersReports = (kind: CarrierKind, values: FieldValues): boolean =>
  recordOf(kind, values)?.reports?.is_registered ?? false;

/** Whether the address for reports or texts needs a secret, because nothing else proves them. */
export function needsAddressKey(
  kind: CarrierKind,
  values: FieldValues,
  purpose: CallbackRequest['purpose'],
): boolean {
  const part = recordOf(kind, values)?.[purpose];
  return part !== undefined && (needsSecret(part) || !(part.proof && hasKey(part.proof, values)));
}

function problemsOf(kind: CarrierKind, values: FieldValues, context: FieldContext): FieldProblems {
  const { fields } = CARRIER_KIND_FACTS[kind];
  const problems: FieldProblems = fieldUrlProblems('api_url', values.api_url, context);
  for (const { name } of fields) {
    // Values become parts of headers and addresses.
    const value = values[name];
    if (name === 'from' && isMail(kind)) {
      if (value && !parseMailbox(value))
        problems.from = 'Enter an email address, alone or as Acme <no-reply@example.com>.';
    } else if (name !== 'record' && value && !/^[\x20-\x7e]*$/.test(value))
      problems[name] = 'Use letters, digits and signs of ASCII only.';
  }
  if (values.topic_arn && !isTopic(values.topic_arn))
    problems.topic_arn ??=
      'Copy the ARN of the topic again, such as arn:aws:sns:eu-central-1:123456789012:otp-mail.';
  for (const [name, wrong] of Object.entries(senderProblems(kind, values)))
    problems[name as 'from' | 'senders'] ??= wrong;
  const wrongApps = androidAppsProblem(values.android_apps);
  if (wrongApps) problems.android_apps ??= wrongApps;
  const read = presetOf(kind) ? undefined : readRecord(values.record ?? '', fields);
  if (read && 'problems' in read) return { ...problems, record: read.problems.join(' ') };
  const record = read?.record ?? presetOf(kind);
  if (!record) return problems;
  const missing = missingField(record, withDefaults(kind, values));
  if (missing) problems[missing] ??= 'The record uses this field.';
  if (values.feedback && !record.feedback) problems.feedback ??= 'The record describes no feedback.';
  const { proof } = record.reports ?? {};
  if (proof?.type === 'ed25519' && hasKey(proof, values) && !ed25519Key(values.signing_key ?? ''))
    problems.signing_key ??= 'Copy the key again. It is 32 bytes in base64.';
  if (!presetOf(kind) && !problems.record) {
    const url = /^https?:/.test(record.send.url) ? record.send.url.replace(/\{\w+\}/g, 'x') : undefined;
    const { api_url: problem } = fieldUrlProblems('api_url', url, context);
    if (problem) problems.record = `send.url: ${problem}`;
  }
  return problems;
}

const isMail = (kind: CarrierKind): boolean => CARRIER_KIND_FACTS[kind].serves[0] === 'email';

/** A field that the address or the credentials need and that is empty. */
function missingField(record: CarrierRecord, values: FieldValues): CarrierFieldName | undefined {
  const { url, auth } = record.send;
  const about = values.feedback ? record.feedback?.url : undefined;
  const text = JSON.stringify([
    url,
    auth ?? null,
    record.check?.url ?? null,
    record.unsuppress?.url ?? null,
    about ?? null,
  ]);
  const names = [...text.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name as CarrierFieldName);
  return names.find((name) => name in values && !values[name]);
}
