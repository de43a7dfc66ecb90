import type { CarrierCosts as Costs } from '@sixdigit/contract/operator/carriers.ts';
import { useQuery } from '@tanstack/react-query';
import { carrierName } from '../../otp/route-filters.ts';
import { countryName } from '../../ui/display-names.ts';
import { countOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/Panel.tsx';
import { carrierCosts } from '../operator.ts';
import { Row, Rows, RowText } from '../Rows.tsx';

/** What carriers charged, if their reports say it. */
export function CarrierCosts() {
  const { data } = useQuery(carrierCosts);
  if (!data || data.costs.length === 0) return null;
  return (
    <Panel
      title="Cost per carrier, country and day"
      description="What carriers charged in the last 30 days, as their delivery reports say. Days are in UTC."
    >
      <Rows>
        {data.costs.map((cost) => (
          <Row key={`${cost.day} ${cost.carrier} ${cost.country} ${cost.currency}`}>
            <RowText>
              <span>
                <strong>{carrierName(cost.carrier)}</strong>
                {cost.country === '' ? '' : ` · ${countryName(cost.country)}`}
              </span>
              <small>
                {cost.day} · {countOf(cost.messages, 'message')}
              </small>
            </RowText>
            <span>{moneyOf(cost)}</span>
          </Row>
        ))}
      </Rows>
    </Panel>
  );
}

const moneyOf = ({ price, currency }: Costs): string =>
  `${price.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 })} ${currency}`.trim();
