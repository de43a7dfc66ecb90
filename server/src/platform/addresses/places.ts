import { readFile } from 'node:fs/promises';
import { Reader, type Response } from 'mmdb-lib';

/** The place of a network address, such as "Berlin, Germany". Null if unknown. */
export type PlaceOf = (address: string | null) => string | null;

/** The fields of the common databases: nested in those of MaxMind and DB-IP, flat in others. */
interface Located {
  country?: string | { iso_code?: string };
  country_code?: string;
  city?: string | { names?: { en?: string } };
}

/** Finds nothing. Used if no database of places is configured. */
export const noPlaces: PlaceOf = () => null;

/**
 * Reads a database of places in MaxMind's format (.mmdb) into memory. A lookup takes microseconds and makes no network request.
 * Throws if the file cannot be read or has another format.
 */
export async function openPlaces(file: string): Promise<PlaceOf> {
  const reader = new Reader<Response>(await readFile(file));
  return (address) => {
    if (address === null) return null;
    return placeIn(reader.get(address) as Located | null);
  };
}

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

function placeIn(found: Located | null): string | null {
  const code =
    typeof found?.country === 'string' ? found.country : (found?.country?.iso_code ?? found?.country_code);
  if (!code || !/^[A-Za-z]{2}$/.test(code)) return null;
  const city = typeof found?.city === 'string' ? found.city : found?.city?.names?.en;
  const country = COUNTRY_NAMES.of(code.toUpperCase());
  return country ? [city, country].filter(Boolean).join(', ') : null;
}
