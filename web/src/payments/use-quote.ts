import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { priceOf } from './payments.ts';

const DEBOUNCE_MS = 500;

/** The price of `credits`, asked for once the user stops typing. `isAsked`: the query is for these credits. */
export function useQuote(credits: number | undefined) {
  const [asked] = useDebouncedValue(credits, DEBOUNCE_MS);
  const isAsked = credits !== undefined && asked === credits;
  const query = useQuery({ ...priceOf(asked ?? 0), enabled: isAsked });
  return { quote: query.data?.credits === credits ? query.data : undefined, query, isAsked };
}
