import type { OperatorCarrier, OperatorChannel } from '@sixdigit/contract/operator/carriers.ts';
import { labelOf } from '../../otp/channel.ts';
import { Badge } from '../../ui/Badge.tsx';
import { PageLink } from '../../ui/links.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { number, share } from '../Facts.tsx';
import classes from '../Operator.module.css';

/** Every carrier with its channel, for the overview. */
export const CarrierHealth = ({ channels }: { channels: readonly OperatorChannel[] }) => {
  const all = channels.flatMap(({ channel, carriers }) => carriers.map((carrier) => ({ channel, carrier })));
  return (
    <Panel title="Carriers" description="Their answers in the last 10 minutes.">
      {all.length === 0 ? <p className={classes.soft}>No carrier is configured.</p> : null}
      <ul className={classes.rows}>
        {all.map(({ channel, carrier }) => (
          <li key={`${channel} ${carrier.name}`}>
            <span className={classes.what}>
              <PageLink to="/operator/carriers">
                {carrier.name} · {labelOf(channel)}
              </PageLink>
              <small>{answersOf(carrier)}</small>
            </span>
            <CarrierState carrier={carrier} />
          </li>
        ))}
      </ul>
    </Panel>
  );
};

/** `98 % of 1,204 accepted, 130 ms` */
export function answersOf({ accepted, refused, uncertain, average_ms }: OperatorCarrier): string {
  const all = accepted + refused + uncertain;
  if (all === 0) return 'no messages';
  return `${share(accepted, all)} of ${number(all)} accepted${average_ms === null ? '' : `, ${number(average_ms)} ms`}`;
}

export function CarrierState({ carrier: { is_paused, open_breakers } }: { carrier: OperatorCarrier }) {
  if (is_paused) return <Badge tone="orange">Paused</Badge>;
  if (open_breakers > 0) return <Badge tone="red">Breaker open</Badge>;
  return null;
}
