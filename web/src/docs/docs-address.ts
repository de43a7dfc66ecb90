import type { SearchSchemaInput } from '@tanstack/react-router';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { oneOf } from '../table/search.ts';
import { type SampleLanguage, sampleLanguages } from './sample-languages.ts';

const endpoint = oneOf(['send', 'verify'], 'send');
const language = oneOf(
  sampleLanguages.map(({ value }) => value),
  'javascript',
);
export type Endpoint = ReturnType<typeof endpoint.read>;

export interface DocsSearch {
  endpoint: Endpoint;
  language: SampleLanguage;
}

export const docsDefaults: DocsSearch = { endpoint: endpoint.byDefault, language: language.byDefault };

/** The shown call and language, which are part of the URL. */
export const readDocsSearch = (raw: Partial<DocsSearch> & SearchSchemaInput): DocsSearch => ({
  endpoint: endpoint.read(raw.endpoint),
  language: language.read(raw.language),
});

export function useDocsSearch(): [DocsSearch, (patch: Partial<DocsSearch>) => void] {
  const search = useSearch({ strict: false }) as unknown as DocsSearch;
  const navigate = useNavigate();
  return [
    search,
    (patch) =>
      void navigate({
        to: '.',
        search: (before) => ({ ...before, ...patch }),
        hash: true,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      }),
  ];
}
