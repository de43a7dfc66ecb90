import { Button, Skeleton } from '@mantine/core';
import { deletePaymentMethod, listPaymentMethods, type PaymentMethod } from '@sixdigit/contract/payments.ts';
import { IconArrowLeft, IconChevronRight, IconCreditCard, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { call } from '../api/call.ts';
import { ActionDialog, ConfirmDialog } from '../ui/Dialog.tsx';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { QueryError } from '../ui/Loaded.tsx';
import { TipIcon } from '../ui/TipIcon.tsx';
import type { Outcome } from './card-payment.ts';
import { BankQuestion } from './card-provider.ts';
import classes from './Payments.module.css';
import { savedCards } from './payments.ts';
import { brandOf, count, expiryOf } from './prices.ts';
import type { Purchase } from './purchase.ts';
import { WithSummary } from './Summary.tsx';

/** Lists saved cards to pay with or to remove, and offers a new card. */
export function ChooseCard({ purchase }: { purchase: Purchase }) {
  const query = useQuery(savedCards);
  const { data, isError } = query;
  const cards = data?.payment_methods;
  const [chosen, setChosen] = useState<PaymentMethod>();
  const [doomed, setDoomed] = useState<PaymentMethod>();
  const [asking, setAsking] = useState<'pay' | 'remove'>();
  const [question, setQuestion] = useState<{ clientSecret: string; card: PaymentMethod }>();
  const [problem, setProblem] = useState<string>();

  const charge = useMutation({
    mutationFn: (card: PaymentMethod) => purchase.charge(card),
    onMutate: () => setProblem(undefined),
    onSuccess: (clientSecret, card) => {
      if (clientSecret) setQuestion({ clientSecret, card });
    },
    onError: (cause) => setProblem(cause.message),
    onSettled: () => setAsking(undefined),
  });
  const answer = (outcome: Outcome): void => {
    if (!question) return;
    setQuestion(undefined);
    void purchase.answered(outcome, question.card).then(setProblem);
  };
  const { offer } = purchase;
  const isBusy = purchase.isBusy || charge.isPending || question !== undefined;

  return (
    <>
      <WithSummary purchase={purchase}>
        <ErrorAlert problem={problem} takesFocus />
        {isError && !cards ? (
          <QueryError query={query} message="Failed to load saved payment methods" />
        ) : null}
        {cards === undefined && !isError ? <Skeleton height={64} radius="md" /> : null}
        <ul className="m-0 grid list-none gap-2.5 p-0" aria-label="Saved cards">
          {(cards ?? []).map((card) => (
            <li key={card.id} className="flex items-center gap-2">
              <button
                type="button"
                className={`${classes.card} flex min-w-0 flex-1 items-center gap-3.5 rounded-12 border border-border bg-surface px-4 py-3 text-start text-inherit`}
                disabled={isBusy}
                onClick={() => {
                  setChosen(card);
                  setAsking('pay');
                }}
              >
                <IconCreditCard
                  size={22}
                  stroke={1.5}
                  aria-hidden
                  className="flex-none text-ink-soft max-sm:hidden"
                />
                <span className="min-w-0 flex-1">
                  <strong className="block font-550">
                    {brandOf(card)} ending in {card.last4}
                  </strong>
                  <small className="block text-13 text-ink-soft tabular-nums">Expires {expiryOf(card)}</small>
                </span>
                <IconChevronRight size={18} aria-hidden className="flex-none text-ink-soft" />
              </button>
              <TipIcon
                size="lg"
                label={`Remove ${brandOf(card)} ending in ${card.last4}`}
                disabled={isBusy}
                onClick={() => {
                  setDoomed(card);
                  setAsking('remove');
                }}
              >
                <IconTrash size={18} stroke={1.75} aria-hidden />
              </TipIcon>
            </li>
          ))}
        </ul>
        <div className="flex flex-wrap gap-2.5">
          <Button
            className="max-sm:flex-auto"
            variant="light"
            leftSection={<IconPlus size={16} aria-hidden />}
            loading={purchase.isBusy}
            disabled={isBusy}
            onClick={() => purchase.takeNewCard(true)}
          >
            Add New Payment Method
          </Button>
          <Button
            className="max-sm:flex-auto"
            variant="subtle"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            disabled={isBusy}
            onClick={purchase.reset}
          >
            Back to Packages
          </Button>
        </div>
      </WithSummary>
      <ConfirmDialog
        opened={asking === 'pay'}
        onClose={() => setAsking(undefined)}
        title="Confirm Purchase"
        confirm="Confirm Purchase"
        onConfirm={() => chosen && charge.mutate(chosen)}
        isBusy={charge.isPending}
      >
        {offer && chosen ? (
          <p className="m-0">
            You are about to purchase {count(offer.credits)} for <strong>{offer.price_display}</strong> using
            your {brandOf(chosen)} card ending in {chosen.last4}.
          </p>
        ) : null}
      </ConfirmDialog>
      <ActionDialog
        opened={asking === 'remove'}
        onClose={() => setAsking(undefined)}
        title="Remove Payment Method"
        confirm="Remove"
        isDangerous
        of={doomed}
        run={({ id }) => call(deletePaymentMethod, { params: { id } })}
        success="Payment method removed"
        failure="Failed to remove payment method"
        refresh={[listPaymentMethods]}
      >
        {doomed ? (
          <p className="m-0">
            Your {brandOf(doomed)} card ending in {doomed.last4} will no longer be offered here or charged by
            auto-purchase.
          </p>
        ) : null}
      </ActionDialog>
      {question ? (
        <Suspense>
          <BankQuestion clientSecret={question.clientSecret} onAnswered={answer} />
        </Suspense>
      ) : null}
    </>
  );
}
