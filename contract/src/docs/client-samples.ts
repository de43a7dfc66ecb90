import type { Facts } from './chapter.ts';

/** Samples for the packages in `clients`. Each runs as pasted where its package is installed, once API_KEY is set. */

export const typeScriptSample = ({
  apiUrl,
  target: { channel, recipient },
}: Pick<Facts, 'apiUrl' | 'target'>): string => `// Save as code.mjs, then: node code.mjs
import { createInterface } from 'node:readline/promises';
import { Sixdigit, SixdigitError } from 'sixdigit';

const sixdigit = new Sixdigit({ baseUrl: ${JSON.stringify(apiUrl)}, apiKey: process.env.API_KEY });
const { otp_id } = await sixdigit.send({
  channel: ${JSON.stringify(channel)},
  recipient: ${JSON.stringify(recipient)},
});

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const code = await terminal.question('Code: ');
terminal.close();
try {
  const { verified_at } = await sixdigit.verify({ otp_id, code });
  console.log('Verified at', verified_at);
} catch (error) {
  if (!(error instanceof SixdigitError)) throw error;
  console.log(error.reason, error.facts);
}`;

export const pythonSample = ({
  apiUrl,
  target: { channel, recipient },
}: Pick<Facts, 'apiUrl' | 'target'>): string => `# Save as enter.py, then: python3 enter.py
import os
from sixdigit import Sixdigit, SixdigitError

sixdigit = Sixdigit(base_url=${JSON.stringify(apiUrl)}, api_key=os.environ["API_KEY"])
sent = sixdigit.send(channel=${JSON.stringify(channel)}, recipient=${JSON.stringify(recipient)})
try:
    print("Verified at", sixdigit.verify(sent.otp_id, input("Code: ")).verified_at)
except SixdigitError as error:
    print(error.reason, error.facts)`;
