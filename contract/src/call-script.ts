/** A part of a call: a sentence that is spoken, or a pause. */
export type CallPart = { say: string } | { pause_seconds: number };

/** The text of a call: the sentence with the code once, then the digits twice more, one at a time. */
export function callScript(brand: string, code: string): CallPart[] {
  const digits = `${[...code].join(', ')}.`;
  const pause = { pause_seconds: 1 };
  const again = [pause, { say: `Once more: ${digits}` }];
  return [
    pause,
    { say: `Your ${brand} verification code is: ${digits}` },
    ...again,
    ...again,
    pause,
    { say: 'Goodbye.' },
  ];
}
