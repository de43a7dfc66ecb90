import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { labelOf } from '../otp/channel.ts';
import { prices } from '../payments/payments.ts';
import { areDefault, countryText, priceText } from '../payments/send-prices.ts';

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
    <Table aria-label="Prices of sends">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Channel</Table.Th>
          <Table.Th>Country</Table.Th>
          <Table.Th>A send costs</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {data.sends.map((price) => (
          <Table.Tr key={`${price.channel} ${price.country}`}>
            <Table.Td>{labelOf(price.channel)}</Table.Td>
            <Table.Td>{price.channel === 'email' ? '–' : countryText(price.country)}</Table.Td>
            <Table.Td>{priceText(price)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
