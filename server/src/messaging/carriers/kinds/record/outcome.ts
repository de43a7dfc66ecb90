import type { IncomingHttpHeaders } from 'node:http';
import type { CarrierRecord, ErrorMeaning } from '@sixdigit/contract/operator/carrier-record.ts';
import type { CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import type { Message, Outcome } from '../../carrier.ts';
import {
  type Fault,
  recipientFault,
  refusal,
  setupFault,
  statusFault,
  temporaryFault,
} from '../../faults.ts';
import { unreadable } from '../../post.ts';
import { codeOf, firstShort, isShownCode, ofKey, short, shortValues } from './paths.ts';

interface Response {
  status: number;
  text: string;
  message: Pick<Message, 'code'>;
  headers?: IncomingHttpHeaders;
}

/** The meaning of a company's response. Its own sentences are dropped, because they could quote the message. */
export function outcomeOf(
  { send }: Pick<CarrierRecord, 'send'>,
  company: { label: string; kind: CarrierKind },
  { status, text, message, headers = {} }: Response,
): Outcome {
  const { label, kind } = company;
  const body = jsonOf(text);
  // Amazon's may end with an address, after a colon.
  const named = short(headers[(send.error_header ?? '').toLowerCase()])?.split(':')[0];
  const codes = [...(named ? [named] : []), ...shortValues(body, send.error)].map(codeOf);
  const meaningOf = (one: string) => ofKey(send.errors, one) ?? ofKey(send.errors, one.replace(NUMBER, ''));
  const code = codes.find((one) => meaningOf(one) !== undefined) ?? codes[0];
  const meaning = (code === undefined ? undefined : meaningOf(code)) ?? ofKey(send.errors, `http_${status}`);
  const isSuccess = send.accept?.includes(status) ?? (status >= 200 && status < 300);
  const provider_message_id = firstShort(body, send.id);
  // Some companies refuse messages with HTTP 200: a code of an error and no id.
  const isError = code !== undefined && send.id !== undefined && provider_message_id === null;
  if (meaning === 'accepted' || (isSuccess && meaning === undefined && !isError)) {
    // A web page, such as a proxy's login page, does not confirm that the message was accepted.
    if (isSuccess && send.id !== undefined && provider_message_id === null) return unreadable(label, status);
    return { kind: 'accepted', provider_message_id };
  }
  const isShown = code !== undefined && isShownCode(kind, code) && !isPartOf(message.code, code);
  const reason = isShown ? `${kind}_${code.toLowerCase().replace(/\W+/g, '_')}` : undefined;
  const known = meaning ?? (isSuccess ? 'next_carrier' : undefined);
  const fault = known ? faultOf(known, label, reason) : statusFault(label, status, reason);
  return refusal(fault, isShown ? ` (${label} error ${code})` : '');
}

/** Such as the seconds to wait, at the end of a code. */
const NUMBER = /_\d+$/;

const isPartOf = (secret: string, text: string): boolean =>
  secret !== '' && text.replace(/\W/g, '').includes(secret);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf(meaning: ErrorMeaning, label: string, reason: string | undefined): Fault {
  switch (meaning) {
    case 'retry':
      return temporaryFault('carrier_error', `${label} could not take the message at the moment`);
    case 'permanent':
      return recipientFault('invalid_recipient', `${label} cannot reach this recipient`);
    case 'opted_out':
      return {
        ...recipientFault('unsubscribed', 'The recipient has unsubscribed from this sender'),
        unsubscribed: true,
      };
    case 'suppressed':
      return {
        ...recipientFault(
          'suppressed',
          `${label} suppresses this address, because earlier messages to it failed`,
        ),
        suppress: 'provider',
      };
    case 'carrier_down':
      return setupFault(`${label} does not accept messages of this account`, reason);
    default:
      return { reason: reason ?? 'refused', sentence: `${label} refused the message` };
  }
}
