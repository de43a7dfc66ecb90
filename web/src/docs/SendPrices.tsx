import { useQuery } from '@tanstack/react-query';
import { labelOf } from '../otp/channel.ts';
import { prices } from '../payments/price-list.ts';
import { areDefault, countryText, priceText } from '../payments/send-prices.ts';
import { PlainTable } from '../ui/PlainTable.tsx';

/** 'Sending costs 1 credit on every channel', or where to read other prices. */
export function SendPriceSentence() {
  const { data } = useQuery(prices);
  return data && !areDefault(data.sends) ? (
    <>Sending costs the credits of the table below, and</>
  ) : (
    <>Sending costs 1 credit on every channel and</>
  );
}

/** The prices that the operator set. Nothing while every send costs one credit. */
export function SendPrices() {
  const { data } = useQuery(prices);
  if (!data || areDefault(data.sends)) return null;
  return (
    <PlainTable label="Prices of sends" headings={['Channel', 'Country', 'A send costs']}>
      {data.sends.map((price) => (
        <tr key={`${price.channel} ${price.country}`}>
          <td>{labelOf(price.channel)}</td>
          <td>{price.channel === 'email' ? '–' : countryText(price.country)}</td>
          <td>{priceText(price)}</td>
        </tr>
      ))}
    </PlainTable>
  );
}
