import type { Overview } from '@sixdigit/contract/operator/overview.ts';
import type { DeploymentRules } from '@sixdigit/contract/protection/protection.ts';
import { type ReactNode, useState } from 'react';
import { useDeployment } from '../api/deployment.ts';
import { COUNTED_RULES } from '../protection/rule-values.ts';
import { LoneLink } from '../ui/links.tsx';
import { remember, remembered } from '../ui/remembered.ts';
import { StepList } from '../ui/StepList.tsx';
import { firstCodePage, operatorPages } from './operator-pages.ts';

const DISMISSED = 'go_live_dismissed';
const SANDBOX = 'sandbox';
const LIVE_CARDS = /^pk_live_/;

interface State {
  overview: Pick<Overview, 'channels' | 'public_url'>;
  rules: DeploymentRules['rules'] | undefined;
  cards: string | null;
}

/** What still simulates, waits or is not reachable, from the state of the deployment. */
export const stepsOf = ({ overview: { channels, public_url }, rules, cards }: State) => {
  const isReal = (isMail: boolean): boolean =>
    channels.some(
      ({ channel, carriers }) =>
        (channel === 'email') === isMail && carriers.some(({ name }) => name !== SANDBOX),
    );
  const { carriers, payments, protection, overview: own } = operatorPages;
  return [
    {
      name: 'carrier',
      text: 'Set up a carrier for SMS or calls, with your sender',
      hint: 'Until then, no code reaches a phone.',
      link: { to: firstCodePage.path },
      isDone: isReal(false),
    },
    {
      name: 'mail',
      text: 'Set up a mail server, with your sender address',
      hint: 'Until then, no code and no password reset reaches a mailbox.',
      link: { to: carriers.path },
      isDone: isReal(true),
    },
    {
      name: 'cards',
      text: 'Take real payments with the live keys of Stripe',
      hint: 'Set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET in the environment.',
      link: { to: payments.path },
      isDone: LIVE_CARDS.test(cards ?? ''),
    },
    {
      name: 'rules',
      text: 'Set the rules for all accounts to Enforce',
      hint: 'Rules set to Monitor block nothing. Review the last 24 hours first.',
      link: { to: protection.path },
      isDone: rules !== undefined && COUNTED_RULES.every((name) => rules[name].mode !== 'monitor'),
    },
    {
      name: 'public-url',
      text: 'Set the public address',
      hint: 'Set PUBLIC_URL in the environment to an https address. The diagnostics check it.',
      link: { to: own.path, hash: 'doctor' },
      isDone: public_url?.startsWith('https:') ?? false,
    },
  ] as const;
};

/** Leads a new deployment from the sandbox to real customers. When all is done, or this browser has dismissed it: the children. */
export function GoLive({ overview, rules, children }: Omit<State, 'cards'> & { children: ReactNode }) {
  const { stripe_publishable_key: cards } = useDeployment();
  const [isDismissed, setDismissed] = useState(() => remembered(DISMISSED) !== undefined);
  const steps = stepsOf({ overview, rules, cards });
  const current = steps.find(({ isDone }) => !isDone)?.name;
  if (isDismissed || current === undefined) return children;
  return (
    <StepList
      id="go-live"
      title="Go live"
      steps={steps.map(({ name, text, link, isDone }) => ({
        name,
        title: isDone ? text : <LoneLink {...link}>{text}</LoneLink>,
        isDone,
      }))}
      current={current}
      onDismiss={() => {
        remember(DISMISSED, 'true');
        setDismissed(true);
      }}
    >
      {({ name }) =>
        name === current ? (
          <p className="mt-[0.1rem] mb-1 text-14 text-ink-soft">
            {steps.find((step) => step.name === name)?.hint}
          </p>
        ) : null
      }
    </StepList>
  );
}
