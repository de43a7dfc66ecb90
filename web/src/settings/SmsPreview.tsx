import { CODE_LENGTH, DEFAULT_MESSAGE } from '@sixdigit/contract/otp.ts';
import { type SendPrice, sendPriceOf } from '@sixdigit/contract/prices.ts';
import { anyCode, renderSms, smsSize, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { deployment } from '../api/deployment.ts';
import { prices } from '../payments/price-list.ts';
import { priceText } from '../payments/send-prices.ts';

/** A send costs the same at any length, unless the operator charges each segment. */
function costText(sends: readonly SendPrice[]): string {
  const price = sendPriceOf(sends, { channel: 'sms', country: null });
  return `Each send costs ${priceText(price)}${price.unit === 'segment' ? '' : ', whatever its length'}.`;
}

export function SmsDescription() {
  const { data } = useQuery(prices);
  return <>The text without anything added. {data && costText(data.sends)}</>;
}

interface Props {
  message: string;
  codeLength: number;
}

/** Previews the text that recipients receive and its number of segments, while the user types. */
export function SmsPreview({ message, codeLength }: Props) {
  const template = message.trim() || DEFAULT_MESSAGE;
  const text = renderSms(template, '12345678'.slice(0, codeLength));
  const { characters, encoding, segments } = smsSize(text);
  // The longest code must fit too, because the code length can change without the message.
  const problem = smsTooLong(renderSms(template, anyCode(CODE_LENGTH.max)), deployment().sms_max_segments);
  return (
    <>
      <p className="mt-0 mb-3.5 max-w-96 rounded-16 rounded-bl-4 bg-sunken px-3.5 py-2.5 text-15 wrap-anywhere whitespace-pre-wrap">
        {text}
      </p>
      <dl className="m-0 flex flex-wrap gap-x-8 gap-y-2 text-14" aria-label="Size of the SMS">
        <Size name="Characters">{characters}</Size>
        <Size name="Encoding">{encoding}</Size>
        <Size name="Segments" isOver={problem !== undefined}>
          {segments} (at most {deployment().sms_max_segments})
        </Size>
      </dl>
      <p className="mt-3 mb-0 text-14 wrap-anywhere text-error empty:mt-0" role="status">
        {problem}
      </p>
    </>
  );
}

const Size = ({ name, isOver, children }: { name: string; isOver?: boolean; children: ReactNode }) => (
  <div>
    <dt className="text-13 text-ink-soft">{name}</dt>
    <dd className={`m-0 tabular-nums ${isOver ? 'font-600 text-error' : ''}`}>{children}</dd>
  </div>
);
