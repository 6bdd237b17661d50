/**
 * Paths under /api that the platform calls. They are not rate limited and are signed instead of
 * authenticated.
 */
export const WEBHOOK_PATH = '/api/webhook'

const FLOW_ENDPOINT = '/api/flows/endpoint'

/** Whether the platform calls this path. */
export const isPlatformPath = (path: string): boolean =>
  path === WEBHOOK_PATH || path.startsWith(`${FLOW_ENDPOINT}/`)
