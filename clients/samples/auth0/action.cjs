// A custom-phone-provider Action. Secrets: SIXDIGIT_URL, SIXDIGIT_API_KEY.
exports.onExecuteCustomPhoneProvider = async (event, api) => {
  const { recipient, code, delivery_method, message_type } = event.notification;
  if (!code) return api.notification.drop(`Sixdigit sends only codes, no ${message_type}`);

  let response;
  try {
    response = await fetch(`${event.secrets.SIXDIGIT_URL}/api/v1/otp/send/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': event.secrets.SIXDIGIT_API_KEY },
      body: JSON.stringify({
        channel: delivery_method === 'voice' ? 'voice' : 'sms',
        recipient,
        code,
        client_ip: event.request?.ip,
      }),
      signal: AbortSignal.timeout(10_000),
      // Another host must not get the key.
      redirect: 'error',
    });
  } catch (error) {
    // Repetitions of the same code send one message.
    return api.notification.retry(`Sixdigit is unreachable: ${error.message}`);
  }
  if (response.ok) return;

  const problem = await response.json().catch(() => ({}));
  const reason = problem.reason ?? `${response.status} ${Object.keys(problem).join(', ')}`;
  const isTemporary =
    response.status >= 500 || (response.status === 429 && reason !== 'recipient_rate_limited');
  if (isTemporary) api.notification.retry(`Sixdigit is unavailable: ${reason}`);
  else api.notification.drop(`Sixdigit refused the code: ${reason}`);
};
