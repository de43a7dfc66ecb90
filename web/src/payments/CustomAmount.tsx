import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { CUSTOM_CREDITS, calculatePrice, type PriceQuote } from '@sixdigit/contract/payments.ts';
import { DEFAULT_PRICES } from '@sixdigit/contract/prices.ts';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { sentence } from '../api/call.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { NumberInput } from '../ui/NumberInput.ts';
import classes from './CustomAmount.module.css';
import { problemOf } from './custom-amount.ts';
import { priceOf } from './payments.ts';
import { prices } from './price-list.ts';
import { basePrice, count, number, perCredit, price } from './prices.ts';
import type { Purchase } from './purchase.ts';

const DEBOUNCE_MS = 500;

/** A custom number of credits with a live quote. */
export function CustomAmount({ purchase }: { purchase: Purchase }) {
  const input = useRef<HTMLInputElement>(null);
  const [amount, setAmount] = useState<string | number>('');
  const [hasTried, setTried] = useState(false);
  const { minimum_credits, base_price_cents } = useQuery(prices).data ?? DEFAULT_PRICES;
  const parsed = calculatePrice.body.safeParse({ credits: amount });
  const credits = parsed.data?.credits;
  const [asked] = useDebouncedValue(credits, DEBOUNCE_MS);
  const query = useQuery({ ...priceOf(asked ?? 0), enabled: asked !== undefined && asked === credits });

  const quote = query.data?.credits === credits ? query.data : undefined;
  const hasFailed = credits !== undefined && asked === credits && query.isError && !query.isFetching;
  const isCalculating = credits !== undefined && !quote && !hasFailed;
  const problem = problemOf(amount, { hasTried, minimum: minimum_credits });

  const isTooFew = quote !== undefined && quote.credits < minimum_credits;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isCalculating || purchase.isBusy) return;
    if (quote && !isTooFew) {
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
    <form className={classes.custom} onSubmit={submit} noValidate>
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
          allowNegative={false}
          inputMode="numeric"
          value={amount}
          onChange={(value) => {
            setAmount(value);
            setTried(false);
          }}
          error={problem}
        />
        {isTooFew ? (
          <p className={classes.least}>The smallest purchase is {count(minimum_credits)}.</p>
        ) : null}
      </div>
      <div className={classes.result}>
        <div role="status">
          {isCalculating ? <p className={classes.calculating}>Calculating pricing...</p> : null}
          {quote ? <Quote quote={quote} /> : null}
        </div>
        <ErrorAlert problem={hasFailed ? sentence(query.error, 'Failed to calculate pricing') : undefined} />
        <Button type="submit" fullWidth disabled={isCalculating || isTooFew} loading={purchase.isBusy}>
          {buttonText(isTooFew ? undefined : quote, hasFailed)}
        </Button>
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
  <dl className={classes.quote}>
    <div>
      <dt>{count(quote.credits)}</dt>
      <dd>{quote.discount > 0 ? <s>{price(quote.base_price_cents)}</s> : price(quote.base_price_cents)}</dd>
    </div>
    {quote.discount > 0 ? (
      <div className={classes.savings}>
        <dt>{quote.discount}% discount</dt>
        <dd>You save {price(quote.savings_cents)}</dd>
      </div>
    ) : null}
    <div className={classes.total}>
      <dt>Total</dt>
      <dd>{quote.price_display}</dd>
    </div>
    <div className={classes.rate}>
      <dt>Final rate</dt>
      <dd>{perCredit(quote)}</dd>
    </div>
  </dl>
);
