import type { OperatorCarrier, OperatorChannel } from '@sixdigit/contract/operator/carriers.ts';
import { labelOf } from '../../otp/channel.ts';
import { Badge } from '../../ui/Badge.tsx';
import { PageLink } from '../../ui/links.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { number, share } from '../Facts.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';

/** Every carrier with its channel, for the overview. */
export const CarrierHealth = ({ channels }: { channels: readonly OperatorChannel[] }) => {
  const all = channels.flatMap(({ channel, carriers }) => carriers.map((carrier) => ({ channel, carrier })));
  return (
    <Panel title="Carriers" description="Their answers in the last 10 minutes.">
      {all.length === 0 ? <Note>No carrier is configured.</Note> : null}
      <Rows>
        {all.map(({ channel, carrier }) => (
          <Row key={`${channel} ${carrier.name}`}>
            <RowText>
              <PageLink to="/operator/carriers">
                {carrier.name} · {labelOf(channel)}
              </PageLink>
              <small>{answersOf(carrier)}</small>
            </RowText>
            <CarrierState carrier={carrier} />
          </Row>
        ))}
      </Rows>
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
