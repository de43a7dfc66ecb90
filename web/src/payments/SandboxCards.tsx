import { Button, TextInput } from '@mantine/core';
import { confirmSandboxPayment } from '@sixdigit/contract/payments.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react';
import { call, sentence } from '../api/call.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { type CardEntry, CHECK_DETAILS, FAILED, NOT_PROCESSED, type Outcome } from './card-payment.ts';
import { cardOf, type Entry, formats, problemsOf, testCards } from './test-card.ts';

type Answer = 'completed' | 'failed';

const fields = [
  { name: 'number', label: 'Card number', placeholder: '1234 1234 1234 1234', length: 23 },
  { name: 'expiry', label: 'Expiration date', placeholder: 'MM / YY', length: 7 },
  { name: 'cvc', label: 'Security code', placeholder: 'CVC', length: 4 },
] as const;

/** Test card fields in place of Stripe's element. Autofill is off, because real cards do not belong here. */
export function CardFields({ clientSecret, ref }: { clientSecret: string; ref: Ref<CardEntry> }) {
  const id = useId();
  const [entry, setEntry] = useState<Entry>({ number: '', expiry: '', cvc: '' });
  const [problems, setProblems] = useState<Partial<Entry>>({});
  const answer = useRef<(answer: Answer) => void>(undefined);
  const [isAsked, setAsked] = useState(false);

  const change = (changed: Partial<Entry>): void => {
    setEntry((before) => ({ ...before, ...changed }));
    setProblems((before) =>
      Object.fromEntries(Object.entries(before).filter(([name]) => !(name in changed))),
    );
  };
  const askBank = (): Promise<Answer> =>
    new Promise((resolve) => {
      answer.current = resolve;
      setAsked(true);
    });

  const pay = async (): Promise<Outcome> => {
    const found = problemsOf(entry);
    setProblems(found);
    const first = fields.find(({ name }) => found[name]);
    if (first) {
      document.getElementById(`${id}-${first.name}`)?.focus();
      return { problem: CHECK_DETAILS };
    }
    const outcome = await confirm({ client_secret: clientSecret, card: cardOf(entry) });
    if (!('status' in outcome) || outcome.status !== 'requires_action') return outcome;
    return confirm({ client_secret: clientSecret, authentication: await askBank() });
  };
  useImperativeHandle(ref, () => ({ pay }));

  return (
    <div className="grid gap-4">
      <div className="grid grid-cols-2 gap-3.5">
        {fields.map(({ name, label, placeholder, length }) => (
          <TextInput
            key={name}
            id={`${id}-${name}`}
            className={name === 'number' ? 'col-span-full' : ''}
            label={label}
            placeholder={placeholder}
            inputMode="numeric"
            autoComplete="off"
            maxLength={length}
            value={entry[name]}
            error={problems[name]}
            onChange={(event) => change({ [name]: formats[name](event.currentTarget.value) })}
          />
        ))}
      </div>
      <fieldset className="m-0 flex flex-wrap gap-[0.4rem] border-0 p-0">
        <legend className="mb-[0.4rem] p-0 text-13 text-ink-soft">Test cards: no money is charged</legend>
        {testCards.map(({ number, does }) => (
          <Button
            key={number}
            variant="default"
            size="compact-sm"
            title={number}
            onClick={() => change({ number, expiry: '12 / 34', cvc: '123' })}
          >
            {does}
          </Button>
        ))}
      </fieldset>
      <BankDialog
        opened={isAsked}
        onAnswer={(given) => {
          setAsked(false);
          answer.current?.(given);
        }}
      />
    </div>
  );
}

export function BankQuestion({
  clientSecret,
  onAnswered,
}: {
  clientSecret: string;
  onAnswered: (outcome: Outcome) => void;
}) {
  const [isAsked, setAsked] = useState(true);
  return (
    <BankDialog
      opened={isAsked}
      onAnswer={(authentication) => {
        setAsked(false);
        void confirm({ client_secret: clientSecret, authentication }).then(onAnswered);
      }}
    />
  );
}

const BankDialog = ({ opened, onAnswer }: { opened: boolean; onAnswer: (answer: Answer) => void }) => (
  <Dialog
    opened={opened}
    onClose={() => onAnswer('failed')}
    title="Your bank asks you to confirm this payment"
    description="With a real card, your bank would show its own page here."
    size="lg"
    closesOnClickOutside={false}
  >
    <DialogActions>
      <Button variant="default" onClick={() => onAnswer('failed')}>
        Fail Authentication
      </Button>
      <Button onClick={() => onAnswer('completed')} data-autofocus>
        Complete Authentication
      </Button>
    </DialogActions>
  </Dialog>
);

async function confirm(body: Given<typeof confirmSandboxPayment, 'body'>): Promise<Outcome> {
  try {
    const { status, payment_intent_id, error } = await call(confirmSandboxPayment, { body });
    if (status === 'requires_payment_method') return { problem: error ?? FAILED };
    return { status, payment_intent_id };
  } catch (cause) {
    console.error(cause);
    return { problem: sentence(cause, NOT_PROCESSED) };
  }
}
