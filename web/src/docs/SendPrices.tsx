import { useQuery } from '@tanstack/react-query';
import { deployment } from '../api/deployment.ts';
import { labelOf } from '../otp/channel.ts';
import { prices } from '../payments/price-list.ts';
import { allPrices, areDefault, countryText, priceText } from '../payments/send-prices.ts';
import { ScrollingTable } from './Chapter.tsx';

/** 'Sending costs 1 credit on every channel', or a reference to the price table. Without a price if loading failed. */
export function useSendCost(): string {
  const { data } = useQuery(prices);
  if (!data) return 'Sending costs credits';
  return areDefault(data.sends)
    ? 'Sending costs 1 credit on every channel'
    : 'Sending costs the credits listed in the table below';
}

/** The price of every send to the countries that this deployment accepts. Hidden if every send costs one credit. */
export function SendPrices() {
  const { phone_countries } = deployment();
  const { data } = useQuery(prices);
  if (!data || areDefault(data.sends)) return null;
  const sends = data.sends.filter(
    ({ country }) => country === null || phone_countries.includes('*') || phone_countries.includes(country),
  );
  return (
    <div className="mt-3 mb-4 max-w-128">
      <ScrollingTable label="Message prices">
        <thead>
          <tr>
            <th scope="col">Channel</th>
            <th scope="col">Country</th>
            <th scope="col">A send costs</th>
          </tr>
        </thead>
        <tbody>
          {allPrices(sends).map((price) => (
            <tr key={`${price.channel} ${price.country}`}>
              <td>{labelOf(price.channel)}</td>
              <td>
                {price.channel === 'email'
                  ? '–'
                  : price.isOnly
                    ? 'All countries'
                    : countryText(price.country)}
              </td>
              <td>{priceText(price)}</td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
    </div>
  );
}
