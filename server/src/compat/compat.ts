/** APIs of other standards and services, served by the same engine as our own. */
export { camaraRoutes } from './camara.ts';
export { twilioRoutes } from './twilio/twilio.ts';
export {
  deleteTwilioServicesOf,
  deleteTwilioVerificationsOf,
  eraseRecipientFromTwilio,
  twilioRetention,
} from './twilio/upkeep.ts';
