/** Choices that this browser remembers. A browser that refuses to store them forgets them with the tab. */
const unstored = new Map<string, string>();

export function remembered(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? unstored.get(name);
  } catch {
    return unstored.get(name);
  }
}

/** Without a value, the choice is forgotten. */
export function remember(name: string, value: string | undefined): void {
  if (value === undefined) unstored.delete(name);
  else unstored.set(name, value);
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Private windows of some browsers throw.
  }
}
