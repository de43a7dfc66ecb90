import { useQuery } from '@tanstack/react-query';
import { prices } from '../payments/price-list.ts';
import { areDefault } from '../payments/send-prices.ts';

/** 'Sending costs 1 credit on every channel', or a reference to the price table. Without a price if loading failed. */
export function useSendCost(): string {
  const { data } = useQuery(prices);
  if (!data) return 'Sending costs credits';
  return areDefault(data.sends)
    ? 'Sending costs 1 credit on every channel'
    : 'Sending costs the credits listed in the table below';
}

/** Whether some sends cost more or less than one credit. */
export function useHasPrices(): boolean {
  const { data } = useQuery(prices);
  return data !== undefined && !areDefault(data.sends);
}
