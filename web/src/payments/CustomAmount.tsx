import { Button } from '@mantine/core';
import {
  CREDITS_MESSAGE,
  CUSTOM_CREDITS,
  calculatePrice,
  type PriceQuote,
} from '@sixdigit/contract/payments.ts';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import { asciiDigits } from '@sixdigit/contract/text/digits.ts';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { sentence } from '../api/call.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { NumberInput } from '../ui/NumberInput.ts';
import { percent } from '../ui/numbers.ts';
import { prices } from './price-list.ts';
import { basePrice, count, number, perCredit, price } from './prices.ts';
import type { Purchase } from './purchase.ts';
import { useQuote } from './use-quote.ts';

/** A custom number of credits with a live quote. */
export function CustomAmount({ purchase }: { purchase: Purchase }) {
  const input = useRef<HTMLInputElement>(null);
  const [amount, setAmount] = useState<string | number>('');
  const [hasTried, setTried] = useState(false);
  const { minimum_credits, base_price_cents } = useQuery(prices).data ?? DEFAULT_PRICES;
  const parsed = calculatePrice.body.safeParse({ credits: creditsIn(amount) });
  // Below the minimum nothing can be bought, so there is no quote.
  const isTooFew = parsed.success && parsed.data.credits < minimum_credits;
  const credits = isTooFew ? undefined : parsed.data?.credits;
  const { quote, query, isAsked } = useQuote(credits);
  const hasFailed = isAsked && query.isError && !query.isFetching;
  const isCalculating = credits !== undefined && !quote && !hasFailed;
  const problem = problemOf(amount, { hasTried, minimum: minimum_credits });

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isCalculating || purchase.isBusy) return;
    if (quote) {
      purchase.begin(quote);
      return;
    }
    if (hasFailed) {
      void query.refetch();
      return;
    }
    setTried(true);
    input.current?.focus();
  };

  return (
    <form
      className="grid grid-cols-1 items-start gap-x-8 gap-y-5 lg:grid-cols-2"
      onSubmit={submit}
      noValidate
    >
      <div>
        <NumberInput
          ref={input}
          label="Number of credits"
          description={`Base rate: ${basePrice(base_price_cents)} per credit • Bulk discounts available`}
          placeholder={`${number(CUSTOM_CREDITS.min)}-${number(CUSTOM_CREDITS.max)}`}
          min={CUSTOM_CREDITS.min}
          max={CUSTOM_CREDITS.max}
          step={100}
          clampBehavior="none"
          thousandSeparator=","
          allowNegative={false}
          value={amount}
          onChange={(value) => {
            setAmount(value);
            setTried(false);
          }}
          error={problem}
        />
        {isTooFew ? (
          <p className="mt-2 mb-0 text-14 text-ink-soft" role="status">
            The smallest purchase is {count(minimum_credits)}.
          </p>
        ) : null}
      </div>
      <div className="grid content-start gap-3.5">
        <div role="status">
          {isCalculating ? <p className="m-0 py-4 text-14 text-ink-soft">Calculating pricing...</p> : null}
          {quote ? <Quote quote={quote} /> : null}
        </div>
        <ErrorAlert problem={hasFailed ? sentence(query.error, 'Failed to calculate pricing') : undefined} />
        {isTooFew ? null : (
          <Button type="submit" fullWidth disabled={isCalculating} loading={purchase.isBusy}>
            {buttonText(quote, hasFailed)}
          </Button>
        )}
      </div>
    </form>
  );
}

const buttonText = (quote: PriceQuote | undefined, hasFailed: boolean): string => {
  if (hasFailed) return 'Try Again';
  if (!quote) return 'Purchase Credits';
  return `Purchase ${number(quote.credits)} ${quote.credits === 1 ? 'Credit' : 'Credits'}`;
};

const Quote = ({ quote }: { quote: PriceQuote }) => (
  <dl className="m-0 grid gap-[0.4rem] rounded-12 border border-line bg-canvas px-4.5 py-4 tabular-nums">
    <Line name={count(quote.credits)}>
      {quote.discount > 0 ? (
        <s className="text-ink-soft">{price(quote.base_price_cents)}</s>
      ) : (
        price(quote.base_price_cents)
      )}
    </Line>
    {quote.discount > 0 ? (
      <Line name={`${percent(quote.discount / 100)} discount`} className="text-green">
        You save {price(quote.savings_cents)}
      </Line>
    ) : null}
    <Line name="Total" className="border-t border-line pt-2 text-18 font-650">
      {quote.price_display}
    </Line>
    <Line name="Final rate" className="text-13 text-ink-soft">
      {perCredit(quote)}
    </Line>
  </dl>
);

const Line = (props: { name: string; className?: string; children: ReactNode }) => (
  <div className={`flex justify-between gap-4 ${props.className ?? ''}`}>
    <dt>{props.name}</dt>
    <dd className="m-0 text-end">{props.children}</dd>
  </div>
);

/**
 * The number that a person typed: in digits of any script, with leading zeros, or with groups of three. Credits are whole, so
 * `1.000` is a thousand. The text itself if it is not a number.
 */
export function creditsIn(amount: string | number): string | number {
  if (typeof amount === 'number') return amount;
  const text = asciiDigits(amount).trim();
  const isGrouped = /^\d{1,3}(?:([.,'\u2019\s])\d{3})(?:\1\d{3})*$/.test(text);
  const digits = isGrouped ? text.replace(/\D/g, '') : text;
  return /^\d{1,15}$/.test(digits) ? Number(digits) : text;
}

/**
 * The error message for a number of credits. It appears immediately for a decimal or a number that is too high, but only after
 * the first attempt to buy for a missing number or one that is too low.
 */
export function problemOf(
  amount: string | number,
  { hasTried, minimum }: { hasTried: boolean; minimum: number },
): string | undefined {
  const credits = creditsIn(amount);
  const { error, data } = calculatePrice.body.safeParse({ credits });
  const isWrongAtOnce =
    typeof credits === 'number'
      ? credits > CUSTOM_CREDITS.max || !Number.isInteger(credits)
      : // A separator at the end may begin a group.
        !/^(?:\d+[.,])?$/.test(credits);
  if (isWrongAtOnce || (hasTried && error)) return error?.issues[0]?.message ?? CREDITS_MESSAGE;
  return hasTried && data && data.credits < minimum ? CREDITS_MESSAGE : undefined;
}
