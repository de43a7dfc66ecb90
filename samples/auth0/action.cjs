// Sends the codes of Auth0. Branding > Phone Provider > Custom: paste this Action, add the dependency sixdigit and the secrets
// SIXDIGIT_URL and SIXDIGIT_API_KEY. The key needs the scope otp:own_code.
const { Sixdigit, SixdigitError } = require('sixdigit');

/** Auth0 runs the Action again up to five times. Sixdigit sends a repeated code once. */
const TEMPORARY = ['timeout', 'connection_failed', 'unavailable', 'internal_error', 'rate_limited'];

exports.onExecuteCustomPhoneProvider = async ({ notification, secrets }, api) => {
  if (!notification.code) return api.notification.drop(`${notification.message_type} has no code`);
  const sixdigit = new Sixdigit({ baseUrl: secrets.SIXDIGIT_URL, apiKey: secrets.SIXDIGIT_API_KEY });
  try {
    await sixdigit.send({
      channel: notification.delivery_method === 'voice' ? 'voice' : 'sms',
      recipient: notification.recipient,
      code: notification.code,
    });
  } catch (error) {
    if (!(error instanceof SixdigitError)) throw error;
    const reason = `Sixdigit: ${error.message} (${error.reason})`;
    if (TEMPORARY.includes(error.reason)) return api.notification.retry(reason);
    return api.notification.drop(reason);
  }
};
