import type { CarrierError } from '@sixdigit/contract/operator/carriers.ts';
import { labelOf } from '../../otp/channel.ts';
import { Badge } from '../../ui/Badge.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { Panel } from '../../ui/Panel.tsx';
import classes from '../Operator.module.css';
import { adviceFor } from './advice.ts';

/** The newest refusals and lost answers of carriers, with their own codes. */
export const CarrierErrors = ({ errors }: { errors: readonly CarrierError[] }) => (
  <Panel title="Recent carrier errors">
    {errors.length === 0 ? (
      <p className={classes.soft}>No carrier has refused a message.</p>
    ) : (
      <ul className={classes.rows}>
        {errors.map(({ id, created_at, carrier, channel, kind, reason, detail }) => (
          <li key={id}>
            <span className={classes.what}>
              <span>
                <strong>{carrier}</strong> · {labelOf(channel)} · <code>{reason}</code>
              </span>
              <small>{detail}</small>
              {adviceFor(reason) ? <small>{adviceFor(reason)}</small> : null}
              <small>{fullDateTime(created_at)}</small>
            </span>
            <Badge tone={kind === 'refused' ? 'red' : 'orange'}>{capitalised(kind)}</Badge>
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

/** 'refused' as the label of a badge: 'Refused' */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
