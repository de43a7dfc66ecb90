import { CODE_LENGTH, DEFAULT_MESSAGE } from '@sixdigit/contract/otp.ts';
import { type SendPrice, sendPriceOf } from '@sixdigit/contract/prices.ts';
import { anyCode, renderSms, smsSize, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import { useQuery } from '@tanstack/react-query';
import { deployment } from '../api/deployment.ts';
import { prices } from '../payments/price-list.ts';
import { priceText } from '../payments/send-prices.ts';
import classes from './SmsPreview.module.css';

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
      <p className={classes.text}>{text}</p>
      <dl className={classes.size} aria-label="Size of the SMS">
        <div>
          <dt>Characters</dt>
          <dd>{characters}</dd>
        </div>
        <div>
          <dt>Encoding</dt>
          <dd>{encoding}</dd>
        </div>
        <div>
          <dt>Segments</dt>
          <dd data-over={problem ? true : undefined}>
            {segments} (at most {deployment().sms_max_segments})
          </dd>
        </div>
      </dl>
      <p className={classes.problem} role="status">
        {problem}
      </p>
    </>
  );
}
