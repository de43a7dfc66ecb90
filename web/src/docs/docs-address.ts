import { type SampleLanguage, sampleLanguages } from '@sixdigit/contract/docs/chapter.ts';
import { type SearchSchemaInput, useNavigate, useSearch } from '@tanstack/react-router';
import { oneOf } from '../table/search.ts';
import { remember, remembered } from '../ui/remembered.ts';

const endpoint = oneOf(['send', 'verify'], 'send');
export type Endpoint = ReturnType<typeof endpoint.read>;

const languageOf = (raw: unknown): SampleLanguage | undefined =>
  sampleLanguages.find(({ value }) => value === raw)?.value;

export interface DocsSearch {
  endpoint: Endpoint;
  /** undefined: the reader's own choice */
  language?: SampleLanguage | undefined;
  /** the id of the key whose prefix the samples show */
  api_key?: string | undefined;
}

export const docsDefaults = { endpoint: endpoint.byDefault };

/** The selected call and the samples' language and key, which are part of the URL. */
export const readDocsSearch = (raw: Partial<DocsSearch> & SearchSchemaInput): DocsSearch => ({
  endpoint: endpoint.read(raw.endpoint),
  language: languageOf(raw.language),
  api_key: raw.api_key === undefined ? undefined : String(raw.api_key),
});

export function useDocsSearch(): [DocsSearch, (patch: Partial<DocsSearch>) => Promise<void>] {
  const search = useSearch({ strict: false }) as unknown as DocsSearch;
  const navigate = useNavigate();
  return [
    search,
    (patch) =>
      navigate({
        to: '.',
        search: (before) => ({ ...before, ...patch }),
        hash: true,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      }),
  ];
}

const LANGUAGE = 'sample_language';

/** The language of all samples: the one in the URL, or else the one last selected in this browser. */
export function useSampleLanguage(): [SampleLanguage, (language: SampleLanguage) => void] {
  const [{ language }, change] = useDocsSearch();
  return [
    language ?? languageOf(remembered(LANGUAGE)) ?? sampleLanguages[0].value,
    (chosen) => {
      remember(LANGUAGE, chosen);
      void change({ language: chosen });
    },
  ];
}
