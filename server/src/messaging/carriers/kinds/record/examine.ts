import { CARRIER_KIND_FACTS, type CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import { type Finding, ok, problem, warning } from '../../../../platform/finding.ts';
import type { FieldValues } from '../../carrier.ts';
import { createPoster, type Reach, withoutAnswer } from '../../post.ts';
import { examineWhatsapp, prepareWhatsapp } from '../whatsapp/account.ts';
import { filledUrl, type Values } from './fill.ts';
import { recordOf, withDefaults } from './record.ts';
import { checkRequestOf, type RecordParts, type RecordRequest } from './request.ts';

/** Makes at the company what a carrier needs before it can send. Undefined if its kind needs nothing. */
export const prepareStored = async ({ name, kind, values, reach }: Checked): Promise<Finding | undefined> =>
  kind === 'whatsapp' ? prepareWhatsapp({ name, values: withDefaults(kind, values), reach }) : undefined;

const ABOUT = 'carriers';
const TIMEOUT_MS = 8_000;

export interface Checked {
  name: string;
  kind: CarrierKind;
  values: FieldValues;
  reach: Reach;
  now: Date;
  /** Name servers for looking up the records of a sender's domain; those of the system if empty. */
  dnsServers: readonly string[];
}

/** Checks the credentials of a carrier that is a record, without a message. Undefined if its kind is a program. */
export async function checkRecord({ name, kind, values, reach, now }: Checked): Promise<Finding | undefined> {
  const isRecord = kind === 'custom' || CARRIER_KIND_FACTS[kind].preset;
  if (!isRecord) return undefined;
  const record = recordOf(kind, values);
  if (!record)
    return problem(
      ABOUT,
      `The record of ${name} cannot be read by this version.`,
      'Edit the carrier in the console.',
    );
  const known = withDefaults(kind, values);
  if (kind === 'whatsapp') return examineWhatsapp({ name, values: known, reach });
  return checkCompany({
    about: ABOUT,
    name,
    record,
    values: { ...known, to: '1', to_digits: '1', id: '1' },
    reach,
    now,
    test: 'Send a test message',
    otherwise: 'Messages would wait for a retry.',
    missing: 'a message stream or a configuration set',
  });
}

interface CheckedCompany extends Pick<Checked, 'name' | 'reach' | 'now'> {
  about: string;
  record: RecordParts;
  values: Values;
  /** What an operator does to be sure. */
  test: string;
  /** What happens while the company fails. */
  otherwise: string;
  /** What the fields name that HTTP 404 says is missing, and without which messages are refused or not reported. */
  missing?: string;
}

/** Makes the record's request without effect, or else one that only shows whether the company responds. */
export async function checkCompany({
  about,
  name,
  record,
  values,
  reach,
  now,
  ...texts
}: CheckedCompany): Promise<Finding> {
  const request = checkRequestOf(record, values, now);
  const url = filledUrl(record.send.url, values);
  const sent = request ?? (url && connection(url));
  if (!sent)
    return problem(about, `${name} is not set up completely.`, `Edit it in the console, at ${PLACE}.`);
  const poster = createPoster(reach);
  try {
    const answer = await poster.post({ ...sent, timeoutMs: TIMEOUT_MS });
    if (answer.kind !== 'answered')
      return problem(
        about,
        withoutAnswer(`${name} (${sent.url.host})`, answer).detail,
        'Check the API address, and that this machine can connect to it.',
      );
    const { status } = answer;
    return findingOf(`${name} (${sent.url.host})`, { status, about, hasCredentials: !!request, ...texts });
  } finally {
    poster.close();
  }
}

const PLACE = '/operator/carriers';

/** A request that only shows whether the address responds. */
const connection = (url: URL): RecordRequest => ({ method: 'OPTIONS', url, headers: {}, body: '' });

function findingOf(
  company: string,
  {
    status,
    about,
    hasCredentials,
    test,
    otherwise,
    missing,
  }: Pick<CheckedCompany, 'about' | 'test' | 'otherwise' | 'missing'> & {
    status: number;
    hasCredentials: boolean;
  },
): Finding {
  if (status >= 500) return warning(about, `${company} responds with HTTP ${status}.`, otherwise);
  if (!hasCredentials) return ok(about, `${company} responds. ${test} to check the credentials.`);
  if (status === 401 || status === 403)
    return problem(about, `${company} refuses the credentials.`, `Correct them in the console, at ${PLACE}.`);
  if (status === 404 && missing)
    return problem(
      about,
      `${company} does not have what the fields name, such as ${missing}.`,
      `Without it, messages are refused or not reported. Correct it in the console, at ${PLACE}.`,
    );
  if (status >= 300)
    return warning(
      about,
      `${company} responds with HTTP ${status} to the check of the credentials.`,
      `${test}.`,
    );
  return ok(about, `${company} accepts the credentials.`);
}
