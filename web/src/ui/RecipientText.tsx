import { usePhoneFormat } from './phone-numbers.ts';

interface Props {
  recipient: string;
  /** never cut: outside of lists */
  isWhole?: boolean;
}

/**
 * A recipient: a phone number in its country's groups, any other text cut to its length. The space between groups is not in the text:
 * what is copied is the E.164 number. A number is read from left to right in every language.
 */
export function RecipientText({ recipient, isWhole = false }: Props) {
  if (PHONE.test(recipient)) return <PhoneText number={recipient} />;
  return isWhole ? recipient : truncate(recipient, RECIPIENT_LENGTH);
}

/** A whole number, or one whose digits are masked. */
const PHONE = /^\+[\d•]+$/;

const PhoneText = ({ number }: { number: string }) => (
  <bdi dir="ltr">
    {usePhoneFormat()(number)
      .split(' ')
      .map((digits, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups of a number have fixed places
        <span key={index} className="not-first:ms-[0.28em]">
          {digits}
        </span>
      ))}
  </bdi>
);

/** Cuts a longer text and adds an ellipsis. */
export const truncate = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
};

export const RECIPIENT_LENGTH = 25;
export const OTP_ID_LENGTH = 16;
export const PROVIDER_ID_LENGTH = 60;
