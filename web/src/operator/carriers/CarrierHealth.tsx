import type { CarrierError, OperatorCarrier, OperatorChannel } from '@sixdigit/contract/operator/carriers.ts';
import { carrierName } from '../../otp/route-filters.ts';
import { Badge } from '../../ui/Badge.tsx';
import { labelOf } from '../../ui/channel.ts';
import { fullDateTime } from '../../ui/dates.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { percentOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/Panel.tsx';
import { number } from '../Facts.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';

/** All carriers with their channels, for the overview. */
export const CarrierHealth = ({ channels }: { channels: readonly OperatorChannel[] }) => {
  const all = channels.flatMap(({ channel, carriers }) => carriers.map((carrier) => ({ channel, carrier })));
  return (
    <Panel
      title="Carriers"
      description="Responses in the last 10 minutes."
      actions={
        <ButtonLink to="/operator/carriers" variant="default" size="compact-sm">
          View Carriers
        </ButtonLink>
      }
    >
      {all.length === 0 ? <Note>No carrier is configured.</Note> : null}
      <Rows>
        {all.map(({ channel, carrier }) => (
          <Row key={`${channel} ${carrier.name}`}>
            <RowText>
              {carrierName(carrier.name)} · {labelOf(channel)}
              <small>{capitalised(answersOf(carrier))}</small>
            </RowText>
            <CarrierState carrier={carrier} />
          </Row>
        ))}
      </Rows>
    </Panel>
  );
};

/** '98% of 1,204 accepted, 130 ms', or 'one message accepted in 32 ms' */
export function answersOf({ accepted, refused, uncertain, average_ms }: OperatorCarrier): string {
  const all = accepted + refused + uncertain;
  if (all === 0) return 'no messages';
  const time = average_ms === null ? '' : `${number(average_ms)} ms`;
  if (all === 1) return `one message ${accepted === 1 ? '' : 'not '}accepted${time && ` in ${time}`}`;
  return `${percentOf(accepted, all)} of ${number(all)} accepted${time && `, ${time}`}`;
}

export function CarrierState({ carrier: { is_paused, open_breakers } }: { carrier: OperatorCarrier }) {
  if (is_paused) return <Badge tone="orange">Paused</Badge>;
  if (open_breakers > 0) return <Badge tone="red">Breaker open</Badge>;
  return <Badge tone="green">In use</Badge>;
}

/** The newest refusals and lost responses, with the carriers' own codes. */
export const CarrierErrors = ({ errors }: { errors: readonly CarrierError[] }) => (
  <Panel
    title="Recent carrier errors"
    description={errors.length === 0 ? 'No carrier has refused a message.' : undefined}
  >
    {errors.length === 0 ? null : (
      <Rows>
        {errors.map(({ id, created_at, carrier, channel, kind, reason, detail }) => (
          <Row key={id}>
            <RowText>
              <span>
                <strong>{carrierName(carrier)}</strong> · {labelOf(channel)} · <code>{reason}</code>
              </span>
              <small>{detail}</small>
              {adviceFor(reason) ? <small>{adviceFor(reason)}</small> : null}
              <small>{fullDateTime(created_at)}</small>
            </RowText>
            <Badge tone={kind === 'refused' ? 'red' : 'orange'}>{capitalised(kind)}</Badge>
          </Row>
        ))}
      </Rows>
    )}
  </Panel>
);

/** 'refused' as the label of a badge: 'Refused' */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Advice to operators by the refusal's stable reason. */
const ADVICE: Record<string, string> = {
  carrier_unauthorized: 'Correct the carrier’s credentials: edit the carrier, or change the environment.',
  carrier_blocked: 'Use a public address, or set the carrier up in the environment.',
  carrier_misconfigured: 'Correct the setup of the account or sender at the carrier.',
  carrier_untrusted: 'Check the carrier’s certificate, or its address in the settings.',
  region_not_enabled: 'Enable the country at the carrier, or route the country to another one.',
  rate_limited: 'Ask the carrier for a higher rate, or give other carriers a weight.',
  carrier_queue_full: 'Give other carriers a weight until this sender’s queue is empty.',
  carrier_error: 'If this continues, pause the carrier. Other carriers send its messages.',
  unroutable: 'Route the country to another carrier.',
  unsubscribed: 'No action needed: the recipient has opted out at the carrier.',
  invalid_recipient: 'No action needed: the number does not exist.',
  not_a_mobile_number: 'No action needed: the number cannot receive SMS.',
  unreachable_recipient: 'No action needed: the phone is switched off or has no network.',
  recipient_refused: 'No action needed: the mailbox does not exist or refuses mail.',
  message_refused: 'Check the sender’s reputation and the message text.',
  deferred: 'No action needed: the message is retried.',
  in_flight: 'No action needed: the message is looked up again.',
};

/** Undefined for a code that only the carrier's own documentation explains. */
const adviceFor = (reason: string): string | undefined =>
  ADVICE[reason] ?? (/^http_5\d\d$/.test(reason) ? ADVICE.carrier_error : undefined);
