import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  confirmPayment,
  createIntent,
  createWithSaved,
  listPackages,
  type PaymentMethod,
} from '@sixdigit/contract/payments.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, sentence } from '../api/call.ts';
import { invalidate, store } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { useOpened } from '../ui/opened.ts';
import { attemptKeys, newCard, type Offer } from './attempt-keys.ts';
import { FAILED, type Outcome } from './card-payment.ts';
import { priceOf, savedCards } from './payments.ts';
import { PAYMENTS } from './price-list.ts';
import { count } from './prices.ts';

/**
 * The purchase flow: select, choose a saved card if there are any, or pay with a new card. The URL holds the step, so the browser's
 * "back" works; a reload starts over. A repeated attempt keeps its idempotency key, so it is charged once.
 */
export function usePurchase() {
  const queryClient = useQueryClient();
  const step = useOpened('step');
  const [attempts] = useState(attemptKeys);
  const [offer, setOffer] = useState<Offer>();
  const [payment, setPayment] = useState<Payment>();
  const [isRepriced, setRepriced] = useState(false);

  const reset = (): void => {
    setOffer(undefined);
    setPayment(undefined);
    setRepriced(false);
    if (step.opened !== undefined) step.close();
  };

  /** Also runs after failures: the history lists them, and a payment whose response was lost may have added credits. */
  const refresh = (): Promise<unknown> => invalidate(queryClient, getMe, PAYMENTS);

  /** Shows a changed price. Nothing was charged. */
  const reprice = async (cause: unknown): Promise<void> => {
    console.error(cause);
    if (!(cause instanceof ApiError) || cause.reason !== 'price_changed') return;
    const { PriceQuote } = await import('@sixdigit/contract/payments.ts');
    const quote = PriceQuote.safeParse(cause.facts.quote).data;
    if (!quote) return;
    setOffer(quote);
    setRepriced(true);
    // Drops the payment that started at the old price.
    if (payment) setPayment(undefined);
    if (step.opened === 'pay') step.close();
    void store(queryClient, priceOf(quote.credits), quote);
    void invalidate(queryClient, listPackages);
  };

  /** A key older than 24 hours may belong to an earlier purchase, so the next attempt gets a new key. */
  const renewKeys = (cause: unknown): void => {
    if (cause instanceof ApiError && cause.reason === 'idempotency_key_used') attempts.forgetAll();
  };

  const intent = useMutation({
    mutationFn: async ({ offer, saves }: { offer: Offer; saves: boolean }): Promise<Payment> => {
      const { credits, price_usd_cents } = offer;
      const reply = await call(createIntent, {
        body: { credits, price_usd_cents, save_payment_method: saves },
        idempotencyKey: attempts.keyOf(offer, newCard(saves)),
      });
      if (!reply.client_secret) throw new ApiError(200, reply);
      return { clientSecret: reply.client_secret, saves };
    },
    onError: (cause) => {
      void reprice(cause);
      renewKeys(cause);
      toast.error(sentence(cause, 'Failed to create payment intent'));
    },
  });
  // Navigate only while the screen is still mounted.
  const openPayment = (wanted: Offer, saves: boolean): void =>
    intent.mutate(
      { offer: wanted, saves },
      {
        onSuccess: (made) => {
          setRepriced(false);
          setPayment(made);
          if (step.opened !== 'pay') step.open('pay');
        },
      },
    );

  const cards = useMutation({
    // If the saved cards cannot be loaded, offer a new card.
    mutationFn: async () =>
      (await queryClient.fetchQuery(savedCards).catch(() => undefined))?.payment_methods ?? [],
  });
  const begin = (wanted: Offer): void => {
    setOffer(wanted);
    setRepriced(false);
    cards.mutate(undefined, {
      onSuccess: (saved) => (saved.length > 0 ? step.open('choose') : openPayment(wanted, true)),
    });
  };

  const finish = async (credits: number, saves: boolean): Promise<void> => {
    attempts.forgetAll();
    reset();
    toast.success(
      `Successfully purchased ${count(credits)}!${saves ? ' Payment method saved for future use.' : ''}`,
    );
    await refresh();
  };

  /**
   * Returns the error to show for a failed payment. After a successful charge, asks the service to add the credits now; if that
   * fails, the provider's webhook adds them later.
   */
  const settle = async (outcome: Outcome, how: { saves: boolean }): Promise<string | undefined> => {
    if (!offer) return undefined;
    if ('problem' in outcome) {
      void refresh();
      return outcome.problem;
    }
    const { payment_intent_id } = outcome;
    let { status } = outcome;
    if (status === 'succeeded') {
      try {
        const confirmed = await call(confirmPayment, { body: { payment_intent_id } });
        if (confirmed.success) {
          await finish(offer.credits, how.saves);
          return undefined;
        }
        status = confirmed.status;
      } catch (cause) {
        console.error(cause);
        attempts.forgetAll();
        reset();
        toast.success('Your payment went through. Your credits will be added shortly.');
        void refresh();
        return undefined;
      }
    }
    void refresh();
    toast.error(`Payment ${status}. Please try again.`);
    return undefined;
  };

  return {
    /** The current step, from the URL and the selection. */
    step: stepOf(step.opened, offer, payment),
    offer,
    /** whether the price differs from the selected one */
    isRepriced,
    isBusy: cards.isPending || intent.isPending,
    begin,
    /** Loads the saved cards when a purchase is likely, because the first step needs them. */
    prepare: () => void queryClient.prefetchQuery(savedCards),
    payment,
    /** whether to save the card */
    saves: intent.isPending ? intent.variables.saves : (payment?.saves ?? true),
    /** Starts a payment with a new card, or another one if the choice to save it changed. */
    takeNewCard: (saves: boolean): void => {
      if (offer) openPayment(offer, saves);
    },
    async payNew(outcome: Outcome, saves: boolean): Promise<string | undefined> {
      if (endsPayment(outcome) && offer) {
        attempts.forget(offer, newCard(saves));
        openPayment(offer, saves);
      }
      return settle(outcome, { saves });
    },
    /**
     * Charges a saved card. Returns a client secret if the bank asks a question first. Throws an error with the message to
     * show.
     */
    async charge(card: PaymentMethod): Promise<string | undefined> {
      if (!offer) return undefined;
      const { credits, price_usd_cents } = offer;
      try {
        const reply = await call(createWithSaved, {
          body: { credits, price_usd_cents, payment_method_id: card.id },
          idempotencyKey: attempts.keyOf(offer, card.id),
        });
        if (reply.success) await finish(credits, false);
        else if (reply.requires_action && reply.client_secret) return reply.client_secret;
        else throw new ApiError(200, reply);
        return undefined;
      } catch (cause) {
        void reprice(cause);
        renewKeys(cause);
        void refresh();
        throw new Error(sentence(cause, FAILED), { cause });
      }
    },
    /** Continues after the bank's question about a saved card. A failed answer ends the attempt. */
    answered(outcome: Outcome, card: PaymentMethod): Promise<string | undefined> {
      if (offer) attempts.forget(offer, card.id);
      return settle(outcome, { saves: false });
    },
    /** Returns to the packages. */
    reset,
  };
}
export type Purchase = ReturnType<typeof usePurchase>;

/** A payment intent that waits for a card. */
interface Payment {
  clientSecret: string;
  saves: boolean;
}

type Step = 'select' | 'choose' | 'pay';

/** The step in the URL, or the first one if its data is missing, such as after a reload. */
export function stepOf(opened: string | undefined, offer?: Offer, payment?: Payment): Step {
  if (opened === 'pay' && offer && payment) return 'pay';
  return opened === 'choose' && offer ? 'choose' : 'select';
}

/** Whether a new payment must start because this one cannot be retried. */
export const endsPayment = (outcome: Outcome): boolean =>
  'problem' in outcome ? (outcome.isOver ?? false) : outcome.status === 'canceled';
