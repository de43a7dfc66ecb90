import { readFileSync } from 'node:fs';
import { SETTING_NAMES, type Settings, settings } from './schema.ts';

export type Env = Record<string, string | undefined>;

/** Reads `NAME`, or the file that `NAME_FILE` names. An empty value counts as missing. */
export function gather(env: Env, problems: string[]): Env {
  const found: Env = {};
  for (const name of SETTING_NAMES) {
    const file = env[`${name}_FILE`];
    if (file) {
      if (env[name]) problems.push(`${name} and ${name}_FILE are both set; remove one`);
      try {
        found[name] = readFileSync(file, 'utf8').trim();
      } catch (error) {
        problems.push(`${name}_FILE cannot be read: ${(error as Error).message}`);
      }
    } else if (env[name]?.trim()) found[name] = env[name]?.trim();
    // No file, host or database can have it in its name.
    if (found[name]?.includes('\0')) {
      problems.push(`${name} contains a NUL character; remove it`);
      delete found[name];
    }
  }
  return found;
}

/** Parses each setting separately. Invalid ones are reported and then treated as missing. */
export function readEach(found: Env, problems: string[]): { set: Settings; wrong: string[] } {
  const parsed = settings.safeParse(found);
  if (parsed.success) return { set: parsed.data, wrong: [] };
  const wrong = parsed.error.issues.map(({ path }) => String(path[0]));
  for (const issue of parsed.error.issues) problems.push(`${issue.path.join('.')} ${issue.message}`);
  const others = Object.entries(found).filter(([name]) => !wrong.includes(name));
  return { set: settings.parse(Object.fromEntries(others)), wrong };
}

const SECRET_NAMES: readonly (keyof Settings)[] = [
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'TWILIO_AUTH_TOKEN',
  'HTTP_CARRIER_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
];

/** The values as given, their items, and the passwords inside URLs in both encoded and decoded form. */
export function secretsOf(found: Env): string[] {
  const whole = SECRET_NAMES.flatMap((name) => {
    const text = found[name] ?? '';
    return [text, ...text.split(',').map((part) => part.trim())];
  });
  const passwords = Object.values(found).flatMap((text = '') => {
    const password = /^\w+:\/\/[^\s/:]*:(.+)@/.exec(text)?.[1] ?? '';
    const query = /[?&](?:password|key|token|secret)=([^&]+)/i.exec(text)?.[1] ?? '';
    return [password, query].flatMap((one) => [one, decoded(one)]);
  });
  // Shorter values are not secrets, and redacting them would remove ordinary words.
  return [...new Set([...whole, ...passwords])].filter((text) => text.length >= 4);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
