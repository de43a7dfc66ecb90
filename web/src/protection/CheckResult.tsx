import type { DestinationCheck, RuleFinding } from '@sixdigit/contract/protection/protection.ts';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { Badge } from '../ui/Badge.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { countryName } from './countries.ts';
import classes from './Protection.module.css';
import { RULE_NAMES } from './rule-texts.ts';

const listed = new Intl.ListFormat('en-US', { type: 'conjunction' });

const sentences: Record<DestinationCheck['decision'], string> = {
  allowed: 'This send would go out.',
  blocked: 'This send would be blocked.',
  refused: 'This send would be refused.',
};

/** A decision with the numbers of every rule. */
export function CheckResult({ check }: { check: DestinationCheck }) {
  const isBlocked = check.decision !== 'allowed';
  const Icon = isBlocked ? IconCircleX : IconCircleCheck;
  const own = check.rules.filter(({ scope }) => scope === 'account');
  const operators = check.rules.filter(({ scope }) => scope === 'deployment');
  return (
    <div className={classes.result} data-blocked={isBlocked || undefined}>
      <p className={classes.decision}>
        <Icon size={22} stroke={1.75} aria-hidden />
        <strong>{sentences[check.decision]}</strong>
      </p>
      <p className={classes.why}>{whyOf(check)}</p>
      <p className={classes.soft}>
        {[
          check.recipient,
          check.country === null ? null : countryName(check.country),
          check.prefix === null ? null : `prefix ${check.prefix}…`,
          check.client === null ? null : `client ${check.client}`,
        ]
          .filter((fact) => fact !== null)
          .join(' · ')}
      </p>
      {own.length > 0 ? <Findings title="Your rules" findings={own} /> : null}
      {operators.length > 0 ? (
        <details className={classes.more}>
          <summary>Rules of this service, over all accounts</summary>
          <Findings title="Rules of this service" findings={operators} />
        </details>
      ) : null}
    </div>
  );
}

function whyOf({
  blocked_by,
  blocked_until,
  monitored_by,
  listed: list,
  decision,
  refusal,
}: DestinationCheck): string {
  if (decision === 'refused' && refusal) return refusedUntil(refusal);
  if (list === 'deny') return 'The deny list contains it.';
  if (blocked_by.length > 0) {
    const rules = listed.format(blocked_by.map((rule) => RULE_NAMES[rule]));
    const until =
      blocked_until === null ? 'The block does not end by time.' : `Until ${shortDateTime(blocked_until)}.`;
    return `Blocked by: ${rules}. ${until}`;
  }
  if (list === 'allow') return 'The allow list contains it, so your rules do not block it.';
  if (monitored_by.length > 0)
    return `These rules would block it, but only monitor: ${listed.format(monitored_by.map((rule) => RULE_NAMES[rule]))}.`;
  return 'No rule, limit or opt-out stops it, and the credits suffice.';
}

function refusedUntil({ error, retry_after, resets_at }: NonNullable<DestinationCheck['refusal']>): string {
  const why = /[.?!]$/.test(error) ? error : `${error}.`;
  if (resets_at !== null) return `${why} Possible again from ${shortDateTime(resets_at)}.`;
  if (retry_after === null) return why;
  return `${why} Possible again in ${retry_after < 120 ? `${retry_after} seconds` : `${Math.ceil(retry_after / 60)} minutes`}.`;
}

const Findings = ({ title, findings }: { title: string; findings: readonly RuleFinding[] }) => (
  <ul className={classes.findings} aria-label={title}>
    {findings.map((finding) => (
      <li key={finding.rule}>
        <span className={classes.finding}>
          {RULE_NAMES[finding.rule]} <State finding={finding} />
        </span>
        <span className={classes.soft}>{finding.explanation}</span>
      </li>
    ))}
  </ul>
);

function State({ finding: { is_compared, is_exceeded, is_enforced } }: { finding: RuleFinding }) {
  if (!is_compared) return <Badge tone="gray">Not compared</Badge>;
  if (!is_exceeded) return <Badge tone="green">OK</Badge>;
  return is_enforced ? <Badge tone="red">Blocks</Badge> : <Badge tone="orange">Would block</Badge>;
}
