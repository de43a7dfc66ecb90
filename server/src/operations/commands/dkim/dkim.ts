import {
  dkimRecord,
  isDkimSelector,
  newDkimKey,
  parseMailbox,
} from '../../../messaging/carriers/carriers.ts';

const USAGE = 'Usage: npm start -- dkim <selector>, such as dkim otp1';

/** `npm start -- dkim <selector>`: makes a key that signs mail over SMTP, and prints its settings and its TXT record. */
export function dkimCommand(
  emailFrom: string | undefined,
  [selector, ...rest]: readonly string[],
  print: (line: string) => void,
): number {
  if (selector === undefined || rest.length > 0 || !isDkimSelector(selector)) {
    print(USAGE);
    return 2;
  }
  const domain = parseMailbox(emailFrom ?? '')?.address.split('@')[1] ?? 'example.com';
  const key = newDkimKey();
  const { name, value } = dkimRecord({ selector, key }, domain);
  print('1. Create this TXT record, and keep that of an earlier selector for a week:');
  print(`${name}  ${value}`);
  print('2. When it can be looked up, set these, or enter them at an SMTP carrier of the console:');
  print(`DKIM_SELECTOR=${selector}`);
  print(`DKIM_PRIVATE_KEY=${key}`);
  print('3. Check with: npm start -- doctor');
  return 0;
}
