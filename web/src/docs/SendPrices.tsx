import { useQuery } from '@tanstack/react-query';
import { useDeployment } from '../api/deployment.ts';
import { prices } from '../payments/price-list.ts';
import { allPrices, countryText, priceText } from '../payments/send-prices.ts';
import { labelOf } from '../ui/channel.ts';
import { ScrollingTable } from './Chapter.tsx';

/** The price of every send to the countries that this deployment accepts. */
export function SendPrices() {
  const { phone_countries, channels } = useDeployment();
  const { data } = useQuery(prices);
  const sends = (data?.sends ?? []).filter(
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
          {allPrices(sends, channels).map((price) => (
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
