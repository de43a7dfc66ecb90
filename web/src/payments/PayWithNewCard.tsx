import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, Suspense, useRef, useState } from 'react';
import { busyButton } from '../ui/busy-button.ts';
import { Checkbox } from '../ui/Checkbox.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { LoadingLines } from '../ui/Loaded.tsx';
import { type CardEntry, NOT_READY } from './card-payment.ts';
import { CardFields } from './card-provider.ts';
import classes from './Payments.module.css';
import type { Purchase } from './purchase.ts';
import { WithSummary } from './Summary.tsx';

/**
 * Payment with a new card. Saving the card is a property of the payment intent, so changing the checkbox starts another payment
 * with an empty form.
 */
export function PayWithNewCard({ purchase }: { purchase: Purchase }) {
  const entry = useRef<CardEntry>(null);
  const [problem, setProblem] = useState<string>();
  const { payment } = purchase;
  const pay = useMutation({
    mutationFn: async (saves: boolean) =>
      purchase.payNew((await entry.current?.pay()) ?? { problem: NOT_READY }, saves),
    onMutate: () => setProblem(undefined),
    onSuccess: setProblem,
  });
  const isBusy = pay.isPending || purchase.isBusy;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (payment && !isBusy) pay.mutate(payment.saves);
  };

  if (!payment) return null;
  return (
    <form onSubmit={submit} noValidate>
      <WithSummary purchase={purchase}>
        <ErrorAlert problem={problem} takesFocus />
        <div inert={purchase.isBusy} className={purchase.isBusy ? 'opacity-50' : ''}>
          <Suspense
            fallback={
              <div className={classes.fields}>
                <LoadingLines />
              </div>
            }
          >
            <CardFields clientSecret={payment.clientSecret} ref={entry} />
          </Suspense>
        </div>
        <Checkbox
          label="Save payment method for future purchases"
          description="Securely stored by Stripe for faster checkout"
          checked={purchase.saves}
          disabled={isBusy}
          onChange={(event) => purchase.takeNewCard(event.currentTarget.checked)}
        />
        <div className="flex flex-wrap justify-between gap-2.5">
          <Button
            className="max-sm:flex-auto"
            variant="default"
            disabled={pay.isPending}
            onClick={purchase.reset}
          >
            Back
          </Button>
          <Button className="max-sm:flex-auto" type="submit" {...busyButton(isBusy)}>
            {pay.isPending ? 'Processing...' : 'Complete Payment'}
          </Button>
        </div>
      </WithSummary>
    </form>
  );
}
