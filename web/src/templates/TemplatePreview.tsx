import { useDebouncedValue } from '@mantine/hooks';
import { previewTemplate, type TemplateText } from '@sixdigit/contract/templates.ts';
import { useQuery } from '@tanstack/react-query';
import { keepPrevious, read } from '../api/read.ts';
import { countryText } from '../payments/send-prices.ts';
import { MailFrame } from '../ui/MailFrame.tsx';
import { countOf } from '../ui/numbers.ts';

const DEBOUNCE_MS = 400;
const PRICES_MOST = 8;

/** The text as a recipient gets it, with its segments and prices, while the user types. Variables show their names. */
export function TemplatePreview({ text }: { text: TemplateText }) {
  const isValid = previewTemplate.body.safeParse(text).success;
  const [wanted] = useDebouncedValue(isValid ? JSON.stringify(text) : undefined, DEBOUNCE_MS);
  const { data } = useQuery(
    read(
      previewTemplate,
      { body: JSON.parse(wanted ?? '{}') as TemplateText },
      { enabled: wanted !== undefined, staleTime: 60_000, ...keepPrevious },
    ),
  );
  if (!data || !isValid)
    return <p className="m-0 text-13 text-ink-soft">The preview appears when the message is complete.</p>;
  const { html, segments, problem, prices } = data;
  return (
    <section aria-label="Preview" className="grid gap-3">
      {html === null ? (
        <p
          dir="auto"
          className="m-0 max-w-96 rounded-16 rounded-bl-4 bg-sunken px-3.5 py-2.5 text-15 wrap-anywhere whitespace-pre-wrap"
        >
          {data.text}
        </p>
      ) : (
        <>
          <p className="m-0 text-14 font-600 wrap-anywhere">{data.subject}</p>
          <MailFrame html={html} title="Email preview" />
        </>
      )}
      <dl className="m-0 flex flex-wrap gap-x-8 gap-y-2 text-14" aria-label="Size and price">
        {segments === null ? null : (
          <div>
            <dt className="text-13 text-ink-soft">Segments</dt>
            <dd className="m-0 tabular-nums">{segments}</dd>
          </div>
        )}
        {prices.slice(0, PRICES_MOST).map(({ country, credits }) => (
          <div key={country}>
            <dt className="text-13 text-ink-soft">{prices.length === 1 ? 'Price' : countryText(country)}</dt>
            <dd className="m-0 tabular-nums">{countOf(credits, 'credit')}</dd>
          </div>
        ))}
      </dl>
      <p className="m-0 text-14 wrap-anywhere text-error empty:hidden" role="status">
        {problem}
      </p>
    </section>
  );
}
