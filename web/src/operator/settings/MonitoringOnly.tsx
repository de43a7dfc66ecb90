import { Alert } from '@mantine/core';
import { IconShieldOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { RULE_NAMES } from '../../protection/rule-texts.ts';
import { COUNTED_RULES } from '../../protection/rule-values.ts';
import { PageLink } from '../../ui/links.tsx';
import { operatorProtection } from '../operator.ts';

/** Lists the rules across all accounts that block nothing, because an operator may expect an upgrade to enforce them. */
export function MonitoringOnly({ withLink }: { withLink?: boolean }) {
  const { data } = useQuery(operatorProtection);
  const names = COUNTED_RULES.filter((name) => data?.rules[name].mode === 'monitor').map(
    (name) => RULE_NAMES[name],
  );
  if (names.length === 0) return null;
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<IconShieldOff aria-hidden />}
      title="Rules for all accounts do not block yet"
    >
      {names.length === COUNTED_RULES.length
        ? 'All are'
        : `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'}`}{' '}
      set to Monitor.{' '}
      {withLink ? (
        <PageLink to="/operator/protection">Review the rules</PageLink>
      ) : (
        'Review the last 24 hours'
      )}
      , then set them to Enforce.
    </Alert>
  );
}
