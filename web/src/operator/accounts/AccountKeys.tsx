import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { expiryOf, scopesText } from '../../api-keys/key-values.ts';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Panel } from '../../ui/Panel.tsx';
import { TestBadge } from '../../ui/TestBadge.tsx';
import { number } from '../Facts.tsx';
import classes from '../Operator.module.css';

/** The API keys of an account with what limits them, for the question why a request is refused. */
export const AccountKeys = ({ keys }: { keys: readonly ApiKey[] }) => (
  <Panel title="API keys">
    {keys.length === 0 ? <p className={classes.soft}>No API keys.</p> : null}
    <ul className={classes.rows} aria-label="API keys">
      {keys.map((key) => (
        <li key={key.id}>
          <span className={classes.what}>
            <span className={classes.named}>
              {key.name}
              {key.mode === 'test' ? <TestBadge /> : null}
              {expiryOf(key.expires_at, Date.now()) === 'expired' ? <Badge tone="red">Expired</Badge> : null}
            </span>
            <small>
              <code>{key.prefix}…</code>
            </small>
            {limitsOf(key).map((limit) => (
              <small key={limit}>{limit}</small>
            ))}
          </span>
          <span className={classes.soft}>{shortDateTime(key.last_used_at, 'Never used')}</span>
        </li>
      ))}
    </ul>
  </Panel>
);

function limitsOf(key: ApiKey): string[] {
  const { allowed_networks, daily_credit_limit, expires_at, retired, note } = key;
  const networks = allowed_networks.length === 0 ? 'Every network' : allowed_networks.join(', ');
  return [
    `${scopesText(key.scopes)} · ${networks}`,
    daily_credit_limit === null
      ? ''
      : `${number(key.spent_today ?? 0)} of ${number(daily_credit_limit)} credits spent today`,
    expires_at === null ? '' : `Expires ${shortDateTime(expires_at)}`,
    retired
      ? `Old secret ${retired.prefix}… valid until ${shortDateTime(retired.valid_until)}, last used ${shortDateTime(retired.last_used_at, 'never')}`
      : '',
    note,
  ].filter((text) => text !== '');
}
