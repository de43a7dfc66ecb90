import type { Server } from '../../platform/http/serve.ts';
import { attemptRoutes } from './attempts.ts';
import { bucketRoutes, rateLimitRoutes } from './rate-limits.ts';
import { safeListRoutes } from './safe-list.ts';
import { refuseOthers, type TwilioApp } from './serve.ts';
import { serviceRoutes } from './services.ts';
import { verificationRoutes } from './verifications.ts';

/**
 * Twilio Verify v2, for Twilio's own clients with another base address. Verifications and checks run in the same engine as
 * `POST /otp/send/` and `POST /otp/verify/`. Source: twilio/twilio-oai, spec/json/twilio_verify_v2.json
 */
export function twilioRoutes(server: Server, app: TwilioApp): void {
  serviceRoutes(server, app);
  verificationRoutes(server, app);
  attemptRoutes(server, app);
  rateLimitRoutes(server, app);
  bucketRoutes(server, app);
  safeListRoutes(server, app);
  refuseOthers(server, app);
}
