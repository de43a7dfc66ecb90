/** Advice to operators about a carrier's refusal, by the stable reason. */
const ADVICE: Record<string, string> = {
  carrier_unauthorized: 'Check the credentials of the carrier in the environment.',
  carrier_misconfigured: 'Correct the setup of the account or the sender at the carrier.',
  carrier_untrusted: 'Check the certificate of the carrier, or the address in the settings.',
  region_not_enabled: 'Enable the country at the carrier, or route the country to another one.',
  rate_limited: 'Ask the carrier for a higher rate, or give other carriers a weight.',
  carrier_queue_full: 'Give other carriers a weight until the queue of this sender is empty.',
  carrier_error: 'Pause the carrier if this goes on: the others take its messages.',
  unroutable: 'Route the country to another carrier.',
  unsubscribed: 'Nothing to do: the recipient has opted out at the carrier.',
  invalid_recipient: 'Nothing to do: the number does not exist.',
  not_a_mobile_number: 'Nothing to do: the number cannot receive SMS.',
  unreachable_recipient: 'Nothing to do: the phone is switched off or has no network.',
  recipient_refused: 'Nothing to do: the mailbox does not exist or refuses mail.',
  message_refused: 'Check the reputation of the sender and the text of the message.',
  deferred: 'Nothing to do: the message is retried.',
  in_flight: 'Nothing to do: the message is looked up again.',
};

/** Undefined for a code that only the carrier's own documentation explains. */
export const adviceFor = (reason: string): string | undefined =>
  ADVICE[reason] ?? (/^http_5\d\d$/.test(reason) ? ADVICE.carrier_error : undefined);
