import { CARRIER_KIND_FACTS, type CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import { type Finding, ok, problem, warning } from '../../../../platform/finding.ts';
import type { FieldValues } from '../../carrier.ts';
import { createPoster, type Reach, withoutAnswer } from '../../post.ts';
import { examineWhatsapp, prepareWhatsapp } from '../whatsapp/account.ts';
import { filledUrl } from './fill.ts';
import { recordOf, withDefaults } from './record.ts';
import { checkRequestOf, type RecordRequest } from './request.ts';

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
  const request = checkRequestOf(record, known, now);
  const url = filledUrl(record.send.url, { ...known, to: '1', to_digits: '1', id: '1' });
  const sent = request ?? (url && connection(url));
  if (!sent) return problem(ABOUT, `${name} is not set up completely.`, 'Edit the carrier in the console.');
  const poster = createPoster(reach);
  try {
    const signal = new AbortController().signal;
    const answer = await poster.post({ ...sent, signal, timeoutMs: TIMEOUT_MS });
    if (answer.kind !== 'answered')
      return problem(
        ABOUT,
        withoutAnswer(`${name} (${sent.url.host})`, answer).detail,
        'Check the API address, and that this machine can connect to it.',
      );
    return findingOf(`${name} (${sent.url.host})`, answer.status, request !== undefined);
  } finally {
    poster.close();
  }
}

/** A request that only shows whether the address responds. */
const connection = (url: URL): RecordRequest => ({ method: 'OPTIONS', url, headers: {}, body: '' });

function findingOf(carrier: string, status: number, hasCredentials: boolean): Finding {
  if (status >= 500)
    return warning(ABOUT, `${carrier} responds with HTTP ${status}.`, 'Messages would wait for a retry.');
  if (!hasCredentials) return ok(ABOUT, `${carrier} responds. Send a test message to check the credentials.`);
  if (status === 401 || status === 403)
    return problem(
      ABOUT,
      `${carrier} refuses the credentials.`,
      'Correct them in the console, at /operator/carriers.',
    );
  if (status === 404)
    return problem(
      ABOUT,
      `${carrier} does not have what the carrier’s fields name, such as a message stream or a configuration set.`,
      'Without it, messages are refused or not reported. Correct it in the console, at /operator/carriers.',
    );
  if (status >= 300)
    return warning(
      ABOUT,
      `${carrier} responds with HTTP ${status} to the check of the credentials.`,
      'Send a test message.',
    );
  return ok(ABOUT, `${carrier} accepts the credentials.`);
}
