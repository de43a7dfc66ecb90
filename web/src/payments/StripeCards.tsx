import { useComputedColorScheme } from '@mantine/core';
import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Appearance, PaymentIntentResult, Stripe } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import { type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { deployment } from '../api/deployment.ts';
import { signal } from '../api/signal.ts';
import { LoadError } from '../ui/Loaded.tsx';
import {
  type CardEntry,
  CHECK_DETAILS,
  FAILED,
  NOT_PROCESSED,
  NOT_READY,
  type Outcome,
} from './card-payment.ts';

const script = signal<Promise<Stripe | null>>();

/** Loads Stripe's script once. After a failure, the next call loads it again. */
function stripeScript(): Promise<Stripe | null> {
  const loading =
    script.get() ??
    loadStripe(deployment().stripe_publishable_key ?? '').catch((cause: unknown) => {
      script.set(undefined);
      throw cause;
    });
  script.set(loading);
  return loading;
}

/** Stripe's Payment Element in the theme's colors. */
export function CardFields({ clientSecret, ref }: { clientSecret: string; ref: Ref<CardEntry> }) {
  const appearance = useAppearance();
  const [stripe, setStripe] = useState<Stripe | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (isBroken) return;
    let isCurrent = true;
    stripeScript().then(
      (loaded) => isCurrent && setStripe(loaded),
      (cause: unknown) => {
        console.error(cause);
        if (isCurrent) setBroken(true);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [isBroken]);
  if (isBroken) return <NotReady ref={ref} onRetry={() => setBroken(false)} />;
  return (
    <Elements key={clientSecret} stripe={stripe} options={{ clientSecret, appearance }}>
      <Fields ref={ref} onBroken={() => setBroken(true)} />
    </Elements>
  );
}

function NotReady({ ref, onRetry }: { ref: Ref<CardEntry>; onRetry: () => void }) {
  useImperativeHandle(ref, () => ({ pay: async () => ({ problem: undefined }) }));
  return <LoadError title="Error" message={NOT_READY} onRetry={onRetry} />;
}

function Fields({ ref, onBroken }: { ref: Ref<CardEntry>; onBroken: () => void }) {
  const stripe = useStripe();
  const elements = useElements();
  const [isReady, setReady] = useState(false);

  const pay = async (): Promise<Outcome> => {
    if (!stripe || !elements || !isReady) return { problem: NOT_READY };
    try {
      const entered = await elements.submit();
      if (entered.error) return { problem: entered.error.message ?? CHECK_DETAILS };
      return outcomeOf(await stripe.confirmPayment({ elements, redirect: 'if_required' }));
    } catch (cause) {
      console.error(cause);
      return { problem: NOT_PROCESSED };
    }
  };
  useImperativeHandle(ref, () => ({ pay }));

  return (
    <div className="min-h-44" aria-busy={!isReady}>
      <PaymentElement
        options={{ layout: 'tabs' }}
        onReady={() => setReady(true)}
        onLoadError={({ error }) => {
          console.error(error);
          onBroken();
        }}
      />
    </div>
  );
}

/** Stripe shows the bank's question over the screen, so this renders nothing. */
export function BankQuestion({
  clientSecret,
  onAnswered,
}: {
  clientSecret: string;
  onAnswered: (outcome: Outcome) => void;
}) {
  const isAsked = useRef(false);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    void ask(clientSecret).then(onAnswered);
  }, [clientSecret, onAnswered]);
  return null;
}

async function ask(clientSecret: string): Promise<Outcome> {
  try {
    const stripe = await stripeScript();
    if (!stripe) return { problem: NOT_READY };
    return outcomeOf((await stripe.handleNextAction({ clientSecret })) as PaymentIntentResult);
  } catch (cause) {
    console.error(cause);
    return { problem: NOT_PROCESSED };
  }
}

function outcomeOf({ paymentIntent, error }: PaymentIntentResult): Outcome {
  // An earlier attempt paid, but its response was lost.
  const intent =
    paymentIntent ?? (error.payment_intent?.status === 'succeeded' ? error.payment_intent : undefined);
  if (intent) return { status: intent.status, payment_intent_id: intent.id };
  return { problem: error?.message ?? FAILED, isOver: error?.payment_intent?.status === 'canceled' };
}

/** Stripe's frame cannot read our CSS variables, so it gets their values. */
function useAppearance(): Appearance {
  const scheme = useComputedColorScheme('light');
  return useMemo(() => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    return {
      theme: scheme === 'dark' ? 'night' : 'stripe',
      variables: {
        colorPrimary: colour('--accent'),
        colorBackground: colour('--surface'),
        colorText: colour('--ink'),
        colorTextSecondary: colour('--ink-soft'),
        colorDanger: colour('--mantine-color-error'),
        fontFamily: 'system-ui, sans-serif',
        borderRadius: '8px',
      },
    };
  }, [scheme]);
}
