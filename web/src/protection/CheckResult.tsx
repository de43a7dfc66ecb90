import { Button } from '@mantine/core';
import {
  allowDestination,
  type DestinationCheck,
  getProtection,
  LINE_NAMES,
  type RuleFinding,
} from '@sixdigit/contract/protection/protection.ts';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { Badge } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { countryName } from '../ui/display-names.ts';
import { LoneLink } from '../ui/links.tsx';
import { usePhoneFormat } from '../ui/phone-numbers.ts';
import { prefixText } from './block-texts.ts';
import { sentences, whyOf } from './check-texts.ts';
import classes from './Protection.module.css';
import { RULE_NAMES } from './rule-texts.ts';

/** A decision with the numbers of every rule. */
export function CheckResult({ check }: { check: DestinationCheck }) {
  usePhoneFormat();
  const isBlocked = check.decision !== 'allowed';
  const Icon = isBlocked ? IconCircleX : IconCircleCheck;
  const own = check.rules.filter(({ scope }) => scope === 'account');
  const operators = check.rules.filter(({ scope }) => scope === 'deployment');
  return (
    <div
      className={`mt-4 rounded-10 border border-s-3 border-line bg-sunken px-4.5 pt-3.5 pb-4 ${isBlocked ? 'border-s-red' : 'border-s-green'}`}
    >
      <p className="m-0 flex items-center gap-2">
        <Icon size={22} stroke={1.75} className={isBlocked ? 'text-red' : 'text-green'} aria-hidden />
        <strong>{sentences[check.decision]}</strong>
      </p>
      <p className="my-1">{whyOf(check)}</p>
      <p className="m-0 text-13 text-ink-soft">
        {[
          check.recipient,
          check.known ? 'known recipient' : null,
          check.country === null ? null : countryName(check.country),
          check.prefix === null ? null : `prefix ${prefixText(check.prefix)}`,
          check.client === null ? null : `IP address ${check.client}`,
          check.lookup?.line_type ? LINE_NAMES[check.lookup.line_type] : null,
          check.lookup?.carrier ?? null,
        ]
          .filter((fact) => fact !== null)
          .join(' · ')}
      </p>
      <CheckActions check={check} />
      {own.length > 0 ? <Findings title="Your rules" findings={own} /> : null}
      {operators.length > 0 ? (
        <details className={`${classes.more} mt-2`}>
          <summary className="cursor-pointer text-14 text-ink-soft">
            This service’s rules, across all accounts
          </summary>
          <Findings title="This service’s rules" findings={operators} />
        </details>
      ) : null}
    </div>
  );
}

/** What to do about a blocked number: see the decisions about its prefix, or allow it. */
function CheckActions({
  check: { decision, recipient, prefix, blocked_by, listed, rules },
}: {
  check: DestinationCheck;
}) {
  const may = useMay();
  const isOwn = rules.some(
    ({ scope, is_exceeded, is_enforced }) => scope === 'account' && is_exceeded && is_enforced,
  );
  const allow = useAction({
    run: () =>
      call(allowDestination, { body: { kind: 'number', value: recipient, note: 'Allowed after a check' } }),
    success: `${recipient} is allowed`,
    failure: 'Failed to change the allow list',
    refresh: [getProtection],
  });
  if (prefix === null || decision === 'refused') return null;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
      {may('allowDestination') && blocked_by.length > 0 && listed === null && isOwn ? (
        <Button
          variant="default"
          size="compact-sm"
          {...busyButton(allow.isPending)}
          onClick={() => {
            if (!allow.isPending) allow.mutate();
          }}
        >
          Allow This Number
        </Button>
      ) : null}
      {may('listDecisions') ? (
        <LoneLink to="/protection/decisions" search={{ search: prefix }}>
          Decisions about this prefix
        </LoneLink>
      ) : null}
    </div>
  );
}

export const Findings = ({ title, findings }: { title: string; findings: readonly RuleFinding[] }) => (
  <ul className="mt-2.5 mb-0 list-none p-0" aria-label={title}>
    {findings.map((finding) => (
      <li key={finding.rule} className="grid gap-[0.1rem] border-t border-line py-[0.45rem]">
        <span className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1 text-14 font-550">
          {RULE_NAMES[finding.rule]} <State finding={finding} />
        </span>
        <span className="text-13 text-ink-soft">{finding.explanation}</span>
      </li>
    ))}
  </ul>
);

function State({ finding: { is_compared, is_exceeded, is_enforced } }: { finding: RuleFinding }) {
  if (!is_compared) return <Badge tone="gray">Not evaluated</Badge>;
  if (!is_exceeded) return <Badge tone="green">OK</Badge>;
  return is_enforced ? <Badge tone="red">Blocks</Badge> : <Badge tone="orange">Would block</Badge>;
}
