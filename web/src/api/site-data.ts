/**
 * What this browser stores for the site. A browser that blocks site data throws on any access, has no storage at all or refuses to
 * write; then a value lasts as long as the page. No other module touches the browser's storage.
 */
interface Store {
  get(name: string): string | null;
  /** null removes the value. Returns false if the browser did not store it. */
  set(name: string, value: string | null): boolean;
}

function storeOf(storage: () => Storage): Store {
  const unstored = new Map<string, string>();
  const write = (name: string, value: string | null): boolean => {
    try {
      if (value === null) storage().removeItem(name);
      else storage().setItem(name, value);
      return true;
    } catch {
      return false;
    }
  };
  return {
    get(name) {
      const held = unstored.get(name);
      if (held !== undefined) return held;
      try {
        return storage().getItem(name);
      } catch {
        return null;
      }
    },
    set(name, value) {
      unstored.delete(name);
      if (write(name, value)) return true;
      // The old value is removed first, so that it frees its space and cannot remain if the write fails.
      if (value === null || (write(name, null) && write(name, value))) return value !== null;
      unstored.set(name, value);
      return false;
    },
  };
}

/** Shared by all tabs, until the user clears it. */
export const siteData = storeOf(() => localStorage);
/** Of this tab alone. */
export const tabData = storeOf(() => sessionStorage);

const PROBE = 'site_data';

/** Whether the browser refuses to store anything, so that no session would outlive the page. */
export function isSiteDataBlocked(): boolean {
  const isStored = siteData.set(PROBE, '1');
  siteData.set(PROBE, null);
  return !isStored;
}

export function hasCookie(pair: string): boolean {
  try {
    return document.cookie.split('; ').includes(pair);
  } catch {
    return false;
  }
}

export function setCookie(text: string): void {
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
    document.cookie = text;
  } catch {
    // A sandboxed frame throws.
  }
}
