import { useQuery } from '@tanstack/react-query';
import { labelOf } from '../otp/channel.ts';
import { prices } from '../payments/price-list.ts';
import { allPrices, areDefault, countryText, priceText } from '../payments/send-prices.ts';
import { PlainTable } from '../ui/PlainTable.tsx';
import classes from './Docs.module.css';

/** 'Sending costs 1 credit on every channel', or where to read other prices. Names no price if none could be loaded. */
export function SendPriceSentence() {
  const { data } = useQuery(prices);
  if (!data) return <>Sending costs credits and</>;
  return !areDefault(data.sends) ? (
    <>Sending costs the credits of the table below, and</>
  ) : (
    <>Sending costs 1 credit on every channel and</>
  );
}

/** What every send costs. Nothing while that is one credit. */
export function SendPrices() {
  const { data } = useQuery(prices);
  if (!data || areDefault(data.sends)) return null;
  return (
    <div className={classes.prices}>
      <PlainTable label="Prices of sends" headings={['Channel', 'Country', 'A send costs']}>
        {allPrices(data.sends).map((price) => (
          <tr key={`${price.channel} ${price.country}`}>
            <td>{labelOf(price.channel)}</td>
            <td>
              {price.channel === 'email' ? '–' : price.isOnly ? 'All countries' : countryText(price.country)}
            </td>
            <td>{priceText(price)}</td>
          </tr>
        ))}
      </PlainTable>
    </div>
  );
}
